package likelihood

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"
)

// Gaussian is a normal distribution. Mean and Scale, its standard deviation σ, are in the units of
// y.
type Gaussian struct{ Mean, Scale float64 }

// NewGaussian reads the distribution of one channel from a decoder's outputs at one point. raw is
// [2·dy] and holds the blocks [μ_1..μ_dy, s_1..s_dy], with σ = floor + (1−floor)·softplus(s).
// Channels count from 0.
func NewGaussian[T Float](raw []T, dy, channel int, floor float64) Gaussian {
	return Gaussian{
		Mean:  float64(raw[channel]),
		Scale: scaleOf(float64(raw[dy+channel]), floor),
	}
}

// LogDensity returns log p(y).
func (g Gaussian) LogDensity(y float64) float64 {
	e := (y - g.Mean) / g.Scale
	return -0.5*e*e - math.Log(g.Scale) - 0.5*math.Log(2*math.Pi)
}

// CDF returns P(Y ≤ y).
func (g Gaussian) CDF(y float64) float64 {
	z := (g.Mean - y) / (g.Scale * math.Sqrt2)
	if z < -6 { // 1 − 1e-17: the same bits, sooner
		return 1
	}
	return 0.5 * math.Erfc(z)
}

// Survival returns P(Y > y). Unlike 1 − CDF(y), it keeps its digits in the upper tail.
func (g Gaussian) Survival(y float64) float64 {
	return 0.5 * math.Erfc((y-g.Mean)/(g.Scale*math.Sqrt2))
}

// Quantile returns the inverse of CDF at p. It is −Inf at p = 0, +Inf at p = 1 and NaN outside [0,
// 1].
func (g Gaussian) Quantile(p float64) float64 {
	if !(p >= 0 && p <= 1) {
		return math.NaN()
	}
	return g.Mean + g.Scale*mathext.NormalQuantile(p)
}

// Draw turns a standard normal number into a draw from g.
func (g Gaussian) Draw(normal float64) float64 { return g.Mean + g.Scale*normal }

// GaussianMixture is a mixture of Gaussians: with equal weights, one for each bootstrap of BNP's
// context, or with the decoder's. A mixture of one component equals that [Gaussian].
type GaussianMixture struct {
	components []Gaussian
	weights    []float64 // nil: all are equal
}

// GaussianMixtureOf returns the mixture of the components. It keeps the slice, and panics if the
// slice is empty.
func GaussianMixtureOf(components []Gaussian) GaussianMixture {
	if len(components) == 0 {
		panic("likelihood: a mixture needs at least one component")
	}
	return GaussianMixture{components: components}
}

// WeightedGaussians returns the mixture of the components with weights softmax(logits). It keeps the
// slices, and panics if they are empty or of different lengths.
func WeightedGaussians(components []Gaussian, logits []float64) GaussianMixture {
	if len(components) == 0 || len(components) != len(logits) {
		panic("likelihood: a mixture needs at least one component, and a logit for each")
	}
	all := LogSumExp(logits)
	for k, a := range logits {
		logits[k] = math.Exp(a - all)
	}
	return GaussianMixture{components: components, weights: logits}
}

// In returns the mixture in the units that u converts to.
func (m GaussianMixture) In(u Units) GaussianMixture {
	return m.Map(func(c Gaussian) Gaussian { return Gaussian{Mean: u.location(c.Mean), Scale: u.scale(c.Scale)} })
}

// Map returns the mixture with each component replaced by f of it.
func (m GaussianMixture) Map(f func(Gaussian) Gaussian) GaussianMixture {
	components := make([]Gaussian, len(m.components))
	for k, c := range m.components {
		components[k] = f(c)
	}
	return GaussianMixture{components, m.weights}
}

// bracket returns that of the p-quantile.
func (m GaussianMixture) bracket(p float64) bracket {
	b, z := bracket{math.Inf(1), math.Inf(-1), math.Inf(1)}, Gaussian{Scale: 1}.Quantile(p)
	for _, c := range m.components {
		q := c.Mean + c.Scale*z
		b = bracket{math.Min(b.lo, q), math.Max(b.hi, q), math.Min(b.scale, c.Scale)}
	}
	return b
}

// least returns the smallest scale of the components.
func (m GaussianMixture) least() float64 {
	least := math.Inf(1)
	for _, c := range m.components {
		least = math.Min(least, c.Scale)
	}
	return least
}

