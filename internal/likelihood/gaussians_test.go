package likelihood_test

import (
	"math"
	"testing"

	"github.com/acqnp/acqnp/internal/likelihood"
)

// TestGaussiansAreNearTheMixture compares the mixture of Gaussians with the mixture of asymmetric Laplace
// distributions that it replaces: the mean to rounding, and the divergence by a sum over quantiles. 24
// levels lie as those of a normal distribution.
func TestGaussiansAreNearTheMixture(t *testing.T) {
	level := func(tau float64) float64 { return math.Log(tau / (1 - tau)) }
	var normal []likelihood.AsymmetricLaplace
	for k := range 24 {
		tau := (float64(k) + 0.5) / 24
		normal = append(normal, likelihood.AsymmetricLaplace{Location: math.Sqrt2 * math.Erfinv(2*tau-1), Scale: 0.05 * 4 * tau * (1 - tau), Logit: level(tau)})
	}
	for _, c := range []struct {
		name       string
		components []likelihood.AsymmetricLaplace
		divergence float64
	}{
		{"level 0.5", []likelihood.AsymmetricLaplace{{Location: 1, Scale: 2}}, 3e-4},
		{"level 0.2", []likelihood.AsymmetricLaplace{{Location: -3, Scale: 0.1, Logit: level(0.2)}}, 5e-4},
		{"level 0.9", []likelihood.AsymmetricLaplace{{Location: 0, Scale: 1, Logit: level(0.9)}}, 1e-3},
		{"24 levels", normal, 1.5e-3},
	} {
		m := likelihood.MixtureOf(c.components, make([]float64, len(c.components)))
		g := m.Gaussians()
		if d := math.Abs(m.Mean() - g.Mean()); !(d < 1e-12*math.Sqrt(m.Variance())) {
			t.Errorf("%s: means differ by %g", c.name, d)
		}
		const n = 2000
		divergence := 0.0
		for i := range n {
			y := m.Quantile((float64(i) + 0.5) / n)
			divergence += (m.LogDensity(y) - g.LogDensity(y)) / n
		}
		if !(divergence < c.divergence) || divergence < -1e-3 {
			t.Errorf("%s: divergence %.2g, want at most %.2g", c.name, divergence, c.divergence)
		}
	}
}
