package effects_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/fit/answer"
	"github.com/acqnp/acqnp/internal/fit/effects"
	"github.com/acqnp/acqnp/internal/fit/fittest"
	"github.com/acqnp/acqnp/internal/invalid/warning"
	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/random"
	"github.com/acqnp/acqnp/internal/test/must"
)

// The parts of y = strong·x1 + weak·x2 + a group's own + noise; kind c is above a and b, and x3 is not in it.
const (
	strong  = 1.0
	weak    = 0.3
	ofKind  = 0.8
	ofGroup = 0.5
	noise   = 0.4
)

// matters draws rows of groups, with x1 to x3 from −2 to 2. In the last row, which has no y, same differs.
func matters(groups int) (rows []string) {
	g := random.New(31, random.Data)
	for k := range uint64(groups) {
		for i := range uint64(10) {
			var x [3]float64
			for c := range x {
				x[c] = 4*g.Float(k, 10*i+uint64(c)) - 2
			}
			kind := g.IntN(k, 10*i+3, 3)
			y := strong*x[0] + weak*x[1] + ofGroup*g.Normal(1000+k, 0) + noise*g.Normal(2000+k, i)
			if kind == 2 {
				y += ofKind
			}
			rows = append(rows, fmt.Sprintf("g%d,%v,%v,%v,%c,1,%v", k, x[0], x[1], x[2], 'a'+kind, y))
		}
	}
	return append(rows, "g0,0,0,0,a,2,")
}

const mattersHeader = "group,x1,x2,x3,kind,same,y"

// Of a line, the importance of its slopes has their order, and that of a column that is not in it is within 3.3
// standard errors of 0, as 999 of 1000 such data are; a column with one value in all rows is exactly 0. With rows of groups and without: there folds are
// of points.
func TestWhatMatters(t *testing.T) {
	f := fittest.Instant(t, mattersHeader, "y ~ x1 + x2 + x3 + kind + same | group", matters(30))
	checkImportance(t, f)
	checkEffects(t, f)
	checkImportance(t, fittest.Instant(t, mattersHeader, "y ~ x1 + x2 + x3 + kind + same", matters(15)))
}

func checkImportance(t *testing.T, f answer.Predictor) {
	t.Helper()
	one := must.Get(effects.Importances(t.Context(), f, 2, fittest.Quiet))(t)[0]
	x1, x2, x3, kind, same := one.Columns[0], one.Columns[1], one.Columns[2], one.Columns[3], one.Columns[4]
	beyond := func(what string, a, b effects.Loss) {
		t.Helper()
		if !(a.Loss-b.Loss > 2*math.Hypot(a.Error, b.Error)) {
			t.Errorf("%s: %s: %v and %v", f.Formula, what, a, b)
		}
	}
	beyond("x1 above x2", x1, x2)
	beyond("x2 above nothing", x2, effects.Loss{})
	beyond("kind above nothing", kind, effects.Loss{})
	if !(math.Abs(x3.Loss) <= 3.3*x3.Error) || same != (effects.Loss{}) {
		t.Errorf("%s: x3, which is nowhere, loses %v, and a constant %v", f.Formula, x3, same)
	}
	if one.Known != nil {
		beyond("known points above nothing", *one.Known, effects.Loss{})
	}
	if e := f.Stacks[0].Expected; !(math.Abs(one.LogDensity-e.LogDensity) < 2*e.Error) {
		t.Errorf("%s: %v nats of parts out of fold, of the fit %v", f.Formula, one.LogDensity, e)
	}
}

// A column that is the same in all rows of a group is shuffled among groups: among rows, the models would see what no
// group of the data has.
func TestImportanceOfAColumnOfGroups(t *testing.T) {
	g := random.New(5, random.Data)
	var rows []string
	for k := range uint64(40) {
		z := 2*g.Float(k, 0) - 1
		for i := range uint64(5) {
			rows = append(rows, fmt.Sprintf("g%d,%v,%v,%v", k, z, g.Float(k, 10+i), z+0.3*g.Normal(k, i)))
		}
	}
	f := fittest.Instant(t, "group,z,x,y", "y ~ z + x | group", rows)
	one := must.Get(effects.Importances(t.Context(), f, 2, fittest.Quiet))(t)[0]
	if z, x := one.Columns[0], one.Columns[1]; !(z.Loss > 4*z.Error) || !(math.Abs(x.Loss) <= 2*x.Error) {
		t.Errorf("z loses %v, x, which is nowhere, %v", z, x)
	}
}

