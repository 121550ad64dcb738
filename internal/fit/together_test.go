package fit_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/fit/answer"
	"github.com/acqnp/acqnp/internal/fit/file"
	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/random"
	"github.com/acqnp/acqnp/internal/test/must"
)

// drawnOf returns n draws at the one target of a group, [columns of y][n], as predict writes them, and the prediction.
func drawnOf(t *testing.T, f answer.Predictor, n int, asked points.Question) (values [][]float64, prediction predict.Target) {
	t.Helper()
	functions, path := []points.Question{asked}, filepath.Join(t.TempDir(), "p.csv")
	table := predict.Table{Names: predict.Names{XNames: f.X, YNames: f.Y, Questions: functions}, Wanted: []predict.Value{predict.WantDraws(n)}, Seed: 5, Threads: 1}
	must.Do(t, table.Write(path, f.Predict(t.Context(), functions)))
	text, err := os.ReadFile(path)
	must.Do(t, err)
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n")[1:] {
		var own []float64
		for _, cell := range strings.Split(line, ",")[strings.Count(line, ",")+1-n:] {
			v, err := strconv.ParseFloat(cell, 64)
			must.Do(t, err)
			own = append(own, v)
		}
		values = append(values, own)
	}
	// Joint draws of the first target are the same.
	for p, err := range predict.WithJointDraws(t.Context(), f, functions, predict.JointDraws{Number: 2, Seed: 5}, f.Predict(t.Context(), functions)) {
		must.Do(t, err)
		prediction = p
		for i, v := range p.Draws {
			if want := values[i%len(f.Y)][i/len(f.Y)]; v != want {
				t.Errorf("joint draw %d of %s is %v, want %v", i/len(f.Y), f.Y[i%len(f.Y)], v, want)
			}
		}
	}
	return values, prediction
}

// ranked returns Spearman's rank correlation.
func ranked(a, b []float64) float64 {
	var rows []float64
	for i := range a {
		rows = append(rows, a[i], b[i])
	}
	return likelihood.CopulaOf(rows, 2, nil).RankCorrelation(0, 1)
}

// Of six columns, high is low and a gap that x makes larger, other has a correlation of −0.6 with low, given x, and
// alone has none; part counts some of all. Draws have the correlations and hold the orders. Each column keeps its
// distribution.
func TestDrawsOfSeveralColumns(t *testing.T) {
	const rows, draws = 400, 640
	row := func(g random.Generator, i uint64, x float64) (y [6]float64) {
		z, all := g.Normal(i, 1), float64(g.IntN(i, 20, 6))
		low := 2*x + z
		return [6]float64{low, low + math.Exp(-2+2*x+0.7*g.Normal(i, 2)), 1 - x - 0.6*z + 0.8*g.Normal(i, 3), g.Normal(i, 4),
			math.Floor(g.Float(i, 21) * (all + 1)), all}
	}
	g := random.New(4, random.Data)
	var lines []string
	for i := range uint64(rows) {
		x := g.Float(i, 0)
		y := row(g, i, x)
		lines = append(lines, fmt.Sprintf("%.4f,%.5f,%.5f,%.5f,%.5f,%g,%g", x, y[0], y[1], y[2], y[3], y[4], y[5]))
	}
	f := instant(t, "x,low,high,other,alone,part,all", "low + high + other + alone + part + all ~ x", lines)
	for _, x := range []float64{0.1, 0.9} {
		y, p := drawnOf(t, f, draws, points.Question{Targets: points.New(1, 0, []float64{x}, nil)})
		var truth [6][]float64
		for i := range uint64(20_000) {
			for c, v := range row(random.New(6, random.Data), i, x) {
				truth[c] = append(truth[c], v)
			}
		}
		for c := range 4 {
			for k := range c {
				// Four standard errors of the 400 rows, of which at least 320 are asked for, and of the draws.
				if got, want := ranked(y[k], y[c]), ranked(truth[k], truth[c]); math.Abs(got-want) > 4*math.Sqrt(1./320+1./draws) {
					t.Errorf("at %v, %s and %s have a rank correlation of %.3f, want %.3f", x, f.Y[k], f.Y[c], got, want)
				}
			}
			for i, v := range slices.Sorted(slices.Values(y[c])) { // 1.95/√n is exceeded by one in a thousand
				if off := math.Abs(p.Channels[c].CDF(v) - (float64(i)+0.5)/draws); off > 1.95/math.Sqrt(draws) {
					t.Fatalf("at %v, draws of %s are off their distribution by %v", x, f.Y[c], off)
				}
			}
		}
		for i := range draws {
			if low, high := y[0][i], y[1][i]; low > high {
				t.Fatalf("at %v, low is %v and high %v", x, low, high)
			}
			if part, all := y[4][i], y[5][i]; part > all || part < 0 || part != math.Trunc(part) || all != math.Trunc(all) {
				t.Fatalf("at %v, part is %v of %v", x, part, all)
			}
		}
		if r := ranked(y[4], y[5]); r < 0.2 { // the rows have 0.6
			t.Errorf("at %v, part and all have a rank correlation of %.2f", x, r)
		}
	}
}

