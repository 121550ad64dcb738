package likelihood

import "math"

// Gradient is the derivative of a log density by the raw outputs of one component: μ, s, a and the level's logit z.
type Gradient struct{ Location, Scale, Weight, Level float64 }

// LogDensityGradient is log p(y) of NewMixture(raw, z, dy, channel) and its derivatives, one Gradient per component.
// With π_k the posterior probability of component k, e = y − μ_k and at e = 0 the right-hand derivative of ρ:
//
//	∂/∂μ_k = π_k (τ_k − 1[e<0]) / σ_k
//	∂/∂s_k = π_k (ρ_τ(e)/σ_k − 1) / σ_k · 0.99 sigmoid(s_k)
//	∂/∂a_k = π_k − w_k
//	∂/∂z_k = π_k (1 − 2τ_k − τ_k(1−τ_k) e/σ_k)
func LogDensityGradient[T Float](y float64, raw, z []T, dy, channel int) (float64, []Gradient) {
	m := NewMixture(raw, z, dy, channel)
	joint := m.joint(y)
	total := LogSumExp(joint)
	gradients := make([]Gradient, len(z))
	for k, c := range m.components {
		posterior := math.Exp(joint[k] - total)
		e := y - c.Location
		slope := c.slope(e)
		s := float64(raw[3*dy*k+dy+channel])
		gradients[k] = Gradient{
			Location: posterior * slope / c.Scale,
			Scale:    posterior * (slope*e/c.Scale - 1) / c.Scale * (1 - LaplaceFloor) * Sigmoid(s),
			Weight:   posterior - m.weights[k],
			Level:    posterior * (c.rest - c.level - c.level*c.rest*e/c.Scale),
		}
	}
	return total, gradients
}

// GaussianGradient is log p(y) of NewGaussian(raw, dy, channel) and its derivatives by μ and s.
func GaussianGradient[T Float](y float64, raw []T, dy, channel int) (logDensity, mean, scale float64) {
	g := NewGaussian(raw, dy, channel)
	e := (y - g.Mean) / g.Scale
	s := float64(raw[dy+channel])
	return g.LogDensity(y), e / g.Scale, (e*e - 1) / g.Scale * (1 - GaussianFloor) * Sigmoid(s)
}
