package likelihood

import "math"

// GaussianMixture is a mixture of Gaussians with equal weights, one for each bootstrap of BNP's
// context. A mixture of one component equals that [Gaussian].
type GaussianMixture struct{ components []Gaussian }

// NewGaussianMixture reads the mixture of one channel from a decoder's outputs at one point. raw is
// [k, 2·dy], with k = 1 for a model without bootstraps; each row is as [NewGaussian] reads it.
// Channels count from 0.
func NewGaussianMixture[T Float](raw []T, dy, channel int, floor float64) GaussianMixture {
	components := make([]Gaussian, len(raw)/(2*dy))
	for k := range components {
		components[k] = NewGaussian(raw[2*dy*k:][:2*dy], dy, channel, floor)
	}
	return GaussianMixtureOf(components)
}

// GaussianMixtureOf returns the mixture of the components. It keeps the slice, and panics if the
// slice is empty.
func GaussianMixtureOf(components []Gaussian) GaussianMixture {
	if len(components) == 0 {
		panic("likelihood: a mixture needs at least one component")
	}
	return GaussianMixture{components}
}

// PooledGaussians returns the mixture in which all have the same weight, as all have the same number of
// components.
func PooledGaussians(all []GaussianMixture) GaussianMixture {
	if len(all) == 1 {
		return all[0]
	}
	var components []Gaussian
	for _, m := range all {
		components = append(components, m.components...)
	}
	return GaussianMixture{components}
}

// In returns the mixture in the units that u converts to.
func (m GaussianMixture) In(u Units) GaussianMixture {
	components := make([]Gaussian, len(m.components))
	for k, c := range m.components {
		components[k] = Gaussian{Mean: u.location(c.Mean), Scale: u.scale(c.Scale)}
	}
	return GaussianMixture{components}
}

// Components returns the Gaussians, in the order of the decoder's outputs.
func (m GaussianMixture) Components() []Component {
	components := make([]Component, len(m.components))
	for k, c := range m.components {
		components[k] = Component{Tau: math.NaN(), Mu: c.Mean, Sigma: c.Scale, Weight: 1 / float64(len(components))}
	}
	return components
}

// average returns the mean of f over the components.
func (m GaussianMixture) average(f func(Gaussian) float64) float64 {
	sum := 0.0
	for _, c := range m.components {
		sum += f(c)
	}
	return sum / float64(len(m.components))
}

// LogDensity returns log p(y) = logsumexp_k(log N(y | μ_k, σ_k²)) − log k.
func (m GaussianMixture) LogDensity(y float64) float64 {
	joint := make([]float64, len(m.components))
	for k, c := range m.components {
		joint[k] = c.LogDensity(y)
	}
	return LogSumExp(joint) - math.Log(float64(len(joint)))
}

// CDF returns P(Y ≤ y).
func (m GaussianMixture) CDF(y float64) float64 {
	return m.average(func(g Gaussian) float64 { return g.CDF(y) })
}

// Survival returns P(Y > y). Unlike 1 − CDF(y), it keeps its digits in the upper tail.
func (m GaussianMixture) Survival(y float64) float64 {
	return m.average(func(g Gaussian) float64 { return g.Survival(y) })
}

// Quantile returns the smallest float64 y with CDF(y) ≥ p. It is −Inf at p = 0, +Inf at p = 1 and
// NaN outside [0, 1].
func (m GaussianMixture) Quantile(p float64) float64 {
	return mixtureQuantile(m, p, len(m.components), func(k int) float64 { return m.components[k].Quantile(p) })
}

// Mean returns the mean of the components' means.
func (m GaussianMixture) Mean() float64 {
	return m.average(func(g Gaussian) float64 { return g.Mean })
}

// Variance returns the mean of the components' variances plus the variance of their means.
func (m GaussianMixture) Variance() float64 {
	mean := m.Mean()
	return m.average(func(g Gaussian) float64 { return g.Scale*g.Scale + (g.Mean-mean)*(g.Mean-mean) })
}

// Draw turns two independent numbers into a draw from m: u, uniform on [0, 1), picks the component,
// and normal is standard normal.
func (m GaussianMixture) Draw(u, normal float64) float64 {
	n := len(m.components)
	return m.components[min(int(u*float64(n)), n-1)].Draw(normal)
}
