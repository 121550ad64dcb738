package likelihood_test

import (
	"math"
	"testing"

	"github.com/acqnp/acqnp/internal/likelihood"
)

// In the units of the data, a value of y is factor·y + offset, and a density is divided by the
// factor.
func TestUnitsOfTheData(t *testing.T) {
	units := likelihood.Units{Factor: 7, Offset: -3}
	raw, z := raw(4, 6, 2)
	mixture, gaussians := likelihood.NewMixture(raw, z, 2, 1, paper), gaussianMixture(raw, 2, 1, floor)
	for _, c := range []struct{ model, data likelihood.Distribution }{
		{mixture, mixture.In(units)},
		{gaussians, gaussians.In(units)},
	} {
		near(t, "mean", c.data.Mean(), 7*c.model.Mean()-3, 1e-12)
		near(t, "variance", c.data.Variance(), 49*c.model.Variance(), 1e-12)
		for _, p := range probabilities {
			near(t, "quantile", c.data.Quantile(p), 7*c.model.Quantile(p)-3, 1e-9)
		}
		for y := -4.0; y <= 4; y += 0.25 {
			near(t, "log density", c.data.LogDensity(7*y-3), c.model.LogDensity(y)-math.Log(7), 1e-12)
			near(t, "CDF", c.data.CDF(7*y-3), c.model.CDF(y), 1e-12)
			near(t, "survival", c.data.Survival(7*y-3), c.model.Survival(y), 1e-12)
		}
		was := c.model.Components()
		for k, part := range c.data.Components() {
			near(t, "μ", part.Mu, 7*was[k].Mu-3, 1e-14)
			near(t, "σ", part.Sigma, 7*was[k].Sigma, 1e-14)
			near(t, "weight", part.Weight, was[k].Weight, 0)
			if math.Float64bits(part.Tau) != math.Float64bits(was[k].Tau) {
				t.Errorf("τ %g became %g", was[k].Tau, part.Tau)
			}
		}
	}
}

func TestComponentsAreWhatTheDecoderStates(t *testing.T) {
	const n, dy = 5, 3
	raw, z := raw(9, n, dy)
	for channel := range dy {
		components, _ := parts(raw, z, dy, channel)
		for k, c := range likelihood.NewMixture(raw, z, dy, channel, paper).Components() {
			near(t, "τ", c.Tau, 1/(1+math.Exp(-z[k])), 1e-15)
			near(t, "μ", c.Mu, components[k].Location, 0)
			near(t, "σ", c.Sigma, components[k].Scale, 1e-14)
		}
		bootstraps := gaussianMixture(raw[:2*dy*n], dy, channel, floor).Components()
		if len(bootstraps) != n {
			t.Fatalf("%d Gaussians, want %d", len(bootstraps), n)
		}
		for k, c := range bootstraps {
			g := likelihood.NewGaussian(raw[2*dy*k:][:2*dy], dy, channel, floor)
			if c.Mu != g.Mean || c.Sigma != g.Scale || c.Weight != 1.0/n || !math.IsNaN(c.Tau) {
				t.Errorf("Gaussian %d is %+v, want %+v", k, c, g)
			}
		}
	}
}
