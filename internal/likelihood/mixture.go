package likelihood

import (
	"math"
	"slices"

	"github.com/acqnp/acqnp/internal/simd"
)

// Mixture is a mixture of asymmetric Laplace distributions, one for each quantile level: the
// paper's equation (9),
//
//	p(y) = Σ_k w_k AL(y | μ_k, σ_k, τ_k),  w = softmax(a),
//
// or the distribution of y that has it of log y, see [ExpOf]. The tail of a part of log y with σ ≥ τ is so long that y
// has no finite mean. Mean and Variance are therefore those of min(Y, q), where q is the quantile of Y at 0.99.
type Mixture struct {
	components []laplace
	weights    []float64 // w
	logWeights []float64
	scale      Scale // of all components: y or log y
}

// NewMixture reads the mixture of one channel from a decoder's outputs at one point. raw is [N_τ,
// 3·dy]; each row holds the blocks [μ_1..μ_dy, s_1..s_dy, a_1..a_dy], and form makes σ of s. z is
// [N_τ], the logits of the levels, which all channels share. Channels count from 0.
func NewMixture[T Float](raw, z []T, dy, channel int, form SigmaForm) Mixture {
	return NewMixtureIn(Units{Factor: 1}, raw, z, dy, channel, form)
}

// NewMixtureIn returns NewMixture(…).In(u), without making both.
func NewMixtureIn[T Float](u Units, raw, z []T, dy, channel int, form SigmaForm) Mixture {
	const most = 700 // of the kernel
	components, logits := make([]laplace, len(z)), make([]float64, len(z))
	for first := 0; first < len(z); first += block {
		n := min(block, len(z)-first)
		var s, e, log, level, eLevel, logLevel, inverse [block]float64
		for i := range n {
			row := raw[3*dy*(first+i):][:3*dy]
			s[i], level[i], logits[first+i] = float64(row[dy+channel]), float64(z[first+i]), float64(row[2*dy+channel])
			inverse[i] = math.Min(math.Abs(level[i]), most)
		}
		simd.Logistic(e[:], log[:], s[:])
		simd.Logistic(eLevel[:], logLevel[:], level[:])
		simd.Exps(inverse[:], inverse[:])
		for i := range n {
			if size := math.Abs(level[i]); size > most {
				inverse[i] = math.Exp(size)
			}
			sigma := form.Floor + (1-form.Floor)*(math.Max(s[i], 0)+log[i])
			c := &components[first+i]
			*c = AsymmetricLaplace{u.location(float64(raw[3*dy*(first+i)+channel])), u.scale(sigma), level[i]}.with(eLevel[i], logLevel[i], inverse[i])
			if form.Natural {
				c.Scale *= 4 * c.tau * c.rest
			}
		}
	}
	return mixtureOf(components, logits)
}

// MixtureOf returns the mixture of the components with weights softmax(weightLogits). It panics if
// there is no component or if the lengths differ.
func MixtureOf(components []AsymmetricLaplace, weightLogits []float64) Mixture {
	if len(components) != len(weightLogits) {
		panic("likelihood: a mixture needs a weight for each component")
	}
	prepared := make([]laplace, len(components))
	for k, c := range components {
		prepared[k] = c.prepare()
	}
	return mixtureOf(prepared, slices.Clone(weightLogits))
}

// mixtureOf returns the mixture of the components with weights softmax(logits). It keeps both slices.
func mixtureOf(components []laplace, logits []float64) Mixture {
	if len(components) == 0 {
		panic("likelihood: a mixture needs at least one component")
	}
	m := Mixture{components, make([]float64, len(logits)), logits, OfY}
	total := LogSumExp(logits)
	for k := range logits {
		logits[k] -= total
	}
	exps(m.weights, logits)
	return m
}

// on returns the distribution of exp of a number that m is the distribution of; m itself on the scale of y.
func (m Mixture) on(s Scale) Distribution {
	m.scale = s
	return m
}

// plain returns the mixture of numbers on the scale.
func (m Mixture) plain() Mixture {
	m.scale = OfY
	return m
}

func (m Mixture) real() Distribution { return m }

// Support implements [Distribution]: Y can be any number.
func (m Mixture) Support() Support { return Support{} }

// HasLevels implements [Distribution].
func (m Mixture) HasLevels() bool { return true }

// In returns the mixture of y in the units that u converts to.
func (m Mixture) In(u Units) Mixture {
	m.components = slices.Clone(m.components)
	for k := range m.components {
		c := &m.components[k]
		c.Location, c.Scale = u.location(c.Location), u.scale(c.Scale)
	}
	return m
}

// Components returns the component of each level, in the order of the decoder's outputs.
func (m Mixture) Components() []Component {
	components := make([]Component, len(m.components))
	for k, c := range m.components {
		components[k] = Component{Tau: c.tau, Mu: c.Location, Sigma: c.Scale, Weight: m.weights[k], Scale: m.scale}
	}
	return components
}

// LogDensity returns log p(y) = logsumexp_k(log w_k + log AL(z | μ_k, σ_k, τ_k)) − log dy/dz, where z is y on the scale.
func (m Mixture) LogDensity(y float64) float64 {
	z := m.scale.Place(y)
	return LogSumExp(m.joint(z)) - m.scale.logSlope(z)
}