// The medians follow the line within three standard errors of its parts: of a slope, of the means of names, and of the
// level of all groups. They do so less the mean of the other columns over 32 rows, which is the same at all x. Intervals
// of 90% are as wide as the deviation of a new group's y says, to a fifth: they are calibrated on 30 groups.
func checkEffects(t *testing.T, f answer.Predictor) {
	t.Helper()
	all := must.Get(effects.Along(t.Context(), f, 2))(t)[0]
	const n = 300
	ofSlope := 2 * noise / math.Sqrt(n*4/3.) // twice: models have curves, not lines, and x has a variance of 4/3
	ofName := math.Sqrt2 * noise / math.Sqrt(n/3.)
	rise := func(e effects.Effect, from, to int) float64 {
		return e.Points[to].Quantiles[2] - e.Points[from].Quantiles[2]
	}
	near := func(what string, got, want, deviation float64) {
		if !(math.Abs(got-want) < 3*deviation) {
			t.Errorf("%s: %v, want %v within %v", what, got, want, 3*deviation)
		}
	}
	for c, slope := range []float64{strong, weak, 0} {
		e := all[c]
		last := len(e.Points) - 1
		length := e.Points[last].X - e.Points[0].X
		near(fmt.Sprintf("x%d from end to end", c+1), rise(e, 0, last), slope*length, ofSlope*length)
		near(fmt.Sprintf("x%d to its middle", c+1), rise(e, 0, last/2), slope*length/2, ofSlope*length)
		// The change has the error of a slope, by a jackknife of 5 folds, whose own error is a third, and of curved models.
		exact := noise * length / math.Sqrt(n*4/3.)
		near(fmt.Sprintf("the change along x%d", c+1), e.Change.Change, slope*length, 2*exact)
		if r := e.Change.Error / exact; !(r > 0.3 && r < 4) {
			t.Errorf("the change along x%d is %v ± %v, of a line ± %v", c+1, e.Change.Change, e.Change.Error, exact)
		}
		if len(e.Tenths) != 9 {
			t.Errorf("x%d has tenths at %v", c+1, e.Tenths)
		}
		q, want := e.Points[last/2].Quantiles, 2*1.645*math.Hypot(ofGroup, noise)
		if width := q[4] - q[0]; !(math.Abs(width/want-1) < 0.2) {
			t.Errorf("x%d: 90%% is %v wide, want %v", c+1, width, want)
		}
	}
	near("kind b above a", rise(all[3], 0, 1), 0, ofName)
	near("kind c above a", rise(all[3], 0, 2), ofKind, ofName)
	if all[3].Change != nil {
		t.Errorf("three names have a change %v", all[3].Change)
	}
	if same := all[4]; len(same.Points) != 1 || same.Points[0].X != 1 || same.Change != nil {
		t.Errorf("a constant is shown at %v", same.Points)
	}
}

// A period is shown whole and closes; missing cells have a place of their own, last; an offset has no effect, and a line
// says so.
func TestEffectsOfTerms(t *testing.T) {
	g := random.New(9, random.Data)
	var rows []string
	for k := range uint64(24) {
		for i := range uint64(8) {
			hour, lab, days, y := 20*g.Float(k, 10*i), "", 1+9*g.Float(k, 10*i+1), 1.5
			if g.Float(k, 10*i+2) < 0.7 {
				lab, y = fmt.Sprint(g.Float(k, 10*i+3)), 0
			}
			y += 3 + math.Cos(2*math.Pi*hour/24) + 0.2*g.Normal(k, i)
			rows = append(rows, fmt.Sprintf("g%d,%v,%s,%v,%v", k, hour, lab, days, y*days))
		}
	}
	f := fittest.Instant(t, "group,hour,lab,days,y", "y ~ cyclic(hour, 24) + lab + offset(log(days)) | group", rows)
	all := must.Get(effects.Along(t.Context(), f, 1))(t)[0]
	if len(all) != 2 {
		t.Fatalf("%d effects", len(all))
	}
	hour, lab := all[0].Points, all[1].Points
	first, last := hour[0], hour[len(hour)-1]
	if first.X != 0 || last.X != 24 || !(math.Abs(first.Quantiles[2]-last.Quantiles[2]) < 1e-9*last.Quantiles[2]) {
		t.Errorf("a day runs from %v to %v", first, last)
	}
	if missing, known := lab[len(lab)-1], lab[0]; !math.IsNaN(missing.X) || !(missing.Quantiles[2] > known.Quantiles[4]) {
		t.Errorf("missing is %v, known %v", missing, known)
	}
	var w warning.Record
	effects.Warn(f, &w)
	if lines := strings.Join(w.Lines(), "\n"); lines != "days is an offset alone: the formula says what it does" {
		t.Error(lines)
	}
}

// Of y = exp(0.5·treated + …) models see log y: a column of 0 and 1 has two points, and its effect is a ratio.
func TestEffectOnTheLogScale(t *testing.T) {
	g := random.New(12, random.Data)
	var rows []string
	for k := range uint64(40) {
		for i := range uint64(6) {
			treated := g.IntN(k, 10*i, 2)
			rows = append(rows, fmt.Sprintf("g%d,%d,%v", k, treated, math.Exp(5+0.5*float64(treated)+0.5*g.Normal(k, 100)+0.3*g.Normal(k, i))))
		}
	}
	f := fittest.Instant(t, "group,treated,y", "y ~ treated | group", rows)
	e := must.Get(effects.Along(t.Context(), f, 2))(t)[0][0]
	exact := 0.3 * math.Sqrt(4/240.)
	if len(e.Points) != 2 || e.Scale != likelihood.LogY || !(math.Abs(e.Change.Change-0.5) < 4*exact) || !(e.Change.Error < 4*exact) || !(e.Change.Error > 0.2*exact) {
		t.Errorf("%d points on the scale %q, change %v, of a line ± %v", len(e.Points), e.Scale, e.Change, exact)
	}
	// All rows are alike but for the column: the average is the prediction of a new group, to rounding.
	var err error
	if f.Fit, _, err = f.Main(); err != nil {
		t.Fatal(err)
	}
	d := must.Get(f.Distributions(t.Context(), points.Question{Targets: points.New(1, 0, []float64{1}, nil)}))(t)[0][0]
	levels, _ := f.Calibrated().Corrected(0, 0, effects.Levels[:], nil)
	for k, level := range levels {
		if got, want := e.Points[1].Quantiles[k], d.Quantile(level); !(math.Abs(got/want-1) < 1e-12) {
			t.Errorf("quantile %g of the treated is %v, predicted %v", effects.Levels[k], got, want)
		}
	}
	if low, centre, high := e.Band(e.Points[1]); !(low < centre && centre < high && low > 100) {
		t.Errorf("a band from %v over %v to %v", low, centre, high)
	}
}
