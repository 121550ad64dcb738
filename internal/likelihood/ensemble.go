package likelihood

import "math"

// GaussianMixture is a mixture of normal distributions with equal weights: the predictive distribution of one channel
// of y at one point, one component per bootstrap of the context.
type GaussianMixture struct{ components []Gaussian }

// GaussianMixtureOf is the mixture of the components, at least one, which it keeps.
func GaussianMixtureOf(components []Gaussian) GaussianMixture {
	if len(components) == 0 {
		panic("likelihood: a mixture needs at least one component")
	}
	return GaussianMixture{components}
}

// average is the mean of f over the components.
func (m GaussianMixture) average(f func(Gaussian) float64) float64 {
	sum := 0.0
	for _, c := range m.components {
		sum += f(c)
	}
	return sum / float64(len(m.components))
}

// LogDensity is log p(y) = logsumexp_k(log N(y | μ_k, σ_k²)) − log k.
func (m GaussianMixture) LogDensity(y float64) float64 {
	joint := make([]float64, len(m.components))
	for k, c := range m.components {
		joint[k] = c.LogDensity(y)
	}
	return LogSumExp(joint) - math.Log(float64(len(joint)))
}

// CDF is the probability of a value up to y.
func (m GaussianMixture) CDF(y float64) float64 {
	return m.average(func(g Gaussian) float64 { return g.CDF(y) })
}

// Survival is 1 − CDF(y) without its cancellation.
func (m GaussianMixture) Survival(y float64) float64 {
	return m.average(func(g Gaussian) float64 { return g.Survival(y) })
}

// Quantile is the smallest float64 at which CDF reaches p; ∓Inf at p = 0 and 1, NaN outside [0, 1].
func (m GaussianMixture) Quantile(p float64) float64 {
	return quantileBetween(p, len(m.components), func(i int) float64 { return m.components[i].Quantile(p) }, m.CDF, m.Survival)
}

// Mean is that of the components' means.
func (m GaussianMixture) Mean() float64 {
	return m.average(func(g Gaussian) float64 { return g.Mean })
}

// Variance is the components' mean variance plus the variance of their means.
func (m GaussianMixture) Variance() float64 {
	mean := m.Mean()
	return m.average(func(g Gaussian) float64 { return g.Scale*g.Scale + (g.Mean-mean)*(g.Mean-mean) })
}

// Draw turns a number u uniform on [0, 1), which picks the component, and a standard normal one into a draw.
func (m GaussianMixture) Draw(u, normal float64) float64 {
	n := len(m.components)
	return m.components[min(int(u*float64(n)), n-1)].Draw(normal)
}