// Columns may go together in other ways between groups than within: levels of groups with 0.9, points around them with
// −0.9. Known points tell the level, so that what is left has the second correlation.
func TestDrawsOfSeveralColumnsByKnownPoints(t *testing.T) {
	g := random.New(8, random.Data)
	row := func(i, k uint64) (a, b float64) {
		u, e := g.Normal(i, 0), g.Normal(i, 100+10*k)
		return 3*u + e, 3*(0.9*u+0.44*g.Normal(i, 1)) - 0.9*e + 0.44*g.Normal(i, 101+10*k)
	}
	var rows []string
	for i := range uint64(50) {
		for k := range uint64(6) {
			a, b := row(i, k)
			rows = append(rows, fmt.Sprintf("%d,%.4f,%.4f,%.4f", i, g.Float(i, 500+k), a, b))
		}
	}
	f := instant(t, "group,x,a,b", "a + b ~ x | group", rows)
	const draws = 640
	asked := points.Question{Known: points.New(1, 2, nil, nil), Targets: points.New(1, 0, []float64{0.5}, nil)}
	y, _ := drawnOf(t, f, draws, asked)
	// (9·0.9 − 0.9)/10 = 0.72; 50 groups have a standard error of about 0.07, and 640 draws of 0.03.
	if r := ranked(y[0], y[1]); math.Abs(r-0.7) > 0.3 {
		t.Errorf("of a new group the rank correlation is %.2f, want 0.7", r)
	}
	dir := t.TempDir()
	must.Do(t, f.Write(dir))
	if again, _ := drawnOf(t, must.Get(answer.Read(dir))(t), draws, asked); !slices.Equal(slices.Concat(again...), slices.Concat(y...)) {
		t.Error("draws of what was written and read are others")
	}
	damaged := *f.Fit
	damaged.Together = []file.Together{{Copula: &likelihood.Copula{Outcomes: 3, Ranks: []int{0, 0, 0}}}}
	must.Do(t, damaged.Write(dir))
	must.Refuse(t, must.Err(answer.Read(dir)), "together: found a damaged copula")
	for k := range uint64(6) {
		a, b := row(70, k)
		asked.Known.X, asked.Known.Y = append(asked.Known.X, g.Float(70, 500+k)), append(asked.Known.Y, a, b)
	}
	y, _ = drawnOf(t, f, draws, asked)
	// Two to five known points, as groups of six are asked with, tell levels to within 0.45 to 0.7: the correlation of
	// −0.9 becomes −0.75 to −0.3.
	if r := ranked(y[0], y[1]); r > -0.2 {
		t.Errorf("with six known points the rank correlation is %.2f, want about −0.5", r)
	}
}
