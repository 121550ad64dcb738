package fit_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/acqnp/acqnp/internal/fit/stack"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/random"
)

// claims draws the rows id, x, days, n, rate, shifted: n is rate times days, shifted is rate plus days.
func claims() (rows []string) {
	for k := range uint64(16) {
		g := random.New(9, random.Validation)
		level := 0.5 * g.Normal(k, 0)
		for i := range uint64(7) {
			x, days := 3*g.Float(k, 10+i), []float64{0.5, 1, 2, 4, 8}[g.IntN(k, 20+i, 5)]
			rate := math.Exp(1 + level + 0.3*x + 0.2*g.Normal(k, 30+i))
			rows = append(rows, fmt.Sprintf("c%d,%v,%v,%v,%v,%v", k, x, days, rate*days, rate, rate+days))
		}
	}
	return rows
}

// offset(log(days)) divides by days, whatever the scale of y, and offset(days) subtracts: the predictions are those of a
// fit to the column that the user would have made, in the units of the row, and so are the scores. Powers of 2 divide
// and multiply without rounding.
func TestOffsets(t *testing.T) {
	t.Parallel()
	rows := claims()
	const header = "id,x,days,n,rate,shifted"
	for asked, without := range map[string]string{
		"n ~ x + offset(log(days)) | id":      "rate ~ x | id",
		"log(n) ~ x + offset(log(days)) | id": "log(rate) ~ x | id",
	} {
		f, want := instant(t, header, asked, rows), instant(t, header, without, rows)
		if len(f.Stacks[0].Candidates) != len(want.Stacks[0].Candidates) {
			t.Fatalf("%s: %d candidates, want %d", asked, len(f.Stacks[0].Candidates), len(want.Stacks[0].Candidates))
		}
		of := predict.Function{ContextX: []float64{0.5, 2, 1, 8}, ContextY: []float64{2 * 4, 8 * 5}, TargetX: []float64{2, 1, 2, 30}}
		same := predict.Function{ContextX: []float64{0.5, 1}, ContextY: []float64{4, 5}, TargetX: []float64{2, 2}}
		all, one := given(t, f, of), given(t, want, same)
		for i, days := range []float64{1, 30} { // 30 days: an exposure that the data lack
			for _, p := range []float64{0.1, 0.5, 0.9} {
				if a, b := all[i].Quantile(p), one[i].Quantile(p)*days; math.Abs(a/b-1) > 1e-9 {
					t.Errorf("%s: a quantile of %v in %v days, want %v", asked, a, days, b)
				}
			}
			// The densities of y and of y/days differ by the factor.
			if a, b := all[i].LogDensity(6*days), one[i].LogDensity(6)-math.Log(days); math.Abs(a-b) > 1e-9 {
				t.Errorf("%s: a log density of %v in %v days, want %v", asked, a, days, b)
			}
		}
		// Scores are of n: less dense by the mean of log days, which is log 2 over all rows. That of the targets that
		// were asked about differs by a tenth of its deviation of 1.
		if a, b := f.Stacks[0].Expected, want.Stacks[0].Expected; math.Abs(b.LogDensity-a.LogDensity-math.Log(2)) > 0.3 || a.Coverage != b.Coverage {
			t.Errorf("%s: %v, of the rate %v; want a log density lower by about 0.7", asked, a, b)
		}
	}
	f := instant(t, header, "shifted ~ x + offset(days) | id", rows)
	a := given(t, f, predict.Function{ContextX: []float64{0.5, 2}, ContextY: []float64{6}, TargetX: []float64{2, 100}})[0]
	// No logarithm is taken of what is left, so the models of y alone predict.
	for _, c := range f.Stacks[0].Candidates {
		if c.Scale != stack.OfY {
			t.Errorf("%s of a difference", c.Name)
		}
	}
	if d := given(t, f, predict.Function{ContextX: []float64{0.5, 64}, ContextY: []float64{68}, TargetX: []float64{2, 0}})[0]; math.Abs(a.Mean()-d.Mean()-100) > 1e-6 || math.Abs(a.Variance()-d.Variance()) > 1e-6 {
		t.Errorf("%v ± %v at 100, %v ± %v at 0", a.Mean(), math.Sqrt(a.Variance()), d.Mean(), math.Sqrt(d.Variance()))
	}
}
