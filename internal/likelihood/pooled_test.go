package likelihood_test

import (
	"math"
	"testing"

	"github.com/acqnp/acqnp/internal/likelihood"
)

// The density and the distribution function of pooled mixtures are the means of theirs, whatever the
// weights inside each.
func TestPooledMixtures(t *testing.T) {
	a := likelihood.MixtureOf([]likelihood.AsymmetricLaplace{{Location: -1, Scale: 0.3, Logit: -1}, {Location: 2, Scale: 0.1, Logit: 2}}, []float64{0, 3})
	b := likelihood.MixtureOf([]likelihood.AsymmetricLaplace{{Location: 0.5, Scale: 1, Logit: 0}}, []float64{7})
	c := likelihood.GaussianMixtureOf([]likelihood.Gaussian{{Mean: 1, Scale: 0.5}, {Mean: -2, Scale: 0.1}})
	d := likelihood.GaussianMixtureOf([]likelihood.Gaussian{{Mean: 0, Scale: 2}, {Mean: 3, Scale: 1}})
	for name, m := range map[string][3]likelihood.Distribution{
		"asymmetric Laplace": {likelihood.Pooled([]likelihood.Mixture{a, b}), a, b},
		"Gaussian":           {likelihood.PooledGaussians([]likelihood.GaussianMixture{c, d}), c, d},
	} {
		for y := -4.0; y <= 4; y += 0.25 {
			density := (math.Exp(m[1].LogDensity(y)) + math.Exp(m[2].LogDensity(y))) / 2
			below := (m[1].CDF(y) + m[2].CDF(y)) / 2
			if got := math.Exp(m[0].LogDensity(y)); math.Abs(got-density) > 1e-14 || math.Abs(m[0].CDF(y)-below) > 1e-14 {
				t.Errorf("%s at %v: density %v and probability %v, expected %v and %v", name, y, got, m[0].CDF(y), density, below)
			}
		}
	}
}
