package likelihood

import (
	"cmp"
	"math"
	"slices"
)

// GaussianMixture is a mixture of Gaussians: with equal weights, one for each bootstrap of BNP's
// context, or with weights. Parts can be of y or of y on one other [Scale], see On and [MixtureOfMixtures], and
// Y can have a [Support]. A mixture of one component of y equals that [Gaussian].
//
// With weights, the tails of parts of log y can be so long that their mean is a thousand medians. Mean and Variance
// are therefore those of min(Y, q) for these parts, where q is their quantile at 0.99. CRPS leaves out the levels
// above 0.99.
type GaussianMixture struct {
	components []Gaussian // those of y first
	weights    []float64  // nil: all are equal
	bent       int        // how many of the components, the last ones, are of y on scale
	scale      Scale
	support    Support
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

// On returns the distribution of the Y that has the distribution m of y on a scale.
func (m GaussianMixture) On(s Scale) GaussianMixture {
	if s != OfY {
		m.bent, m.scale = len(m.components), s
	}
	return m
}

func (m GaussianMixture) on(s Scale) Distribution { return m.On(s) }

// Support implements [Distribution].
func (m GaussianMixture) Support() Support { return m.support }

func (m GaussianMixture) real() Distribution { return m.unbounded() }

// unbounded returns the mixture of the real numbers that become values of Y.
func (m GaussianMixture) unbounded() GaussianMixture {
	m.support = Support{}
	return m
}

// plain returns the mixture of numbers on a scale, for parts that are all of one.
func (m GaussianMixture) plain() GaussianMixture {
	return GaussianMixture{components: m.components, weights: m.weights}
}

// isPlain reports whether all parts are of y, which can be any number.
func (m GaussianMixture) isPlain() bool { return m.bent == 0 && m.support.Real() }

// isLog reports whether all parts are of log y.
func (m GaussianMixture) isLog() bool { return m.scale == LogY && m.bent == len(m.components) }

// scaleOf returns the scale of component k.
func (m GaussianMixture) scaleOf(k int) Scale {
	if k < len(m.components)-m.bent {
		return OfY
	}
	return m.scale
}

// byScale returns the parts of y and the others, as mixtures of their own.
func (m GaussianMixture) byScale() (ofY, others GaussianMixture) {
	n, weights := len(m.components)-m.bent, make([]float64, len(m.components))
	for k := range weights {
		weights[k] = m.weight(k)
	}
	normalise(weights[:n])
	normalise(weights[n:])
	return GaussianMixture{components: m.components[:n], weights: weights[:n]},
		GaussianMixture{components: m.components[n:], weights: weights[n:]}.On(m.scale)
}

// normalise divides weights by their sum.
func normalise(weights []float64) {
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	for k := range weights {
		weights[k] /= sum
	}
}

// In returns the mixture in the units that u converts to, which have no offset if parts are on another scale.
func (m GaussianMixture) In(u Units) GaussianMixture {
	bent := m.scale.units(u)
	m.components = slices.Clone(m.components)
	for k, c := range m.components {
		if m.scaleOf(k) != OfY {
			u = bent
		}
		m.components[k] = Gaussian{Mean: u.location(c.Mean), Scale: u.scale(c.Scale)}
	}
	return m
}

// Map returns the mixture with each component replaced by f of it.
func (m GaussianMixture) Map(f func(Gaussian) Gaussian) GaussianMixture {
	m.components = slices.Clone(m.components)
	for k, c := range m.components {
		m.components[k] = f(c)
	}
	return m
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
		components[k] = Component{Tau: math.NaN(), Mu: c.Mean, Sigma: c.Scale, Weight: m.weight(k), Scale: m.scaleOf(k)}
	}
	return components
}

