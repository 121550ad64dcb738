package likelihood_test

import (
	"math"
	"slices"
	"testing"

	"github.com/acqnp/acqnp/internal/likelihood"
)

func TestApproximateQuantilesAreTheQuantiles(t *testing.T) {
	distributions := []likelihood.Distribution{saturated(), likelihood.MixtureOf([]likelihood.AsymmetricLaplace{{Location: 2, Scale: 0.1}}, []float64{0})}
	for seed := range uint64(4) {
		raw, z := raw(seed, 30, 1)
		m := likelihood.NewMixture(raw, z, 1, 0, paper)
		distributions = append(distributions, m, likelihood.ExpOf(m.In(likelihood.Units{Factor: 0.3})),
			gaussianMixture(raw[:8], 1, 0, floor), gaussianMixture(raw[:2], 1, 0, floor))
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

// A quantile of Gaussians has the same bits whatever other levels are asked, so that all ways out agree.
func TestQuantilesOfGaussiansDoNotDependOnOthers(t *testing.T) {
	levels := []float64{0.95, 0.001, 0.25, 0.5, 0.05, 0.999}
	for seed := range uint64(4) {
		raw, _ := raw(seed, 30, 1)
		m := gaussianMixture(raw[:16], 1, 0, floor)
		for _, d := range []likelihood.Distribution{m, likelihood.ExpOf(m)} {
			all := likelihood.ApproximateQuantiles(d, levels...)
			for i, p := range levels {
				if alone := likelihood.ApproximateQuantiles(d, p)[0]; alone != all[i] {
					t.Errorf("%v at %g alone, %v beside others", alone, p, all[i])
				}
			}
		}
	}
}

// A hundred quantiles of one call, also in another order, are those of single calls, for components of
// very different scales and far from each other too.
func TestManyApproximateQuantiles(t *testing.T) {
	far := likelihood.MixtureOf([]likelihood.AsymmetricLaplace{{Location: -1000, Scale: 0.1, Logit: 1}, {Location: 1000, Scale: 0.1, Logit: -1}, {Scale: 50}}, []float64{0, 0.3, -9})
	mixtures := []likelihood.Mixture{far, far.In(likelihood.Units{Factor: 1e-6, Offset: 1})}
	for seed := range uint64(6) {
		raw, z := raw(seed+50, 40, 1)
		mixtures = append(mixtures, likelihood.NewMixture(raw, z, 1, 0, paper))
	}
	var levels []float64
	for i := range 100 {
		levels = append(levels, (float64(i*37%100)+0.5)/100)
	}
	for i, m := range mixtures {
		scale := math.Inf(1)
		for _, c := range m.Components() {
			scale = math.Min(scale, c.Sigma)
		}
		got := likelihood.ApproximateQuantiles(m, levels...)
		for k, p := range levels {
			// Next to a flat part of the distribution function, rounding moves a quantile.
			want := m.Quantile(p)
			if math.Abs(got[k]-want) > 1e-9*scale+1e-13*math.Abs(want) && math.Abs(m.CDF(got[k])-p) > 1e-14 {
				t.Errorf("mixture %d: quantile %v at %v, want %v", i, got[k], p, want)
			}
		}
		slices.Sort(got)
		if again := likelihood.ApproximateQuantiles(m, 0.005, 0.255, 0.995); math.Abs(again[1]-got[25]) > 2e-9*scale+1e-13*math.Abs(got[25]) {
			t.Errorf("mixture %d: quantile %v at 0.255, and %v among others", i, again[1], got[25])
		}
		if all := likelihood.ApproximateQuantiles(m, 0.3, 0.3, 0.3+1e-13); all[0] > all[1] || all[1] > all[2] {
			t.Errorf("mixture %d: quantiles %v decrease", i, all)
		}
	}
}

// The densities have the errors of rounding: 1e-12 of each.
func TestDensitiesAreThoseOfLogDensity(t *testing.T) {
	for seed, n := range []int{1, 7, 30, 65} {
		raw, z := raw(uint64(seed), n, 1)
		m := likelihood.NewMixture(raw, z, 1, 0, paper).In(likelihood.Units{Factor: 0.7, Offset: -0.2})
		for name, d := range map[string]likelihood.Distribution{"mixture": m, "exp": likelihood.ExpOf(m),
			"gaussian": gaussianMixture(raw[:2*n], 1, 0, floor)} {
			ys := []float64{-1e6, -40, -1, 0, 0.2, 0.5, 1, 3, 50, 1e6, math.Inf(1), math.Inf(-1)}
			for i, got := range likelihood.Densities(d, ys) {
				if want := math.Exp(d.LogDensity(ys[i])); math.Abs(got-want) > 1e-12*want && want > 1e-300 {
					t.Errorf("%s of %d components: density %v at %v, want %v", name, n, got, ys[i], want)
				}
			}
		}
	}
	nan := likelihood.MixtureOf([]likelihood.AsymmetricLaplace{{Location: math.NaN(), Scale: 1}, {Scale: 1}}, []float64{0, 0})
	if p := likelihood.Densities(nan, []float64{0.5})[0]; !math.IsNaN(p) {
		t.Errorf("density %v of a mixture with a NaN", p)
	}
	if q := likelihood.ApproximateQuantiles(nan, 0.5)[0]; !math.IsNaN(q) {
		t.Errorf("median %v of a mixture with a NaN", q)
	}
}