// weight returns the weight of component k.
func (m GaussianMixture) weight(k int) float64 {
	if m.weights == nil {
		return 1 / float64(len(m.components))
	}
	return m.weights[k]
}

// Components returns the Gaussians, in the order of the decoder's outputs.
func (m GaussianMixture) Components() []Component {
	components := make([]Component, len(m.components))
	for k, c := range m.components {
		components[k] = Component{Tau: math.NaN(), Mu: c.Mean, Sigma: c.Scale, Weight: m.weight(k)}
	}
	return components
}

// average returns the mean of f over the components.
func (m GaussianMixture) average(f func(Gaussian) float64) float64 {
	sum := 0.0
	if m.weights == nil {
		for _, c := range m.components {
			sum += f(c)
		}
		return sum / float64(len(m.components))
	}
	for k, c := range m.components {
		sum += m.weights[k] * f(c)
	}
	return sum
}

// averageOfPairs returns the mean of f over two independent components. f does not depend on their order.
func (m GaussianMixture) averageOfPairs(f func(g, h Gaussian) float64) float64 {
	sum := 0.0
	for j, g := range m.components {
		others := m.weight(j) / 2 * f(g, g)
		for k := j + 1; k < len(m.components); k++ {
			others += m.weight(k) * f(g, m.components[k])
		}
		sum += 2 * m.weight(j) * others
	}
	return sum
}

// LogDensity returns log p(y) = logsumexp_k(log w_k + log N(y | μ_k, σ_k²)).
func (m GaussianMixture) LogDensity(y float64) float64 {
	joint := make([]float64, len(m.components))
	for k, c := range m.components {
		joint[k] = c.LogDensity(y)
	}
	if m.weights == nil {
		return LogSumExp(joint) - math.Log(float64(len(joint)))
	}
	for k, w := range m.weights {
		joint[k] += math.Log(w)
	}
	return LogSumExp(joint)
}

// CDF returns P(Y ≤ y).
func (m GaussianMixture) CDF(y float64) float64 {
	return min(m.average(func(g Gaussian) float64 { return g.CDF(y) }), 1) // the rounded weights may sum to more than 1
}

// Survival returns P(Y > y). Unlike 1 − CDF(y), it keeps its digits in the upper tail.
func (m GaussianMixture) Survival(y float64) float64 {
	return min(m.average(func(g Gaussian) float64 { return g.Survival(y) }), 1)
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
	last := len(m.components) - 1
	if m.weights == nil {
		return m.components[min(int(u*float64(last+1)), last)].Draw(normal)
	}
	k := 0
	for u -= m.weights[0]; u >= 0 && k < last; u -= m.weights[k] {
		k++
	}
	return m.components[k].Draw(normal)
}

// MixtureOfMixtures returns the mixture of mixtures with these weights, which sum to 1. It leaves out
// those of weight 0.
func MixtureOfMixtures(all []GaussianMixture, weights []float64) GaussianMixture {
	var mixture GaussianMixture
	for i, m := range all {
		if weights[i] == 0 {
			continue
		}
		for k, c := range m.components {
			mixture.components = append(mixture.components, c)
			mixture.weights = append(mixture.weights, weights[i]*m.weight(k))
		}
	}
	return mixture
}

// Merged returns the mixture with about most components or fewer, for computations that take time with
// their square. Components that follow one another by their means are merged, until a component
// has a weight of 1/most: the mean and the variance stay.
func (m GaussianMixture) Merged(most int) GaussianMixture {
	if len(m.components) <= most {
		return m
	}
	order := make([]int, len(m.components))
	for k := range order {
		order[k] = k
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(m.components[a].Mean, m.components[b].Mean), cmp.Compare(a, b))
	})
	var merged GaussianMixture
	weight, mean, square := 0.0, 0.0, 0.0
	for i, k := range order {
		c, w := m.components[k], m.weight(k)
		if weight += w; weight > 0 { // mean and variance of those so far, by their updates
			step := w / weight * (c.Mean - mean)
			square += w*c.Scale*c.Scale + w*(c.Mean-mean)*(c.Mean-mean-step)
			mean += step
		}
		if weight > 0 && (weight >= 1/float64(most) || i == len(order)-1) {
			merged.components = append(merged.components, Gaussian{mean, math.Sqrt(square / weight)})
			merged.weights = append(merged.weights, weight)
			weight, mean, square = 0, 0, 0
		}
	}
	return merged
}
