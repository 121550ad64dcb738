package fit_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/acqnp/acqnp/internal/fit"
	"github.com/acqnp/acqnp/internal/fit/answer"
	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/random"
)

// orders are the same 60 rows of 10 groups: with their columns, with the rows in another order, and with the columns of x
// and of y in another order, also in the formula.
func orders() map[string]struct {
	header, formula string
	rows            []string
} {
	g := random.New(11, random.Data|random.Validation)
	var rows, swapped []string
	for k := range 10 {
		for i := range 6 {
			step := uint64(6*k + i)
			b, a := math.Round(20*g.Float(step, 0))/2, math.Round(8*g.Float(step, 1))
			y := 3 + g.Normal(uint64(1000+k), 0) + 0.3*a - 0.1*b + 0.4*g.Normal(step, 2)
			z := max(0, y-3.5+0.5*g.Normal(step, 8))
			rows = append(rows, fmt.Sprintf("g%d,%v,%v,%.3f,%.3f", k, b, a, z, y))
			swapped = append(swapped, fmt.Sprintf("g%d,%v,%v,%.3f,%.3f", k, a, b, y, z))
		}
	}
	mixed, at := make([]string, len(rows)), make([]int, len(rows))
	g.Perm(7, at)
	for i, k := range at {
		mixed[i] = rows[k]
	}
	type data = struct {
		header, formula string
		rows            []string
	}
	return map[string]data{
		"as it is": {"g,b,a,z,y", "z + y ~ b + a | g", rows}, "other rows": {"g,b,a,z,y", "z + y ~ b + a | g", mixed},
		"other columns": {"g,a,b,y,z", "y + z ~ a + b | g", swapped},
	}
}

// asked returns the calibrated probabilities and quantiles of z and y at b = 4, a = 2 for a new group with two known points,
// of which one has no z.
func asked(t *testing.T, f answer.Predictor) (all []float64) {
	t.Helper()
	none := math.NaN()
	x := map[string][]float64{"b": {1, 6, 4}, "a": {3, 5, 2}}
	y := map[string][]float64{"z": {0.5, none}, "y": {3.5, 4.4}}
	q := points.Question{Known: points.New(2, 2, nil, nil), Targets: points.New(2, 0, nil, nil)}
	for i := range 3 {
		for _, name := range f.X {
			if v := x[name][i]; i < 2 {
				q.Known.X = append(q.Known.X, v)
			} else {
				q.Targets.X = append(q.Targets.X, v)
			}
		}
		for _, name := range f.Y {
			if i < 2 {
				q.Known.Y = append(q.Known.Y, y[name][i])
			}
		}
	}
	for target, err := range f.Predict(t.Context(), []points.Question{q}) {
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"z", "y"} {
			c := slices.Index(f.Y, name)
			d, known := target.Channels[c].Distribution, target.KnownOf(c)
			if want := map[string]int{"z": 1, "y": 2}[name]; known != want {
				t.Errorf("%d known values of %s, want %d", known, name, want)
			}
			levels, masses := f.Calibrated().Corrected(c, known, []float64{0.001, 0.05, 0.5, 0.95}, []float64{0.5, 0.9})
			all = append(append(all, likelihood.ApproximateQuantiles(d, levels...)...), masses...)
			for _, at := range []float64{-100, 0, 2, 4, 100} {
				all = append(all, f.Calibrated().CDF(c, known, d.CDF(at)), f.Calibrated().Survival(c, known, d.Survival(at)))
			}
		}
	}
	return all
}

// Rows in another order give the same numbers to the last bit. Columns in another order change the order of sums in
// optimisers, which end within some 1e-7 of one another: a hundredth of a percent is far below any error.
func TestOrderChangesNoCalibratedNumber(t *testing.T) {
	var first []float64
	all := orders()
	for _, name := range []string{"as it is", "other rows", "other columns"} {
		one := all[name]
		got := asked(t, fitRows(t, fit.Options{Instant: true, Budget: 0.3}, one.header, one.formula, one.rows))
		if first == nil {
			first = got
		}
		for i, v := range got {
			if d := math.Abs(v - first[i]); d > 1e-4*(1+math.Abs(first[i])) || name == "other rows" && d != 0 {
				t.Errorf("%s: number %d is %v, want %v", name, i, v, first[i])
			}
		}
	}
}
