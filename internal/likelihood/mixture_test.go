package likelihood_test

import (
	"math"
	"testing"

	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/random"
)

func TestMixtureDensityMomentsAndDistributionFunction(t *testing.T) {
	for seed := range uint64(4) {
		raw, z := raw(seed, 5, 1)
		m := likelihood.NewMixture(raw, z, 1, 0, paper)
		components, _ := parts(raw, z, 1, 0)
		var kinks []float64
		scale, reach := math.Inf(1), 0.0
		for _, c := range components {
			kinks = append(kinks, c.Location)
			scale, reach = min(scale, c.Scale), max(reach, spread(c))
		}
		// 1e-12: thousands of terms of rounding error 1e-16.
		checkMoments(t, m, kinks, scale, reach, 1e-12)

		for y := -5.03; y < 5; y += 0.31 { // away from the kinks
			const h = 1e-5 // error h²f″/6 with f″ of the order 100 for the narrowest component, rounding 1e-11
			near(t, "dCDF/dy", (m.CDF(y+h)-m.CDF(y-h))/(2*h), math.Exp(m.LogDensity(y)), 1e-7)
			near(t, "CDF + survival", m.CDF(y)+m.Survival(y), 1, 1e-14)
		}
	}
}

func TestMixtureEqualsTheNaiveFormulas(t *testing.T) {
	const n, dy = 7, 3
	raw, z := raw(11, n, dy)
	for channel := range dy {
		m := likelihood.NewMixture(raw, z, dy, channel, paper)
		components, logits := parts(raw, z, dy, channel)
		total := 0.0
		for _, a := range logits {
			total += math.Exp(a)
		}
		mean := 0.0
		for k, c := range m.Components() {
			w := c.Weight
			near(t, "weight", w, math.Exp(logits[k])/total, 1e-14)
			tau := 1 / (1 + math.Exp(-z[k]))
			mean += w * (components[k].Location + (1-2*tau)/(tau*(1-tau))*components[k].Scale)
		}
		near(t, "mean", m.Mean(), mean, 1e-12)
		for y := -4.0; y <= 4; y += 0.25 {
			density, below := 0.0, 0.0
			for k, a := range logits {
				density += math.Exp(a) / total * naive(components[k], y)
				below += math.Exp(a) / total * equalWeights(components[k]).CDF(y)
			}
			near(t, "log density", m.LogDensity(y), math.Log(density), 1e-10)
			near(t, "CDF", m.CDF(y), below, 1e-14)
		}
	}
}

// saturated returns a mixture with levels at both ends, whose tails are e¹⁰⁰ wide, beside
// components of ordinary width.
func saturated() likelihood.Mixture {
	return likelihood.MixtureOf([]likelihood.AsymmetricLaplace{
		{Location: 0, Scale: 0.01, Logit: -100},
		{Location: 2, Scale: 0.5, Logit: 0.3},
		{Location: -1, Scale: 0.01, Logit: 100},
		{Location: 2, Scale: 0.01, Logit: -7},
	}, []float64{0.1, 0.7, 0.2, 1.3})
}

func TestMixtureQuantileInvertsTheDistributionFunction(t *testing.T) {
	mixtures := []likelihood.Mixture{saturated()}
	for seed := range uint64(6) {
		raw, z := raw(seed, 25, 1)
		if seed >= 3 {
			for k := range z {
				z[k] *= 10
			}
		}
		mixtures = append(mixtures, likelihood.NewMixture(raw, z, 1, 0, paper))
	}
	for i, m := range mixtures {
		for _, p := range probabilities {
			y := m.Quantile(p)
			finite(t, "quantile", y)
			// Exact to the rounding of 25 terms: p lies between the CDF at y and at the number
			// below y.
			below := math.Nextafter(y, math.Inf(-1))
			const slack = 1e-14
			if p <= 0.5 && !(m.CDF(below) <= p*(1+slack) && m.CDF(y) >= p*(1-slack)) {
				t.Errorf("mixture %d: quantile(%g) = %g, where CDF runs from %.17g to %.17g", i, p, y, m.CDF(below), m.CDF(y))
			}
			if q := 1 - p; p > 0.5 && !(m.Survival(below) >= q*(1-slack) && m.Survival(y) <= q*(1+slack)) {
				t.Errorf("mixture %d: quantile(1-%g) = %g, where survival runs from %.17g to %.17g", i, q, y, m.Survival(below), m.Survival(y))
			}
		}
		last := math.Inf(-1)
		for p := 0.0005; p < 1; p += 0.0007 {
			y := m.Quantile(p)
			if y < last {
				t.Errorf("mixture %d: quantiles cross at p = %g: %g after %g", i, p, y, last)
			}
			last = y
		}
		checkEnds(t, m)
	}
}

