package likelihood_test

import (
	"math"
	"testing"

	"github.com/acqnp/acqnp/internal/likelihood"
)

func TestApproximateQuantilesAreTheQuantiles(t *testing.T) {
	distributions := []likelihood.Distribution{saturated(), likelihood.MixtureOf([]likelihood.AsymmetricLaplace{{Location: 2, Scale: 0.1}}, []float64{0})}
	for seed := range uint64(4) {
		raw, z := raw(seed, 30, 1)
		m := likelihood.NewMixture(raw, z, 1, 0, floor)
		distributions = append(distributions, m, likelihood.ExpOf(m.In(likelihood.Units{Factor: 0.3})),
			likelihood.NewGaussianMixture(raw[:8], 1, 0, floor), likelihood.NewGaussianMixture(raw[:2], 1, 0, floor))
	}
	// Two narrow components far apart: at level 0.5 the distribution function is flat.
	distributions = append(distributions, likelihood.GaussianMixtureOf([]likelihood.Gaussian{{Mean: -100, Scale: 0.01}, {Mean: 100, Scale: 0.01}}))
	for i, d := range distributions {
		levels := []float64{0.001, 0.05, 0.25, 0.5, 0.75, 0.95, 0.999}
		for k, got := range likelihood.ApproximateQuantiles(d, levels...) {
			p := levels[k]
			want := d.Quantile(p)
			if i == len(distributions)-1 && p == 0.5 {
				if !(math.Abs(got) <= 100) || math.Abs(d.CDF(got)-0.5) > 1e-15 {
					t.Errorf("median %g of two components at ±100", got)
				}
				continue
			}
			near(t, "quantile", got, want, 1e-8) // of max(1, |quantile|)
		}
	}
}
