package likelihood_test

import (
	"math"
	"testing"

	"github.com/acqnp/acqnp/internal/likelihood"
)

// beside are parts near the components of the other tests.
var beside = []likelihood.Part{{Mean: 0.4, Deviation: 0.3, Weight: 0.1}, {Mean: -1, Deviation: 0.7, Weight: 0.25}}

// A mixture with parts beside it has so much less of its own density and so much of theirs. It is a
// distribution like any other.
func TestPartsBesideAMixture(t *testing.T) {
	gaussians := likelihood.GaussianMixtureOf([]likelihood.Gaussian{{Mean: 0, Scale: 0.5}, {Mean: 2, Scale: 1}}).Tailed(likelihood.StudentTails(5, 1))
	laplaces := likelihood.MixtureOf([]likelihood.AsymmetricLaplace{{Location: 0, Scale: 0.1, Logit: 0.4}, {Location: 1.5, Scale: 0.2, Logit: -1}}, []float64{0.3, -0.2})
	for _, c := range []struct {
		name      string
		alone, m  likelihood.Distribution
		ofParts   func(parts []likelihood.Part, y float64) float64
		part      func(y float64) float64 // the density of a part with mean 0 and deviation 1
		unchanged bool
	}{
		{"Gaussians", gaussians, gaussians.Beside(beside), likelihood.GaussianDensity, func(y float64) float64 {
			return math.Exp(-y*y/2) / math.Sqrt(2*math.Pi)
		}, gaussians.Beside(nil).LogDensity(0.3) == gaussians.LogDensity(0.3)},
		{"Laplaces", laplaces, laplaces.Beside(beside), likelihood.LaplaceDensity, func(y float64) float64 {
			return math.Exp(-math.Sqrt2*math.Abs(y)) / math.Sqrt2
		}, laplaces.Beside(nil).LogDensity(0.3) == laplaces.LogDensity(0.3)},
	} {
		if !c.unchanged {
			t.Errorf("%s: no parts change the density", c.name)
		}
		for y := -4.0; y < 6; y += 0.37 {
			parts := 0.0
			for _, p := range beside {
				parts += p.Weight / p.Deviation * c.part((y-p.Mean)/p.Deviation)
			}
			near(t, c.name+", density of the parts", c.ofParts(beside, y), math.Log(parts), 1e-12)
			near(t, c.name+", log density", c.m.LogDensity(y), math.Log(0.65*math.Exp(c.alone.LogDensity(y))+parts), 1e-12)
		}
		var weights, mean float64
		var places []float64
		all := c.m.Components()
		for k, p := range all {
			weights, places = weights+p.Weight, append(places, p.Mu)
			if k >= len(all)-2 {
				near(t, c.name+", weight of a part", p.Weight, beside[k-len(all)+2].Weight, 1e-14)
			}
		}
		near(t, c.name+", weights", weights, 1, 1e-14)
		expect := func(f func(float64) float64) float64 {
			return integral(func(y float64) float64 { return f(y) * math.Exp(c.m.LogDensity(y)) }, places, 0.1, 200)
		}
		near(t, c.name+", ∫ density", expect(func(float64) float64 { return 1 }), 1, 1e-10)
		mean = expect(func(y float64) float64 { return y })
		near(t, c.name+", mean", c.m.Mean(), mean, 1e-9)
		near(t, c.name+", variance", c.m.Variance(), expect(func(y float64) float64 { return (y - mean) * (y - mean) }), 1e-8)
		for _, p := range []float64{0.001, 0.2, 0.5, 0.9, 0.999} {
			near(t, c.name+", CDF of the quantile", c.m.CDF(c.m.Quantile(p)), p, 1e-9)
		}
	}
}

// Units move a part as they move a mixture.
func TestUnitsOfParts(t *testing.T) {
	u := likelihood.Units{Factor: 3, Offset: -2}
	m := likelihood.GaussianMixtureOf([]likelihood.Gaussian{{Mean: 0.1, Scale: 0.5}})
	var parts []likelihood.Part
	for _, p := range beside {
		parts = append(parts, p.In(u))
	}
	for _, y := range []float64{-3, 0.2, 1} {
		near(t, "log density", m.In(u).Beside(parts).LogDensity(3*y-2), m.Beside(beside).In(u).LogDensity(3*y-2), 1e-12)
	}
}
