package likelihood_test

import (
	"math"
	"testing"

	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/random"
)

var laplaces = []likelihood.AsymmetricLaplace{
	{Location: 0, Scale: 1, Logit: 0},
	{Location: -1.5, Scale: 0.3, Logit: 2},
	{Location: 2, Scale: 0.01, Logit: -3.5},
	{Location: 0.1, Scale: 20, Logit: 0.4},
}

// spread returns the distance at which the slower tail of d has fallen to e⁻⁷⁰.
func spread(d likelihood.AsymmetricLaplace) float64 {
	return 70 * d.Scale * (1 + math.Exp(math.Abs(d.Logit)))
}

func TestLaplaceDensityMomentsAndDistributionFunction(t *testing.T) {
	for _, c := range laplaces {
		d := equalWeights(c)
		// 1e-12: thousands of terms of rounding error 1e-16, and some cancellation between the
		// tails.
		checkMoments(t, d, []float64{c.Location}, c.Scale, spread(c), 1e-12)

		tau := 1 / (1 + math.Exp(-c.Logit))
		near(t, "mean by the paper's formula", d.Mean(), c.Location+(1-2*tau)/(tau*(1-tau))*c.Scale, 1e-12)
		near(t, "CDF at the location", d.CDF(c.Location), tau, 1e-15)
		for _, y := range []float64{-3, -1.5, 0, 0.1, 1.99, 2.01, 7} {
			e := y - c.Location
			near(t, "log density by the paper's formula", d.LogDensity(y), math.Log(naive(c, y)), 1e-10)
			near(t, "CDF + survival", d.CDF(y)+d.Survival(y), 1, 1e-15)
			if h := 1e-5 * c.Scale; math.Abs(e) > h {
				// The rounding of y ± h dominates: 1e-15/h = 1e-8 of the density, which is at most
				// 0.25/σ.
				slope := (d.CDF(y+h) - d.CDF(y-h)) / (2 * h)
				near(t, "dCDF/dy·σ", slope*c.Scale, math.Exp(d.LogDensity(y))*c.Scale, 3e-9)
			}
		}
	}
}

func TestLaplaceQuantileInvertsTheDistributionFunction(t *testing.T) {
	for _, logit := range []float64{-100, -30, -3, -0.1, 0, 1, 5, 40, 100} {
		d := equalWeights(likelihood.AsymmetricLaplace{Scale: 0.7, Logit: logit})
		last := math.Inf(-1)
		for _, p := range append([]float64{1e-300}, probabilities...) {
			y := d.Quantile(p)
			finite(t, "quantile", y)
			// Relative to both tails. 1e-10: one unit in the last place of p next to 1 is 1e-4 of
			// the tail 1e-12.
			if p < 0.5 {
				near(t, "CDF(quantile)/p", d.CDF(y)/p, 1, 1e-10)
			} else {
				near(t, "survival(quantile)/(1-p)", d.Survival(y)/(1-p), 1, 1e-10)
			}
			if y < last {
				t.Errorf("logit %g: quantile(%g) = %g lies below the one before, %g", logit, p, y, last)
			}
			last = y
		}
	}
}

func TestLaplaceQuantilesOfNeighbouringLevelsDoNotCrossAtTheKink(t *testing.T) {
	for logit := -6.0; logit < 6; logit += 0.01 {
		d := equalWeights(likelihood.AsymmetricLaplace{Scale: 0.7, Logit: logit})
		p := likelihood.Sigmoid(logit)
		for range 20 {
			p = math.Nextafter(p, 0)
		}
		for range 40 {
			next := math.Nextafter(p, 1)
			if d.Quantile(next) < d.Quantile(p) {
				t.Errorf("logit %g: quantiles cross at p = %.17g", logit, p)
			}
			p = next
		}
	}
}

func TestLaplaceQuantileAtTheEnds(t *testing.T) {
	for _, c := range laplaces {
		d := equalWeights(c)
		checkEnds(t, d)
		// The ends of a generator's range are draws like any other.
		finite(t, "draw", d.Draw(0, 0), d.Draw(0, 1-0x1p-24))
	}
}

func TestLaplaceDraws(t *testing.T) {
	for i, c := range laplaces {
		d, g := equalWeights(c), random.New(uint64(i), random.Draws)
		checkDraws(t, d, func(j uint64) float64 { return d.Draw(0.5, g.Float(0, j)) })
	}
}
