package likelihood

import (
	"math"
	"slices"
)

// Mixture is a finite mixture of asymmetric Laplace distributions: the predictive distribution of one channel of y at
// one point, one component per quantile level.
type Mixture struct {
	components []law
	weights    []float64 // sum to 1
	logWeights []float64
}

// NewMixture is the mixture of one channel from the decoder's raw outputs at one point: raw [N_τ, 3·dy] row by row,
// each row in blocks [μ_1..μ_dy, s_1..s_dy, a_1..a_dy], and the logits z [N_τ] of the levels, which the channels share;
// channels count from 0.
func NewMixture[T Float](raw, z []T, dy, channel int) Mixture {
	components := make([]AsymmetricLaplace, len(z))
	weights := make([]float64, len(z))
	for k := range z {
		row := raw[3*dy*k:][:3*dy]
		components[k] = AsymmetricLaplace{
			Location: float64(row[channel]),
			Scale:    laplaceScale(float64(row[dy+channel])),
			Logit:    float64(z[k]),
		}
		weights[k] = float64(row[2*dy+channel])
	}
	return MixtureOf(components, weights)
}

// MixtureOf is the mixture of the components with weights softmax(weightLogits), one each.
func MixtureOf(components []AsymmetricLaplace, weightLogits []float64) Mixture {
	if len(components) == 0 || len(components) != len(weightLogits) {
		panic("likelihood: a mixture needs at least one component, and a weight for each")
	}
	total := LogSumExp(weightLogits)
	n := len(components)
	m := Mixture{make([]law, n), make([]float64, n), make([]float64, n)}
	for k, a := range weightLogits {
		m.components[k] = components[k].law()
		m.logWeights[k] = a - total
		m.weights[k] = math.Exp(a - total)
	}
	return m
}

// Weights are the components' probabilities, which sum to 1.
func (m Mixture) Weights() []float64 { return slices.Clone(m.weights) }

// LogDensity is log p(y) = logsumexp_k(log w_k + log AL(y | μ_k, σ_k, τ_k)).
func (m Mixture) LogDensity(y float64) float64 { return LogSumExp(m.joint(y)) }

// joint is log w_k + log AL_k(y) for every component.
func (m Mixture) joint(y float64) []float64 {
	joint := make([]float64, len(m.components))
	for k, c := range m.components {
		joint[k] = m.logWeights[k] + c.logDensity(y)
	}
	return joint
}

// CDF is the probability of a value up to y.
func (m Mixture) CDF(y float64) float64 {
	sum := 0.0
	for k, c := range m.components {
		sum += m.weights[k] * c.cdf(y)
	}
	return math.Min(sum, 1) // rounding of the weights
}

// Survival is 1 − CDF(y) without its cancellation.
func (m Mixture) Survival(y float64) float64 {
	sum := 0.0
	for k, c := range m.components {
		sum += m.weights[k] * c.survival(y)
	}
	return math.Min(sum, 1)
}

// Quantile is the smallest float64 at which CDF reaches p; ∓Inf at p = 0 and 1, NaN outside [0, 1].
func (m Mixture) Quantile(p float64) float64 {
	if slices.ContainsFunc(m.weights, math.IsNaN) {
		return math.NaN() // no comparison below would notice
	}
	return quantileBetween(p, len(m.components), func(i int) float64 { return m.components[i].quantile(p) }, m.CDF, m.Survival)
}

// quantileBetween is a mixture's quantile at p from its n components'. At the least of them every component's
// distribution function is at most p, at the greatest at least p: the mixture's lies between. Each half of [0, 1] asks
// for the smaller tail, which is the one that holds its digits.
func quantileBetween(p float64, n int, quantile func(i int) float64, cdf, survival func(y float64) float64) float64 {
	lo, hi := math.Inf(1), math.Inf(-1)
	for i := range n {
		q := quantile(i)
		lo, hi = math.Min(lo, q), math.Max(hi, q) // NaN stays NaN
	}
	switch {
	case !(lo < hi):
		return lo
	case p <= 0.5:
		return bisect(lo, hi, func(y float64) bool { return cdf(y) >= p })
	}
	return bisect(lo, hi, func(y float64) bool { return survival(y) <= 1-p })
}

// bisect is the smallest float64 in (lo, hi] at which a monotone condition holds, hi where it never does. It halves the
// number of float64s between the bounds, not their distance, so 64 steps do however far apart saturated levels put them.
func bisect(lo, hi float64, holds func(float64) bool) float64 {
	a, b := rank(lo), rank(hi)
	for a+1 < b {
		mid := a>>1 + b>>1 + a&b&1 // the sum could overflow
		if holds(unrank(mid)) {
			b = mid
		} else {
			a = mid
		}
	}
	return unrank(b)
}

// rank numbers the float64s in increasing order, 0 being number 0; unrank is its inverse.
func rank(f float64) int64 {
	if bits := int64(math.Float64bits(f)); bits >= 0 {
		return bits
	}
	return -int64(math.Float64bits(-f))
}

func unrank(n int64) float64 {
	if n >= 0 {
		return math.Float64frombits(uint64(n))
	}
	return -math.Float64frombits(uint64(-n))
}

// Mean is Σ w_k (μ_k + (1−2τ_k)/(τ_k(1−τ_k)) σ_k).
func (m Mixture) Mean() float64 {
	mean := 0.0
	for k, w := range m.weights {
		mean += w * m.components[k].Mean()
	}
	return mean
}

// Variance is the components' mean variance plus the variance of their means.
func (m Mixture) Variance() float64 {
	mean, variance := m.Mean(), 0.0
	for k, w := range m.weights {
		d := m.components[k].Mean() - mean
		variance += w * (m.components[k].Variance() + d*d)
	}
	return variance
}

// Draw turns two independent numbers, uniform on the multiples of 2⁻²⁴ in [0, 1), into a draw: the first picks the
// component, the second the value.
func (m Mixture) Draw(uComponent, uValue float64) float64 {
	pick := centred(uComponent)
	last := 0
	for k, w := range m.weights {
		if w > 0 {
			last = k
		}
		if pick -= w; pick < 0 {
			break
		}
	}
	return m.components[last].Draw(uValue)
}
