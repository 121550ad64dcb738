package likelihood_test

import (
	"math"
	"testing"

	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/random"
)

// ensembles are components of mixtures: close together, far apart, and with very different scales.
var ensembles = [][]likelihood.Gaussian{
	{{Mean: 0.3, Scale: 0.1}, {Mean: 0.35, Scale: 0.12}, {Mean: 0.2, Scale: 0.2}},
	{{Mean: -50, Scale: 0.1}, {Mean: 50, Scale: 0.1}},
	{{Mean: 1, Scale: 0.1}, {Mean: -3, Scale: 40}, {Mean: 1, Scale: 2}, {Mean: 1, Scale: 2}},
}

func TestGaussianMixtureDensityMomentsAndDistributionFunction(t *testing.T) {
	for _, components := range ensembles {
		m := likelihood.GaussianMixtureOf(components)
		var centres []float64
		for _, c := range components {
			centres = append(centres, c.Mean)
		}
		// 1e-11: thousands of terms of rounding error 1e-16 of second moments to 2500.
		checkMoments(t, m, centres, 0.1, 1000, 1e-11)
		for y := -4.0; y < 4; y += 0.31 {
			below, density := 0.0, 0.0
			for _, c := range components {
				below += c.CDF(y) / float64(len(components))
				density += math.Exp(c.LogDensity(y)) / float64(len(components))
			}
			near(t, "CDF", m.CDF(y), below, 1e-14)
			near(t, "density", math.Exp(m.LogDensity(y)), density, 1e-13)
			near(t, "CDF + survival", m.CDF(y)+m.Survival(y), 1, 1e-14)
		}
	}
}

// No probability is above 1, whatever the rounded weights sum to: a calibration of such levels could not be read again.
func TestGaussianMixtureProbabilitiesAreAtMostOne(t *testing.T) {
	for n := 2; n < 80; n++ {
		parts, weights := make([]likelihood.GaussianMixture, n), make([]float64, n)
		for k := range parts {
			parts[k] = likelihood.GaussianMixtureOf([]likelihood.Gaussian{{Mean: float64(k), Scale: 1}})
			weights[k] = float64(k+1) / float64(n*(n+1)/2)
		}
		m := likelihood.MixtureOfMixtures(parts, weights)
		for _, d := range []likelihood.Distribution{m, onScales(m, m.On(likelihood.LogY), 0.3)} {
			if up, down := d.CDF(1e40), d.Survival(-1e40); up > 1 || down > 1 {
				t.Errorf("%d parts: %v and %v", n, up, down)
			}
		}
	}
}

func TestGaussianMixtureQuantileInvertsTheDistributionFunction(t *testing.T) {
	for i, components := range ensembles {
		m := likelihood.GaussianMixtureOf(components)
		last := math.Inf(-1)
		for _, p := range probabilities {
			y := m.Quantile(p)
			finite(t, "quantile", y)
			if y < last {
				t.Errorf("mixture %d: quantiles cross at p = %g", i, p)
			}
			last = y
			// Both tails keep their digits: relative 1e-9 of the smaller one, as for one Gaussian.
			// Between components far apart the distribution function is flat, and any y there is
			// right.
			got, want := m.CDF(y), p
			if p > 0.5 {
				got, want = m.Survival(y), 1-p
			}
			near(t, "tail at the quantile / tail", got/want, 1, 1e-9)
		}
		checkEnds(t, m)
	}
	broken := likelihood.GaussianMixtureOf([]likelihood.Gaussian{{Mean: 1, Scale: 1}, {Mean: math.NaN(), Scale: 1}})
	if q, l := broken.Quantile(0.3), broken.LogDensity(0); !math.IsNaN(q) || !math.IsNaN(l) {
		t.Errorf("NaN: quantile %g, log density %g", q, l)
	}
}

func TestMixtureOfOneGaussianIsThatGaussian(t *testing.T) {
	g := likelihood.Gaussian{Mean: -2, Scale: 0.7}
	m := likelihood.GaussianMixtureOf([]likelihood.Gaussian{g})
	for _, y := range []float64{-30, -2, 0, 0.3, 50} {
		near(t, "log density", m.LogDensity(y), g.LogDensity(y), 0)
		near(t, "CDF", m.CDF(y), g.CDF(y), 0)
	}
	for _, p := range probabilities {
		near(t, "quantile", m.Quantile(p), g.Quantile(p), 0)
	}
	near(t, "mean", m.Mean(), -2, 0)
	near(t, "variance", m.Variance(), 0.7*0.7, 1e-15)
	near(t, "draw", m.Draw(0.99, 1.5), g.Draw(1.5), 1e-15) // on arm64, Go rounds a product and a sum once or twice
}

func TestGaussianMixtureDraws(t *testing.T) {
	for i, components := range ensembles {
		m, g := likelihood.GaussianMixtureOf(components), random.New(uint64(i), random.Draws)
		checkDraws(t, m, func(j uint64) float64 { return m.Draw(g.Float(0, j), g.Normal(1, j)) })
	}
}

// A merged mixture has the same mean and variance, and nearly the same CRPS: components are merged that
// together have a sixtieth of the weight, so that its distribution function differs by less.
func TestMergedMixtures(t *testing.T) {
	g := random.New(5, random.Data)
	var components []likelihood.Gaussian
	var logits []float64
	for k := range uint64(700) {
		components = append(components, likelihood.Gaussian{Mean: 3 * g.Normal(1, k), Scale: 0.1 + g.Float(2, k)})
		logits = append(logits, g.Normal(3, k))
	}
	whole := likelihood.WeightedGaussians(components, logits)
	merged := whole.Merged(60)
	if n := len(merged.Components()); n < 30 || n > 61 {
		t.Errorf("%d components, want at most 61", n)
	}
	if math.Abs(merged.Mean()-whole.Mean()) > 1e-9 || math.Abs(merged.Variance()-whole.Variance()) > 1e-9 {
		t.Errorf("mean %v and variance %v, want %v and %v", merged.Mean(), merged.Variance(), whole.Mean(), whole.Variance())
	}
	for _, y := range []float64{-9, -1, 0.5, 4} {
		if got, want := merged.CRPS(y), whole.CRPS(y); math.Abs(got-want) > 2e-3*want {
			t.Errorf("the CRPS of %v is %v, want %v ± 0.2%%", y, got, want)
		}
	}
	if few := whole.Merged(700); len(few.Components()) != 700 {
		t.Error("a mixture that is small enough is merged")
	}
}
