package predict

import (
	"math"

	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/random"
)

// Distribution is the predictive distribution of one channel of y at one target: a mixture of asymmetric Laplace
// components, one per quantile level, or of Gaussians with equal weights, one per bootstrap, or one Gaussian.
type Distribution struct {
	components []Component
	law        law
}

// law is what both mixtures of internal/likelihood can do. One Gaussian is a mixture of one.
type law interface {
	Mean() float64
	Variance() float64
	Quantile(p float64) float64
	CDF(y float64) float64
	LogDensity(y float64) float64
}

// Component is one part of a distribution. Weights of a distribution sum to 1. U and Tau are NaN for Gaussians, whose
// Mu and Sigma are mean and standard deviation.
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
	mixture := likelihood.MixtureOf(laws, logits)
	d := Distribution{law: mixture}
	for k, w := range mixture.Weights() {
		d.components = append(d.components, Component{
			U: float64(u[k]), Tau: likelihood.Sigmoid(laws[k].Logit), Mu: laws[k].Location, Sigma: laws[k].Scale, Weight: w,
		})
	}
	return d
}

// newGaussians reads one channel from the decoder's raw outputs at one point: raw [k, 2·dy] in blocks [μ…, s…], k = 1
// for a model without bootstraps.
func newGaussians(raw []float32, dy, channel int, s scale) Distribution {
	laws := make([]likelihood.Gaussian, len(raw)/(2*dy))
	components := make([]Component, len(laws))
	for k := range laws {
		g := likelihood.NewGaussian(raw[2*dy*k:][:2*dy], dy, channel)
		laws[k] = likelihood.Gaussian{Mean: s.of(g.Mean), Scale: s.factor * g.Scale}
		components[k] = Component{
			U: math.NaN(), Tau: math.NaN(), Mu: laws[k].Mean, Sigma: laws[k].Scale, Weight: 1 / float64(len(laws)),
		}
	}
	return Distribution{components: components, law: likelihood.GaussianMixtureOf(laws)}
}

// Mixture reports whether the components are quantile levels.
func (d Distribution) Mixture() bool {
	_, levels := d.law.(likelihood.Mixture)
	return levels
}

// Components are the levels in the order they were asked, the bootstraps, or the one Gaussian.
func (d Distribution) Components() []Component { return d.components }

// Mean is the predictive mean.
func (d Distribution) Mean() float64 { return d.law.Mean() }

// Variance is the predictive variance.
func (d Distribution) Variance() float64 { return d.law.Variance() }

// Quantile is the y below which lies probability p.
func (d Distribution) Quantile(p float64) float64 { return d.law.Quantile(p) }

// CDF is the probability of a value up to y.
func (d Distribution) CDF(y float64) float64 { return d.law.CDF(y) }

// LogDensity is log p(y).
func (d Distribution) LogDensity(y float64) float64 { return d.law.LogDensity(y) }

// picks is where the numbers that pick a bootstrap begin in a step's counter space, far above those of the draws.
const picks = 1 << 33

// Draw is the i-th draw of a step of the generator.
func (d Distribution) Draw(g random.Generator, step, i uint64) float64 {
	if m, ok := d.law.(likelihood.Mixture); ok {
		return m.Draw(g.Float(step, 2*i), g.Float(step, 2*i+1))
	}
	return d.law.(likelihood.GaussianMixture).Draw(g.Float(step, picks+i), g.Normal(step, i))
}
