package likelihood_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/acqnp/acqnp/internal/likelihood"
)

// Five Gaussians have the density of Student's t to 5% up to three deviations, and are lighter beyond.
func TestTailsAreThoseOfStudentsT(t *testing.T) {
	const mean, scale = 0.7, 0.2
	gaussian := likelihood.GaussianMixtureOf([]likelihood.Gaussian{{Mean: mean, Scale: scale}})
	for _, df := range []float64{3, 5, 8} {
		m := gaussian.Tailed(likelihood.StudentTails(df))
		want := distuv.StudentsT{Mu: mean, Sigma: scale, Nu: df}
		for z := -3.0; z <= 3; z += 0.25 {
			y := mean + z*scale
			near(t, "log density", m.LogDensity(y), want.LogProb(y), 0.08)
			near(t, "CDF", m.CDF(y), want.CDF(y), 0.008)
		}
		near(t, "mean", m.Mean(), mean, 1e-15)
		if v := m.Variance(); !(v > scale*scale && v < want.Variance()) {
			t.Errorf("df %g: variance %v, want one between the Gaussian's %v and Student's %v", df, v, scale*scale, want.Variance())
		}
		far := mean + 6*scale
		if at := m.LogDensity(far); !(at > gaussian.LogDensity(far)+5 && at < want.LogProb(far)) {
			t.Errorf("df %g, six deviations off: log density %v, Gaussian %v, Student's t %v", df, at, gaussian.LogDensity(far), want.LogProb(far))
		}
	}
}

// Many degrees of freedom are a Gaussian, and 0 changes nothing.
func TestTailsOfManyDegreesOfFreedomAreGaussian(t *testing.T) {
	for _, components := range ensembles {
		m := likelihood.GaussianMixtureOf(components)
		for y := -60.0; y < 60; y += 7.3 {
			near(t, "many", m.Tailed(likelihood.StudentTails(1e6)).CDF(y), m.CDF(y), 1e-3)
			if m.Tailed(likelihood.StudentTails(0)).LogDensity(y) != m.LogDensity(y) {
				t.Error("0 degrees of freedom change the mixture")
			}
		}
		if n := len(m.Tailed(likelihood.StudentTails(4)).Components()); n != 5*len(components) {
			t.Errorf("%d components of %d", n, len(components))
		}
		if math.IsNaN(m.Tailed(likelihood.StudentTails(1)).LogDensity(0)) {
			t.Error("NaN")
		}
	}
}
