package likelihood_test

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"

	"github.com/acqnp/acqnp/internal/likelihood"
)

// integrateAbove0 returns ∫ f(y) dy from exp(−reach) to exp(reach). The intervals end at the places
// exp(kinks) and are small in log y, so that the Gauss-Legendre rule is exact up to rounding.
func integrateAbove0(f func(y float64) float64, kinks []float64, reach float64) float64 {
	ends := slices.Clone(kinks)
	for z := -reach; z <= reach; z += 0.02 {
		ends = append(ends, z)
	}
	slices.Sort(ends)
	sum := 0.0
	for i := 1; i < len(ends); i++ {
		if ends[i] > ends[i-1] {
			sum += quad.Fixed(f, math.Exp(ends[i-1]), math.Exp(ends[i]), 16, quad.Legendre{}, 0)
		}
	}
	return sum
}

// The density of exp(Z) includes the Jacobian: it integrates to 1 over y, and its moments are the
// stated ones. Those of the mixture count values above the 0.99 quantile as that quantile.
func TestExpIsADistributionOfY(t *testing.T) {
	for seed := range uint64(2) {
		raw, z := raw(seed, 4, 1)
		components, _ := parts(raw, z, 1, 0)
		var kinks []float64
		for _, c := range components {
			kinks = append(kinks, c.Location)
		}
		units := likelihood.Units{Factor: 0.4, Offset: 1} // scales that have their tails within exp(±80)
		for i := range kinks {
			kinks[i] = 0.4*kinks[i] + 1
		}
		mixture := likelihood.NewMixture(raw, z, 1, 0, paper).In(units)
		gaussians := gaussianMixture(raw[:8], 1, 0, floor).In(units)
		for name, part := range map[string]likelihood.Distribution{"mixture": mixture, "Gaussians": gaussians,
			"Gaussians with tails": tailed(2, 0.4)} {
			d := likelihood.ExpOf(part)
			p := func(y float64) float64 { return math.Exp(d.LogDensity(y)) }
			// 1e-9: 8000 intervals of rounding error 1e-13 at most.
			near(t, name+" ∫ density", integrateAbove0(p, kinks, 80), 1, 1e-9)
			most := math.Inf(1)
			if name != "Gaussians" {
				most = d.Quantile(0.99)
				kinks = append(kinks, math.Log(most))
			}
			moment := func(k float64) float64 {
				return integrateAbove0(func(y float64) float64 { return math.Pow(math.Min(y, most), k) * p(y) }, kinks, 80)
			}
			near(t, name+" mean", d.Mean(), moment(1), 1e-9)
			near(t, name+" variance", d.Variance(), moment(2)-moment(1)*moment(1), 1e-8)
			for _, q := range probabilities {
				// exp and log each round once.
				if y := d.Quantile(q); y < math.MaxFloat64 {
					near(t, name+" CDF of the quantile", d.CDF(y)+d.Survival(y), 1, 1e-14)
					near(t, name+" quantile", math.Log(y), part.Quantile(q), 1e-12)
				}
			}
			for y := 0.13; y < 20; y *= 1.3 {
				const h = 1e-5
				near(t, name+" dCDF/dy", (d.CDF(y+h*y)-d.CDF(y-h*y))/(2*h*y), p(y), 1e-6)
			}
			for _, y := range []float64{0, -1} {
				if d.CDF(y) != 0 || d.Survival(y) != 1 || !math.IsInf(d.LogDensity(y), -1) {
					t.Errorf("%s at %g: CDF %g, survival %g, log density %g", name, y, d.CDF(y), d.Survival(y), d.LogDensity(y))
				}
			}
		}
	}
}

// Without a finite mean of exp(Z), the stated one is still finite, and it lies among the quantiles.
func TestExpOfALongTailHasAMean(t *testing.T) {
	for _, scale := range []float64{0.3, 0.5, 0.7, 3} { // τ = 0.5: above 0.5 there is no mean, and at 0.5 a rate is 0
		z := likelihood.MixtureOf([]likelihood.AsymmetricLaplace{{Location: 2, Scale: scale}}, []float64{0})
		d := likelihood.ExpOf(z)
		if m := d.Mean(); !(m > d.Quantile(0.5) && m < d.Quantile(0.99)) {
			t.Errorf("σ = %g: mean %g, median %g, 0.99 quantile %g", scale, m, d.Quantile(0.5), d.Quantile(0.99))
		}
		finite(t, "variance", d.Variance())
	}
}

// tailed returns a Gaussian with tails: a tenth of it is three times as wide, and a hundredth nine times.
func tailed(mean, scale float64) likelihood.GaussianMixture {
	return likelihood.WeightedGaussians([]likelihood.Gaussian{{Mean: mean, Scale: scale}, {Mean: mean, Scale: 3 * scale}, {Mean: mean, Scale: 9 * scale}},
		[]float64{math.Log(0.89), math.Log(0.1), math.Log(0.01)})
}

// Tails around a log y that is hardly known make no mean of their own, and none that is not finite.
func TestExpOfTailsHasAMean(t *testing.T) {
	for _, scale := range []float64{0.5, 1, 3, 20, 40} {
		d := likelihood.ExpOf(tailed(2, scale))
		if m := d.Mean(); !(m > d.Quantile(0.5) && m < d.Quantile(0.99)) {
			t.Errorf("σ = %g: mean %g, median %g, 0.99 quantile %g", scale, m, d.Quantile(0.5), d.Quantile(0.99))
		}
		finite(t, "variance", d.Variance())
	}
}

// A long tail of log y can reach beyond the largest float64. No moment is NaN then.
func TestExpBeyondFloat64(t *testing.T) {
	d := likelihood.ExpOf(likelihood.MixtureOf([]likelihood.AsymmetricLaplace{{Scale: 1}, {Location: -3, Scale: 2, Logit: -7}}, []float64{0, 0}))
	if mean, variance := d.Mean(), d.Variance(); !math.IsInf(mean, 1) || !math.IsInf(variance, 1) {
		t.Errorf("mean %g, variance %g, want +Inf", mean, variance)
	}
	half := likelihood.ExpOf(likelihood.MixtureOf([]likelihood.AsymmetricLaplace{{Scale: 1}, {Location: -3, Scale: 2, Logit: -4}}, []float64{0, 0}))
	if mean, variance := half.Mean(), half.Variance(); !(mean < math.MaxFloat64) || !math.IsInf(variance, 1) {
		t.Errorf("mean %g, variance %g, want a number and +Inf", mean, variance)
	}
}