// joint returns log w_k + log AL(z | μ_k, σ_k, τ_k) for every component: [N_τ].
func (m Mixture) joint(z float64) []float64 {
	joint := make([]float64, len(m.components))
	for k, c := range m.components {
		joint[k] = m.logWeights[k] + c.logDensity(z)
	}
	return joint
}

// CDF returns P(Y ≤ y).
func (m Mixture) CDF(y float64) float64 {
	z, sum := m.scale.Place(y), 0.0
	for k, c := range m.components {
		sum += m.weights[k] * c.cdf(z)
	}
	return math.Min(sum, 1) // the rounded weights may sum to more than 1
}

// Survival returns P(Y > y). Unlike 1 − CDF(y), it keeps its digits in the upper tail.
func (m Mixture) Survival(y float64) float64 {
	z, sum := m.scale.Place(y), 0.0
	if m.scale == LogY && !(y > 0) {
		return 1
	}
	for k, c := range m.components {
		sum += m.weights[k] * c.survival(z)
	}
	return math.Min(sum, 1)
}

// Quantile returns the smallest float64 y with CDF(y) ≥ p. It is −Inf at p = 0, or 0 of a mixture of log y, +Inf at
// p = 1 and NaN outside [0, 1].
func (m Mixture) Quantile(p float64) float64 {
	if slices.ContainsFunc(m.weights, math.IsNaN) {
		return math.NaN() // comparisons with NaN are false: the search would return a bound
	}
	return mixtureQuantile(m, p, len(m.components), func(k int) float64 { return m.scale.Value(m.components[k].quantile(p)) })
}

// Mean returns Σ_k w_k (μ_k + (1−2τ_k)/(τ_k(1−τ_k)) σ_k) or, of a mixture of log y, E[min(Y, q)]: +Inf if that is too
// large for a float64.
func (m Mixture) Mean() float64 {
	if m.scale == LogY {
		return m.expMoment(1)
	}
	mean := 0.0
	for k, w := range m.weights {
		mean += w * m.components[k].mean()
	}
	return mean
}

// Variance returns the mean of the components' variances plus the variance of their means or, of a mixture of log y,
// the variance of min(Y, q): +Inf if that is too large for a float64.
func (m Mixture) Variance() float64 {
	if m.scale == LogY {
		mean, square := m.expMoment(1), m.expMoment(2)
		if math.IsInf(square, 1) {
			return square
		}
		if v := square - mean*mean; v > cancelled*square {
			return v
		}
		return mean * mean * m.plain().Variance()
	}
	mean, variance := m.Mean(), 0.0
	for k, w := range m.weights {
		d := m.components[k].mean() - mean
		variance += w * (m.components[k].variance() + d*d)
	}
	return variance
}

// Draw turns two independent numbers, uniform on the multiples of 2⁻²⁴ in [0, 1), into a draw from
// m: the first picks the component, the second the value.
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
	return m.scale.Value(m.components[last].quantile(centred(uValue)))
}

// sums returns the mixture in the form that simd.LaplaceSums adds up fast. It returns false if a
// parameter is not finite.
func (m Mixture) sums() (simd.LaplaceTerms, bool) {
	terms, sum := simd.NewLaplaceTerms(len(m.components)), 0.0
	for k := range m.components {
		c, w := &m.components[k], m.weights[k]
		rate := 1 / c.Scale
		t := simd.LaplaceTerm{Location: c.Location, Up: c.rest * rate, Down: c.tau * rate, Low: w * c.tau, High: w * c.rest, Whole: w}
		t.Height = t.Low * t.Up
		terms.Set(k, &t)
		sum += 0 * (t.Location + t.Up + t.Down + t.Height)
	}
	return terms, sum == 0 // 0 times a NaN or an infinity is a NaN
}

// densities computes most of them in about a twentieth of the time of LogDensity.
func (m Mixture) densities(ys []float64) []float64 {
	densities := make([]float64, len(ys))
	terms, ok := m.sums()
	for i, y := range ys {
		switch {
		case !ok || math.IsInf(y, 0) || math.IsNaN(y):
			densities[i] = math.Exp(m.LogDensity(y))
		case m.scale == OfY:
			_, densities[i] = simd.LaplaceSums(terms, y)
		case y > 0:
			_, p := simd.LaplaceSums(terms, math.Log(y))
			densities[i] = p / y
		}
	}
	return densities
}

// cancelled is the ratio of variance to mean square below which their difference is mostly rounding. exp is nearly a
// line over so narrow a distribution.
const cancelled = 1e-8

// maxExponent is the logarithm of the largest float64.
const maxExponent = 709.78

// expMoment returns E[min(Y, q)^k] of a mixture of log y.
func (m Mixture) expMoment(k float64) float64 {
	most, sum := m.newtonQuantiles(cut)[0], 0.0
	if k*most > maxExponent {
		return math.Inf(1) // so are all values above the cut
	}
	for i, w := range m.weights {
		if w > 0 {
			sum += w * m.components[i].expMoment(k, most)
		}
	}
	return sum
}

// cut is the probability above which Mean and Variance, and CRPS of a Mixture, cut the upper tail of log y.
const cut = 0.99
