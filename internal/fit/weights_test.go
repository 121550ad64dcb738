package fit_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/fit"
	"github.com/acqnp/acqnp/internal/fit/answer"
	"github.com/acqnp/acqnp/internal/invalid/warning"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/test/must"
)

// weighted appends a weight to each row.
func weighted(rows []string, of func(i int) string) (all []string) {
	for i, row := range rows {
		all = append(all, row+","+of(i))
	}
	return all
}

// Rows of weight 0 are as if they were not there, with a line, and weights of 1 change nothing but rounding.
func TestWeightsOfNoneAndOfOne(t *testing.T) {
	t.Parallel()
	u := unit{1, 0, 1, 0}
	rows := crossing(16, u)
	plain := crossed(t)
	far := append(weighted(rows, func(int) string { return "1" }), "p3,0,900,0", "p99,1,-500,0")
	var w warning.Record
	f := fitRows(t, fit.Options{Instant: true, Weights: "w", Warnings: &w}, "id,x,y,w", "y ~ x | id", far)
	if f.Rows != plain.Rows || f.Weight != float64(plain.Rows) || f.RowWeights != "w" {
		t.Errorf("%d rows of weight %v by %q, want %d", f.Rows, f.Weight, f.RowWeights, plain.Rows)
	}
	if lines := strings.Join(w.Lines(), "\n"); !strings.Contains(lines, "data.csv: left out 2 rows of weight 0") || !strings.Contains(lines, "reads each row once") {
		t.Errorf("found %q", lines)
	}
	want := given(t, plain, u.known())
	for i, d := range given(t, f, u.known()) {
		if math.Abs(d.Mean()-want[i].Mean()) > 1e-9 || math.Abs(d.Variance()-want[i].Variance()) > 1e-9 {
			t.Errorf("target %d: %v of variance %v, want %v of %v", i, d.Mean(), d.Variance(), want[i].Mean(), want[i].Variance())
		}
	}
	if a, b := f.Stacks[0].Expected, plain.Stacks[0].Expected; math.Abs(a.LogDensity-b.LogDensity) > 1e-9 || math.Abs(a.Error-b.Error) > 1e-9 || math.Abs(a.CRPS-b.CRPS) > 1e-9 {
		t.Errorf("scores %+v, want %+v", a, b)
	}
}

// Weights pull the predictions and say which rows the scores are of: of two kinds of rows, 3 apart, the upper one weighs
// 9 times as much. One group is cut by points.
func TestWeightsPull(t *testing.T) {
	t.Parallel()
	for _, groups := range []int{16, 1} {
		var rows []string
		for i := range 16 * 8 {
			y, weight := 0.3*math.Sin(float64(7*i)), 1
			if i%2 == 1 {
				y, weight = y+3, 9
			}
			rows = append(rows, fmt.Sprintf("g%d,%v,%v,%d", i/8%groups, math.Mod(float64(i)*0.618, 1), y, weight))
		}
		of := func(column string) (mean, share float64, f answer.Predictor) {
			f = fitRows(t, fit.Options{Weights: column, Budget: 0.3}, "g,x,y,w", "y ~ x | g", rows)
			d := given(t, f, points.Question{Targets: points.New(1, 0, []float64{0.5}, nil)})[0]
			return d.Mean(), d.Survival(1.5), f
		}
		plain, half, a := of("")
		pulled, most, b := of("w")
		// The shares of the upper kind are 0.5 and 0.9, and the means 1.5 and 2.7.
		if math.Abs(plain-1.5) > 0.3 || math.Abs(pulled-2.7) > 0.35 || most < half+0.2 {
			t.Errorf("%d groups: means of %v and, weighted, %v; shares above of %v and %v", groups, plain, pulled, half, most)
		}
		if c, d := a.Stacks[0].Expected.CRPS, b.Stacks[0].Expected.CRPS; d > 0.9*c {
			t.Errorf("%d groups: a CRPS of %v, weighted %v: most of the weight lies on one kind", groups, c, d)
		}
		for _, share := range []float64{b.Stacks[0].Expected.Coverage.Ninety, b.Stacks[0].Expected.Regions.Ninety} {
			if share < 0.75 {
				t.Errorf("%d groups: intervals of 90%% hold %v", groups, share)
			}
		}
	}
}

// The scale of weights says nothing: counts of thousands of people, or shares of one, give the predictions and the scores
// of the same weights near 1, but for rounding.
func TestWeightsTimesAConstant(t *testing.T) {
	t.Parallel()
	u := unit{1, 0, 1, 0}
	rows := crossing(16, u)
	of := func(scale float64) answer.Predictor {
		return fitRows(t, fit.Options{Instant: true, Weights: "w"}, "id,x,y,w", "y ~ x | id",
			weighted(rows, func(i int) string { return fmt.Sprint(scale * float64(1+i%4)) }))
	}
	plain := of(1)
	want := given(t, plain, u.known())
	for _, scale := range []float64{3000, 1e-6} {
		f := of(scale)
		if got, sum := f.Weight, scale*plain.Weight; math.Abs(got-sum) > 1e-9*sum {
			t.Errorf("times %v: the rows count as %v, want %v", scale, got, sum)
		}
		for i, d := range given(t, f, u.known()) {
			if math.Abs(d.Mean()-want[i].Mean()) > 1e-6 || math.Abs(d.Variance()-want[i].Variance()) > 1e-6 {
				t.Errorf("times %v, target %d: %v of variance %v, want %v of %v", scale, i, d.Mean(), d.Variance(), want[i].Mean(), want[i].Variance())
			}
		}
		if a, b := f.Stacks[0].Expected, plain.Stacks[0].Expected; math.Abs(a.LogDensity-b.LogDensity) > 1e-6 || math.Abs(a.CRPS-b.CRPS) > 1e-6 {
			t.Errorf("times %v: scores %+v, want %+v", scale, a, b)
		}
	}
}

// A negative or missing weight is refused, with its line; so is a column that is in the formula.
func TestBadWeightsAreRefused(t *testing.T) {
	t.Parallel()
	for cell, want := range map[string]string{
		"-1": `data.csv:3: w: found "-1", expected a row weight: a number of 0 or more`, "": "data.csv:3: w: found nothing, expected a row weight",
		"NA": `data.csv:3: w: found "NA"`, "two": `data.csv:3: w: found "two"`,
	} {
		rows := weighted(crossing(4, unit{1, 0, 1, 0}), func(i int) string { return []string{"1", cell, "2"}[min(i, 2)] })
		for column, want := range map[string]string{"w": want, "x": "--row-weights: found x, which is in the formula"} {
			_, err := try(t, fit.Options{Instant: true, Weights: column}, "id,x,y,w", "y ~ x | id", rows)
			must.Refuse(t, err, want)
		}
	}
}
