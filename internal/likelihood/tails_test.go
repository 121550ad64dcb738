package likelihood_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/random"
)

// Seven Gaussians have the density of Student's t to 3% up to three deviations, and half of it or more up
// to eight; they are lighter beyond, and all moments are finite.
func TestTailsAreThoseOfStudentsT(t *testing.T) {
	const mean, sigma = 0.7, 0.2
	gaussian := likelihood.GaussianMixtureOf([]likelihood.Gaussian{{Mean: mean, Scale: sigma}})
	for _, df := range []float64{3, 5, 8} {
		for _, scale := range []float64{1, 1.3} {
			m := gaussian.Tailed(likelihood.StudentTails(df, scale))
			want := distuv.StudentsT{Mu: mean, Sigma: scale * sigma, Nu: df}
			for z := -8.0; z <= 8; z += 0.25 {
				y, bound := mean+z*scale*sigma, 0.03
				if math.Abs(z) > 3 {
					bound = math.Ln2
				}
				near(t, "log density", m.LogDensity(y), want.LogProb(y), bound)
				near(t, "CDF", m.CDF(y), want.CDF(y), 0.003)
			}
			near(t, "mean", m.Mean(), mean, 1e-15)
			if v := m.Variance(); !(v > scale*scale*sigma*sigma && v < want.Variance()) {
				t.Errorf("df %g: variance %v, want one between the Gaussian's and Student's %v", df, v, want.Variance())
			}
		}
	}
}

// A scale without degrees of freedom is a wider Gaussian; both at 1 and 0 change nothing.
func TestTailsOfAGaussianAreItsScale(t *testing.T) {
	for _, components := range ensembles {
		m, wider := likelihood.GaussianMixtureOf(components), []likelihood.Gaussian{}
		for _, c := range components {
			wider = append(wider, likelihood.Gaussian{Mean: c.Mean, Scale: 1.5 * c.Scale})
		}
		want := likelihood.GaussianMixtureOf(wider)
		for y := -60.0; y < 60; y += 7.3 {
			near(t, "many degrees of freedom", m.Tailed(likelihood.StudentTails(1e6, 1)).CDF(y), m.CDF(y), 1e-3)
			near(t, "scale", m.Tailed(likelihood.StudentTails(0, 1.5)).LogDensity(y), want.LogDensity(y), 1e-12)
			if m.Tailed(likelihood.StudentTails(0, 1)).LogDensity(y) != m.LogDensity(y) {
				t.Error("0 degrees of freedom change the mixture")
			}
		}
		if math.IsNaN(m.Tailed(likelihood.StudentTails(1, 1)).LogDensity(0)) {
			t.Error("NaN")
		}
	}
}

// The fast density of one Gaussian is that of its mixture, as far out as a float64 reaches.
func TestDensityOfTails(t *testing.T) {
	g := likelihood.Gaussian{Mean: -0.4, Scale: 0.03}
	for _, tails := range []likelihood.Tails{nil, likelihood.StudentTails(0, 2), likelihood.StudentTails(5, 0.7), likelihood.StudentTails(1, 1)} {
		m := likelihood.GaussianMixtureOf([]likelihood.Gaussian{g}).Tailed(tails)
		for _, y := range []float64{-0.4, -0.37, 0, 3, -50, 1e6} {
			got, want := tails.LogDensity(g, y), m.LogDensity(y)
			near(t, "log density", got/want, 1, 1e-12)
		}
	}
}

// A mixture with tails is a distribution like any other: its density adds up to 1 and has the moments and
// the draws that it says, quantiles invert its distribution function, and its components are its own.
func TestMixtureWithTails(t *testing.T) {
	for i, components := range ensembles {
		alone := likelihood.GaussianMixtureOf(components).Tailed(likelihood.StudentTails(6, 1.2))
		for _, m := range []likelihood.GaussianMixture{alone, likelihood.PooledGaussians([]likelihood.GaussianMixture{alone, alone})} {
			weights := 0.0
			for _, c := range m.Components() {
				weights += c.Weight
			}
			near(t, "weights", weights, 1, 1e-14)
			var centres []float64
			for _, c := range components {
				centres = append(centres, c.Mean)
			}
			expect := func(f func(float64) float64) float64 {
				return integral(func(y float64) float64 { return f(y) * math.Exp(m.LogDensity(y)) }, centres, 0.1, 4000)
			}
			near(t, "∫ density", expect(func(float64) float64 { return 1 }), 1, 1e-12)
			mean := expect(func(y float64) float64 { return y })
			near(t, "mean", m.Mean(), mean, 1e-11)
			// Relative 1e-9: second moments of tails are thousands of rounding errors of large numbers.
			near(t, "variance / integral", m.Variance()/expect(func(y float64) float64 { return (y - mean) * (y - mean) }), 1, 1e-9)
			for _, p := range probabilities {
				got, want := m.CDF(m.Quantile(p)), p
				if p > 0.5 {
					got, want = m.Survival(m.Quantile(p)), 1-p
				}
				near(t, "tail at the quantile / tail", got/want, 1, 1e-9)
			}
			g, draws := random.New(uint64(i), random.Draws), make([]float64, 20000)
			for j := range draws {
				draws[j] = m.Draw(g.Float(0, uint64(j)), g.Normal(1, uint64(j)))
			}
			kolmogorovSmirnov(t, m, draws)
		}
	}
}
