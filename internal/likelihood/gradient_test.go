package likelihood_test

import (
	"testing"

	"gonum.org/v1/gonum/diff/fd"

	"github.com/acqnp/acqnp/internal/likelihood"
)

// floors are lower bounds of σ: the paper's, and others.
var floors = []float64{0.01, 0.1, 0.5, 0.03, 0.9}

// differences returns the central differences of f with respect to every element of x. At the step
// 6e-6 their error is about h²f‴/6 ≈ 1e-10 plus rounding 1e-16/h·|f| ≈ 1e-10. The tolerance is
// 1e-8, because derivatives reach some hundreds here.
func differences(x []float64, f func([]float64) float64) []float64 {
	return fd.Gradient(nil, f, x, &fd.Settings{Formula: fd.Central, Step: 6e-6})
}

func TestMixtureGradientEqualsCentralDifferences(t *testing.T) {
	const n, dy = 6, 2
	for i := range 2 * len(floors) {
		seed, form := i/2, likelihood.Scale{Floor: floors[i/2], Natural: i%2 == 1}
		raw, z := raw(uint64(seed), n, dy)
		for channel := range dy {
			for _, y := range []float64{-6, -1.2, 0.05, 0.9, 8} {
				log, got := likelihood.LogDensityGradient(y, raw, z, dy, channel, form)
				near(t, "log density", log, likelihood.NewMixture(raw, z, dy, channel, form).LogDensity(y), 0)
				byRaw := differences(raw, func(raw []float64) float64 {
					return likelihood.NewMixture(raw, z, dy, channel, form).LogDensity(y)
				})
				byLevel := differences(z, func(z []float64) float64 {
					return likelihood.NewMixture(raw, z, dy, channel, form).LogDensity(y)
				})
				for k, g := range got {
					row := byRaw[3*dy*k:]
					near(t, "∂/∂μ", g.Location, row[channel], 1e-8)
					near(t, "∂/∂s", g.Scale, row[dy+channel], 1e-8)
					near(t, "∂/∂a", g.Weight, row[2*dy+channel], 1e-8)
					near(t, "∂/∂z", g.Level, byLevel[k], 1e-8)
				}
			}
		}
	}
}

func TestMixtureGradientAtAKinkTakesTheUpperSide(t *testing.T) {
	_, g := likelihood.LogDensityGradient(0, []float64{0, -100, 0}, []float64{0}, 1, 0, paper)
	near(t, "∂/∂μ at y = μ", g[0].Location, 0.5/floor, 1e-15)
}

func TestGaussianGradientEqualsCentralDifferences(t *testing.T) {
	raw := []float64{0.3, -1, -2, 1.5} // dy = 2
	for i, floor := range floors {
		channel := i % 2
		for _, y := range []float64{-3, 0.2, 4} {
			log, mean, scale := likelihood.GaussianGradient(y, raw, 2, channel, floor)
			want := differences(raw, func(raw []float64) float64 { return likelihood.NewGaussian(raw, 2, channel, floor).LogDensity(y) })
			near(t, "log density", log, likelihood.NewGaussian(raw, 2, channel, floor).LogDensity(y), 0)
			near(t, "∂/∂μ", mean, want[channel], 1e-8)
			near(t, "∂/∂s", scale, want[2+channel], 1e-8)
		}
	}
}
