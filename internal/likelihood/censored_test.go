package likelihood_test

import (
	"math"
	"testing"

	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/points"
)

// Of a side of a limit the log density is the log probability; strict limits of whole numbers leave the limit out. Outcomes
// drawn beyond a limit have the levels of those there.
func TestSidesOfLimits(t *testing.T) {
	normal := likelihood.GaussianMixtureOf([]likelihood.Gaussian{{Mean: 3, Scale: 2}})
	phi := func(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }
	whole := likelihood.Support{Whole: true}.Of(normal)
	for _, c := range []struct {
		d     likelihood.Distribution
		limit float64
		side  int8
		p     float64
	}{
		{normal, 4, points.Below, phi(0.5)}, {normal, 4, points.AtMost, phi(0.5)}, {normal, 4, points.Above, phi(-0.5)}, {normal, 4, points.AtLeast, phi(-0.5)},
		{whole, 4, points.Below, phi(0.25)}, {whole, 4, points.AtMost, phi(0.75)}, {whole, 4, points.Above, phi(-0.75)}, {whole, 4, points.AtLeast, phi(-0.25)},
		{whole, 4.5, points.AtMost, phi(0.75)},
	} {
		if got := likelihood.LogKnown(c.d, c.limit, c.side); math.Abs(got-math.Log(c.p)) > 1e-12 {
			t.Errorf("side %d of %v: %v, want %v", c.side, c.limit, got, math.Log(c.p))
		}
		for _, u := range []float64{0.1, 0.5, 0.9} {
			y := likelihood.QuantileKnown(normal, c.limit, c.side, u)
			if rest := likelihood.PITKnown(normal, c.limit, c.side, u); math.Abs(normal.CDF(y)-rest) > 1e-9 || (y-c.limit)*float64(c.side) < 0 {
				t.Errorf("level %v of side %d of %v is %v, of the PIT %v", u, c.side, c.limit, y, rest)
			}
		}
	}
	zero := 0.0
	if got := likelihood.LogKnown(likelihood.Support{Low: &zero}.Of(normal), 0, points.Below); !math.IsInf(got, -1) {
		t.Errorf("less than the least value has the log probability %v", got)
	}
}
