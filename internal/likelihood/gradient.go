package likelihood

import "math"

// Gradient holds the derivatives of a log density with respect to the outputs of one component.
type Gradient struct {
	Location float64 // with respect to μ
	Scale    float64 // with respect to s, the decoder's output before softplus
	Weight   float64 // with respect to a, the weight's logit
	Level    float64 // with respect to z, the level's logit
}

// LogDensityGradient returns log p(y) of NewMixture(raw, z, dy, channel, scale) and its
// derivatives, one Gradient for each of the N_τ components. Let π_k be the posterior probability of
// component k and e = y − μ_k. Where ρ has a kink, at e = 0, its derivative is the one from the
// right.
//
//	∂/∂μ_k = π_k (τ_k − 1[e<0]) / σ_k
//	∂/∂s_k = π_k (ρ_τ(e)/σ_k − 1) / scale_k · (1−floor) sigmoid(s_k)
//	∂/∂a_k = π_k − w_k
//	∂/∂z_k = π_k (1 − 2τ_k − τ_k(1−τ_k) e/σ_k)      in the paper's form of the scale
//	∂/∂z_k = −π_k ρ_τ(e)/σ_k (τ_k − 1[e<0])         in the natural form
//
// scale_k is floor + (1−floor)·softplus(s_k), which is σ_k in the paper's form.
func LogDensityGradient[T Float](y float64, raw, z []T, dy, channel int, scale Scale) (float64, []Gradient) {
	m := NewMixture(raw, z, dy, channel, scale)
	joint := m.joint(y)
	total := LogSumExp(joint)
	gradients := make([]Gradient, len(z))
	for k, c := range m.components {
		posterior := math.Exp(joint[k] - total)
		e := y - c.Location
		slope := c.slope(e)
		s := float64(raw[3*dy*k+dy+channel])
		pinball := slope * e / c.Scale
		gradients[k] = Gradient{
			Location: posterior * slope / c.Scale,
			Scale:    posterior * (pinball - 1) / scaleOf(s, scale.Floor) * (1 - scale.Floor) * Sigmoid(s),
			Weight:   posterior - m.weights[k],
			Level:    posterior * (c.rest - c.tau - c.tau*c.rest*e/c.Scale),
		}
		if scale.Natural {
			gradients[k].Level = -posterior * pinball * slope
		}
	}
	return total, gradients
}

// GaussianGradient returns log p(y) of NewGaussian(raw, dy, channel, floor) and its derivatives
// with respect to μ (mean) and s (scale).
func GaussianGradient[T Float](y float64, raw []T, dy, channel int, floor float64) (logDensity, mean, scale float64) {
	g := NewGaussian(raw, dy, channel, floor)
	e := (y - g.Mean) / g.Scale
	s := float64(raw[dy+channel])
	return g.LogDensity(y), e / g.Scale, (e*e - 1) / g.Scale * (1 - floor) * Sigmoid(s)
}
