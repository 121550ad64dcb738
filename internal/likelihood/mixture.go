package likelihood

import (
	"math"
	"slices"

	"github.com/acqnp/acqnp/internal/simd"
)

// Mixture is a mixture of asymmetric Laplace distributions, one for each quantile level: the
// paper's equation (9),
//
//	p(y) = Σ_k w_k AL(y | μ_k, σ_k, τ_k),  w = softmax(a).
type Mixture struct {
	components []laplace
	weights    []float64 // w
	logWeights []float64
}

// NewMixture reads the mixture of one channel from a decoder's outputs at one point. raw is [N_τ,
// 3·dy]; each row holds the blocks [μ_1..μ_dy, s_1..s_dy, a_1..a_dy], and scale makes σ of s. z is
// [N_τ], the logits of the levels, which all channels share. Channels count from 0.
func NewMixture[T Float](raw, z []T, dy, channel int, scale Scale) Mixture {
	return NewMixtureIn(Units{Factor: 1}, raw, z, dy, channel, scale)
}

// NewMixtureIn returns NewMixture(…).In(u), without making both.
func NewMixtureIn[T Float](u Units, raw, z []T, dy, channel int, scale Scale) Mixture {
	components, logits := make([]laplace, len(z)), make([]float64, len(z))
	for first := 0; first < len(z); first += block {
		n := min(block, len(z)-first)
		readComponents(components[first:][:n], logits[first:][:n], raw[3*dy*first:], z[first:], decoded{u, dy, channel, scale})
	}
	return mixtureOf(components, logits)
}

// decoded says which parameters of a decoder's outputs belong to a mixture, and its units.
type decoded struct {
	Units
	dy, channel int
	form        Scale
}

// readComponents reads up to block components of a mixture.
func readComponents[T Float](components []laplace, logits []float64, raw, levels []T, of decoded) {
	const most = 700 // of the kernel
	var s, e, log, z, eLevel, logLevel, inverse [block]float64
	for i := range components {
		row := raw[3*of.dy*i:][:3*of.dy]
		s[i], z[i], logits[i] = float64(row[of.dy+of.channel]), float64(levels[i]), float64(row[2*of.dy+of.channel])
		inverse[i] = math.Min(math.Abs(z[i]), most)
	}
	simd.Logistic(e[:], log[:], s[:])
	simd.Logistic(eLevel[:], logLevel[:], z[:])
	simd.Exps(inverse[:], inverse[:])
	for i := range components {
		if size := math.Abs(z[i]); size > most {
			inverse[i] = math.Exp(size)
		}
		sigma := of.form.Floor + (1-of.form.Floor)*(math.Max(s[i], 0)+log[i])
		d := AsymmetricLaplace{of.location(float64(raw[3*of.dy*i+of.channel])), of.scale(sigma), z[i]}
		components[i] = d.with(eLevel[i], logLevel[i], inverse[i])
		if c := &components[i]; of.form.Natural {
			c.Scale *= 4 * c.tau * c.rest
		}
	}
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
	m := Mixture{components, make([]float64, len(logits)), logits}
	total := LogSumExp(logits)
	for k := range logits {
		logits[k] -= total
	}
	exps(m.weights, logits)
	return m
}

// In returns the mixture in the units that u converts to.
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
		components[k] = Component{Tau: c.tau, Mu: c.Location, Sigma: c.Scale, Weight: m.weights[k]}
	}
	return components
}

// LogDensity returns log p(y) = logsumexp_k(log w_k + log AL(y | μ_k, σ_k, τ_k)).
func (m Mixture) LogDensity(y float64) float64 { return LogSumExp(m.joint(y)) }

// joint returns log w_k + log AL(y | μ_k, σ_k, τ_k) for every component: [N_τ].
func (m Mixture) joint(y float64) []float64 {
	joint := make([]float64, len(m.components))
	for k, c := range m.components {
		joint[k] = m.logWeights[k] + c.logDensity(y)
	}
	return joint
}

// CDF returns P(Y ≤ y).
func (m Mixture) CDF(y float64) float64 {
	sum := 0.0
	for k, c := range m.components {
		sum += m.weights[k] * c.cdf(y)
	}
	return math.Min(sum, 1) // the rounded weights may sum to more than 1
}

// Survival returns P(Y > y). Unlike 1 − CDF(y), it keeps its digits in the upper tail.
func (m Mixture) Survival(y float64) float64 {
	sum := 0.0
	for k, c := range m.components {
		sum += m.weights[k] * c.survival(y)
	}
	return math.Min(sum, 1)
}

// Quantile returns the smallest float64 y with CDF(y) ≥ p. It is −Inf at p = 0, +Inf at p = 1 and
// NaN outside [0, 1].
func (m Mixture) Quantile(p float64) float64 {
	if slices.ContainsFunc(m.weights, math.IsNaN) {
		return math.NaN() // comparisons with NaN are false: the search would return a bound
	}
	return mixtureQuantile(m, p, len(m.components), func(k int) float64 { return m.components[k].quantile(p) })
}

// Mean returns Σ_k w_k (μ_k + (1−2τ_k)/(τ_k(1−τ_k)) σ_k).
func (m Mixture) Mean() float64 {
	mean := 0.0
	for k, w := range m.weights {
		mean += w * m.components[k].mean()
	}
	return mean
}

// Variance returns the mean of the components' variances plus the variance of their means.
func (m Mixture) Variance() float64 {
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
	return m.components[last].quantile(centred(uValue))
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

// Densities returns the density exp(d.LogDensity(y)) at each y, for many y in about a twentieth of the
// time if d is a [Mixture] or its [Exp]. The relative error is that of rounding. Of a [Supported] it is the density
// beside atoms, and the probability of the nearest whole number.
func Densities(d Distribution, ys []float64) []float64 {
	densities := make([]float64, len(ys))
	if s, ok := d.(Supported); ok {
		for i, y := range ys {
			densities[i] = s.density(y)
		}
		return densities
	}
	z, exp := d, false
	if e, ok := d.(Exp); ok {
		z, exp = e.z, true
	}
	m, ok := z.(Mixture)
	var terms simd.LaplaceTerms
	if ok {
		terms, ok = m.sums()
	}
	for i, y := range ys {
		switch {
		case !ok || math.IsInf(y, 0) || math.IsNaN(y):
			densities[i] = math.Exp(d.LogDensity(y))
		case !exp:
			_, densities[i] = simd.LaplaceSums(terms, y)
		case y > 0:
			_, p := simd.LaplaceSums(terms, math.Log(y))
			densities[i] = p / y
		}
	}
	return densities
}
