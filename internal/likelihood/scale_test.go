package likelihood_test

import (
	"math"
	"testing"

	"github.com/acqnp/acqnp/internal/likelihood"
)

// naturals are components with the decoder's scale 0.5 and levels τ from 1e-4 to 1 − 1e-4.
var naturals = func() (z []float64) {
	for _, tau := range []float64{1e-4, 1e-3, 0.03, 0.5} {
		z = append(z, math.Log(tau/(1-tau)), math.Log((1-tau)/tau))
	}
	return z
}()

// softplusOf returns the raw output whose scale is s.
func softplusOf(s float64) float64 { return math.Log(math.Expm1((s - floor) / (1 - floor))) }

// Each component of the natural form has the peak density 1/4s and sides of the scales 4s(1−τ) and 4sτ. Its
// integral, mean, variance and CRPS are those of quadrature.
func TestNaturalComponents(t *testing.T) {
	const s, mu = 0.5, 0.3
	for _, z := range naturals {
		m := likelihood.NewMixture([]float64{mu, softplusOf(s), 0}, []float64{z}, 1, 0, natural)
		tau, rest := likelihood.Sigmoid(z), likelihood.Sigmoid(-z)
		for _, e := range []float64{0, 1e-3, 0.4, 3} {
			near(t, "log density above", m.LogDensity(mu+e), -math.Log(4*s)-e/(4*s*rest), 1e-9) // 1e-9: (μ+e)−μ rounds to 1e-16, over a side of 2e-4
			near(t, "log density below", m.LogDensity(mu-e), -math.Log(4*s)-e/(4*s*tau), 1e-9)
		}
		// 1e-12: thousands of terms of rounding error 1e-16.
		checkMoments(t, m, []float64{mu}, 4*s*math.Min(tau, rest), 70*4*s, 1e-12)
		for _, y := range []float64{-1, mu, 2} {
			crps := quadratureCRPS(m, y, []float64{mu}, 4*s*math.Min(tau, rest), 70*4*s)
			near(t, "CRPS", m.CRPS(y), crps, 1e-10) // the quadrature adds thousands of terms
		}
	}
}

// At τ = ½ both forms have the same bits.
func TestFormsAreEqualAtTheMedian(t *testing.T) {
	raw := []float64{0.3, -1, 0.2, -2, 1.5, 0.1}
	z := []float64{0, 0}
	a, b := likelihood.NewMixture(raw, z, 1, 0, paper), likelihood.NewMixture(raw, z, 1, 0, natural)
	for y := -4.0; y < 4; y += 0.3 {
		near(t, "log density", b.LogDensity(y), a.LogDensity(y), 0)
		near(t, "CDF", b.CDF(y), a.CDF(y), 0)
	}
}

// Digits stay at logits of ±100, where τ(1−τ) is 1e-44: the long side has the scale 4s and the moments of
// an exponential.
func TestNaturalFormAtTheEnds(t *testing.T) {
	const s = 0.5
	for _, side := range []float64{-1, 1} {
		m := likelihood.NewMixture([]float64{0, softplusOf(s), 0}, []float64{100 * side}, 1, 0, natural)
		near(t, "mean", m.Mean(), -side*4*s, 1e-13)
		near(t, "variance", m.Variance(), 16*s*s, 1e-13)
		near(t, "log density", m.LogDensity(-side*3), -math.Log(4*s)-3/(4*s), 1e-13)
	}
}