func TestMixtureQuantileOfBrokenOutputsIsNaN(t *testing.T) {
	nan := math.NaN()
	for _, broken := range [][]float64{{nan, 0, 0, 1, 0, 0}, {0, nan, 0, 1, 0, 0}, {0, 0, nan, 1, 0, 0}} {
		m := likelihood.NewMixture(broken, []float64{0, 1}, 1, 0, paper)
		if q, l := m.Quantile(0.3), m.LogDensity(0); !math.IsNaN(q) || !math.IsNaN(l) {
			t.Errorf("raw %v: quantile %g, log density %g", broken, q, l)
		}
	}
}

func TestMixtureDraws(t *testing.T) {
	raw, z := raw(3, 8, 1)
	for i, m := range []likelihood.Mixture{likelihood.NewMixture(raw, z, 1, 0, paper), saturated()} {
		g := random.New(uint64(i), random.Draws)
		checkDraws(t, m, func(j uint64) float64 { return m.Draw(g.Float(0, j), g.Float(1, j)) })
		finite(t, "draw at the ends", m.Draw(0, 0), m.Draw(1-0x1p-24, 1-0x1p-24), m.Draw(0, 1-0x1p-24))
	}
}

func TestMixtureReadsItsChannelOfFloat32(t *testing.T) {
	const n, dy = 4, 3
	raw, z := raw(5, n, dy)
	raw32, z32 := make([]float32, len(raw)), make([]float32, len(z))
	for i, v := range raw {
		raw32[i] = float32(v)
		raw[i] = float64(raw32[i])
	}
	for i, v := range z {
		z32[i] = float32(v)
		z[i] = float64(z32[i])
	}
	for channel := range dy {
		components, logits := parts(raw, z, dy, channel)
		want := likelihood.MixtureOf(components, logits)
		got := likelihood.NewMixture(raw32, z32, dy, channel, paper)
		for _, y := range []float64{-2, 0.1, 3} {
			near(t, "log density", got.LogDensity(y), want.LogDensity(y), 1e-13)
		}
	}
}

func TestExtremesStayFinite(t *testing.T) {
	for _, z := range []float64{-100, 0, 100} {
		for _, s := range []float64{-100, 0, 100} {
			for _, y := range []float64{-1e6, -1, 0, 1, 1e6} {
				for _, a := range []float64{-100, 0, 100} {
					raw := []float64{0, s, a, 0.5, -s, -a}
					levels := []float64{z, -z / 2}
					for _, form := range []likelihood.SigmaForm{paper, natural} {
						m := likelihood.NewMixture(raw, levels, 1, 0, form)
						finite(t, "log density", m.LogDensity(y))
						finite(t, "moments", m.Mean(), m.Variance())
						if p, q := m.CDF(y), m.Survival(y); !(p >= 0 && p <= 1 && q >= 0 && q <= 1) {
							t.Errorf("z %g s %g a %g y %g: CDF %g, survival %g", z, s, a, y, p, q)
						}
					}
				}
				finite(t, "Gaussian", likelihood.NewGaussian([]float64{0, s}, 1, 0, floor).LogDensity(y))
			}
		}
	}
}
