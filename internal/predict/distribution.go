package predict

import (
	"math"

	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/random"
)

// Distribution is the predictive distribution of one channel of y at one target: a mixture of asymmetric Laplace
// components, one per quantile level, or a Gaussian.
type Distribution struct {
	levels   []Component // of a mixture
	mixture  likelihood.Mixture
	gaussian likelihood.Gaussian // where there are no levels
}

// Component is one part of a distribution. Weights of a distribution sum to 1. U and Tau are NaN for the one component
// of a Gaussian.
type Component struct{ U, Tau, Mu, Sigma, Weight float64 }

// scale turns a model's y into raw units: factor·y + offset, factor > 0.
type scale struct{ factor, offset float64 }

func (s scale) of(y float64) float64 { return s.factor*y + s.offset }

// newMixture reads one channel from the decoder's raw outputs at one point: raw [N_τ, 3·dy] in blocks
// [μ…, s…, a…], the logits z [N_τ] of the levels and u [N_τ]. The result is in the units of s.
func newMixture(raw, z, u []float32, dy, channel int, s scale) Distribution {
	laws := make([]likelihood.AsymmetricLaplace, len(z))
	logits := make([]float64, len(z))
	for k := range z {
		row := raw[3*dy*k:][:3*dy]
		sigma := likelihood.LaplaceFloor + (1-likelihood.LaplaceFloor)*likelihood.Softplus(float64(row[dy+channel]))
		laws[k] = likelihood.AsymmetricLaplace{
			Location: s.of(float64(row[channel])),
			Scale:    s.factor * sigma,
			Logit:    float64(z[k]),
		}
		logits[k] = float64(row[2*dy+channel])
	}
	d := Distribution{levels: make([]Component, len(z)), mixture: likelihood.MixtureOf(laws, logits)}
	for k, w := range d.mixture.Weights() {
		d.levels[k] = Component{
			U: float64(u[k]), Tau: likelihood.Sigmoid(laws[k].Logit), Mu: laws[k].Location, Sigma: laws[k].Scale, Weight: w,
		}
	}
	return d
}

// newGaussian reads one channel from the decoder's raw outputs at one point: [μ…, s…].
func newGaussian(raw []float32, dy, channel int, s scale) Distribution {
	g := likelihood.NewGaussian(raw, dy, channel)
	return Distribution{gaussian: likelihood.Gaussian{Mean: s.of(g.Mean), Scale: s.factor * g.Scale}}
}

// Mixture reports whether the components are quantile levels.
func (d Distribution) Mixture() bool { return d.levels != nil }

// Components are the levels in the order they were asked, or the Gaussian's mean and standard deviation.
func (d Distribution) Components() []Component {
	if d.Mixture() {
		return d.levels
	}
	return []Component{{U: math.NaN(), Tau: math.NaN(), Mu: d.gaussian.Mean, Sigma: d.gaussian.Scale, Weight: 1}}
}

// Mean is the predictive mean.
func (d Distribution) Mean() float64 {
	if d.Mixture() {
		return d.mixture.Mean()
	}
	return d.gaussian.Mean
}

// Quantile is the y below which lies probability p.
func (d Distribution) Quantile(p float64) float64 {
	if d.Mixture() {
		return d.mixture.Quantile(p)
	}
	return d.gaussian.Quantile(p)
}

// CDF is the probability of a value up to y.
func (d Distribution) CDF(y float64) float64 {
	if d.Mixture() {
		return d.mixture.CDF(y)
	}
	return d.gaussian.CDF(y)
}

// LogDensity is log p(y).
func (d Distribution) LogDensity(y float64) float64 {
	if d.Mixture() {
		return d.mixture.LogDensity(y)
	}
	return d.gaussian.LogDensity(y)
}

// Draw is the i-th draw of a step of the generator.
func (d Distribution) Draw(g random.Generator, step, i uint64) float64 {
	if d.Mixture() {
		return d.mixture.Draw(g.Float(step, 2*i), g.Float(step, 2*i+1))
	}
	return d.gaussian.Draw(g.Normal(step, i))
}
