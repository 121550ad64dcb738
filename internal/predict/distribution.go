package predict

import (
	"math"

	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/random"
)

// Distribution is the predictive distribution of one channel of y at one target, in raw units. For
// CQNP and ACQNP it is a mixture of asymmetric Laplace distributions, one for each quantile level.
// For the other models it is a mixture of Gaussians with equal weights, one for each bootstrap of
// BNP; CNP and CANP have one.
type Distribution struct {
	likelihood.Distribution
	levels []float32 // u of every component; nil for Gaussians
}

// Component is one component of a distribution, and the u that its level τ was computed from. For
// CQNP, τ is 0.001 + 0.998·u. U is NaN for a Gaussian.
type Component struct {
	U float64
	likelihood.Component
}

// Mixture reports whether the components have quantile levels.
func (d Distribution) Mixture() bool { return d.levels != nil }

// Components returns the components, those with levels in the order of u.
func (d Distribution) Components() []Component {
	components := make([]Component, 0, len(d.levels))
	for k, c := range d.Distribution.Components() {
		u := math.NaN()
		if d.Mixture() {
			u = float64(d.levels[k])
		}
		components = append(components, Component{U: u, Component: c})
	}
	return components
}

// picks is the first index of the random numbers that choose a Gaussian. It lies far above the
// indices of the normal numbers.
const picks = 1 << 33

// Draw returns a random value from d: draw i at a step of the generator.
func (d Distribution) Draw(g random.Generator, step, i uint64) float64 {
	if m, ok := d.Distribution.(likelihood.Mixture); ok {
		return m.Draw(g.Float(step, 2*i), g.Float(step, 2*i+1))
	}
	return d.Distribution.(likelihood.GaussianMixture).Draw(g.Float(step, picks+i), g.Normal(step, i))
}