// average returns the mean of f over the components.
func (m GaussianMixture) average(f func(Gaussian) float64) float64 {
	return m.averageAt(0, func(g Gaussian, _ float64) float64 { return f(g) })
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

// averageAt returns the mean of f over the components, each with the place of y on its scale.
func (m GaussianMixture) averageAt(y float64, f func(g Gaussian, z float64) float64) float64 {
	z, sum := y, 0.0
	for k, c := range m.components {
		if k == len(m.components)-m.bent {
			z = m.scale.Place(y)
		}
		if m.weights != nil {
			sum += m.weights[k] * f(c, z)
		} else {
			sum += f(c, z)
		}
	}
	if m.weights == nil {
		return sum / float64(len(m.components))
	}
	return sum
}

// LogDensity returns log p(y) = logsumexp_k(log w_k + log N(z | μ_k, σ_k²) − log dy/dz), where z is y on the scale of
// component k. With a [Support], it is log P(Y = y) at an atom and for whole numbers.
func (m GaussianMixture) LogDensity(y float64) float64 {
	if !m.support.Real() {
		return m.logProbability(y)
	}
	joint := make([]float64, len(m.components))
	z, slope := y, 0.0
	for k, c := range m.components {
		if k == len(joint)-m.bent {
			z = m.scale.Place(y)
			slope = m.scale.logSlope(z)
		}
		joint[k] = c.LogDensity(z) - slope
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
	switch low, high := m.support.Bounds(); {
	case y < low:
		return 0
	case y >= high:
		return 1
	}
	return min(m.averageAt(m.support.edge(y), Gaussian.CDF), 1) // the rounded weights may sum to more than 1
}

// Survival returns P(Y > y). Unlike 1 − CDF(y), it keeps its digits in the upper tail.
func (m GaussianMixture) Survival(y float64) float64 {
	switch low, high := m.support.Bounds(); {
	case y < low || m.isLog() && !(m.support.edge(y) > 0):
		return 1
	case y >= high:
		return 0
	}
	return min(m.averageAt(m.support.edge(y), Gaussian.Survival), 1)
}

// Quantile returns the smallest y with CDF(y) ≥ p: at p = 0 and p = 1 it is the least and the greatest value, which may
// be infinite. It is NaN outside [0, 1].
func (m GaussianMixture) Quantile(p float64) float64 {
	of := func(k int) float64 { return m.scaleOf(k).Value(m.components[k].Quantile(p)) }
	return m.support.valueOf(mixtureQuantile(m.unbounded(), p, len(m.components), of))
}

// HasLevels implements [Distribution].
func (m GaussianMixture) HasLevels() bool { return false }

// Draw turns two independent numbers into a draw from m: u, uniform on [0, 1), picks the component,
// and normal is standard normal.
func (m GaussianMixture) Draw(u, normal float64) float64 {
	k, last := 0, len(m.components)-1
	if m.weights == nil {
		k = min(int(u*float64(last+1)), last)
	} else {
		for u -= m.weights[0]; u >= 0 && k < last; u -= m.weights[k] {
			k++
		}
	}
	return m.support.valueOf(m.scaleOf(k).Value(m.components[k].Draw(normal)))
}

func (m GaussianMixture) densities(ys []float64) []float64 {
	densities := make([]float64, len(ys))
	low, high := m.support.Bounds()
	for i, y := range ys {
		switch {
		case m.support.Whole:
			densities[i], _, _ = atom(m, math.Ceil(y-0.5))
		case !(y < low || y > high):
			densities[i] = math.Exp(m.unbounded().LogDensity(y))
		}
	}
	return densities
}

// MixtureOfMixtures returns the mixture of mixtures with these weights, which sum to 1. It leaves out
// those of weight 0. The mixtures are of y and of y on one other scale.
func MixtureOfMixtures(all []GaussianMixture, weights []float64) (mixture GaussianMixture) {
	var bent GaussianMixture
	for i, m := range all {
		if weights[i] == 0 {
			continue
		}
		for k, c := range m.components {
			to := &mixture
			if m.scaleOf(k) != OfY {
				to, mixture.scale = &bent, m.scale
			}
			to.add(c, weights[i]*m.weight(k))
		}
	}
	return mixture.with(bent)
}

// add adds a component.
func (m *GaussianMixture) add(c Gaussian, weight float64) {
	m.components, m.weights = append(m.components, c), append(m.weights, weight)
}

// with returns the mixture with the components of another one, which are of m's other scale.
func (m GaussianMixture) with(bent GaussianMixture) GaussianMixture {
	m.components, m.weights, m.bent = append(m.components, bent.components...), append(m.weights, bent.weights...), len(bent.components)
	return m
}

// Merged returns the mixture with about most components or fewer of each scale, for computations that take time with
// their square. Components that follow one another by their means are merged, until a component
// has a weight of 1/most of its scale: the mean and the variance on the scale stay.
func (m GaussianMixture) Merged(most int) GaussianMixture {
	if len(m.components) <= most {
		return m
	}
	merged, n := m.merged(0, len(m.components)-m.bent, most), len(m.components)-m.bent
	merged.scale, merged.support = m.scale, m.support
	return merged.with(m.merged(n, len(m.components), most))
}

// merged returns the components from one to before another, which are of one scale, with about most or fewer.
func (m GaussianMixture) merged(first, end, most int) (merged GaussianMixture) {
	order, share := make([]int, end-first), 0.0
	for i := range order {
		order[i] = first + i
		share += m.weight(first + i)
	}
	if len(order) <= most {
		for _, k := range order {
			merged.add(m.components[k], m.weight(k))
		}
		return merged
	}
	if len(order) == len(m.components) {
		share = 1
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(m.components[a].Mean, m.components[b].Mean), cmp.Compare(a, b))
	})
	weight, mean, square := 0.0, 0.0, 0.0
	for i, k := range order {
		c, w := m.components[k], m.weight(k)
		if weight += w; weight > 0 { // mean and variance of those so far, by their updates
			step := w / weight * (c.Mean - mean)
			square += w*c.Scale*c.Scale + w*(c.Mean-mean)*(c.Mean-mean-step)
			mean += step
		}
		if weight > 0 && (weight >= share/float64(most) || i == len(order)-1) {
			merged.add(Gaussian{mean, math.Sqrt(square / weight)}, weight)
			weight, mean, square = 0, 0, 0
		}
	}
	return merged
}
