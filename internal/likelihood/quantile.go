package likelihood

import (
	"cmp"
	"math"
	"slices"

	"github.com/acqnp/acqnp/internal/simd"
)

// mixtureQuantile returns the p-quantile of a mixture d of n components; quantile(k) is the
// p-quantile of component k. The mixture's quantile lies between the smallest and the largest of
// these: at the smallest, no component has a CDF above p, and at the largest, none has a CDF below
// p. Up to p = ½ it compares distribution functions, above it survival functions, because the
// smaller of the two keeps its digits.
func mixtureQuantile(d Distribution, p float64, n int, quantile func(k int) float64) float64 {
	lo, hi := outermost(n, quantile)
	switch {
	case !(lo < hi):
		return lo
	case p <= 0.5:
		return bisect(lo, hi, 0, func(y float64) bool { return d.CDF(y) >= p })
	}
	return bisect(lo, hi, 0, func(y float64) bool { return d.Survival(y) <= 1-p })
}

// outermost returns the smallest and the largest quantile of n components.
func outermost(n int, quantile func(k int) float64) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for k := range n {
		q := quantile(k)
		lo, hi = math.Min(lo, q), math.Max(hi, q) // NaN stays NaN
	}
	return lo, hi
}

// bisect returns the smallest float64 in (lo, hi] at which a monotone condition holds, or hi if it
// never does. It halves the number of float64s between the bounds, not their distance, so it takes
// at most 64 steps for any distance. What it returns may be larger by within.
func bisect(lo, hi, within float64, holds func(float64) bool) float64 {
	a, b := rank(lo), rank(hi)
	for a+1 < b && unrank(b)-unrank(a) > within {
		mid := a>>1 + b>>1 + a&b&1 // the sum could overflow
		if holds(unrank(mid)) {
			b = mid
		} else {
			a = mid
		}
	}
	return unrank(b)
}

// rank returns the number of f among the float64s in increasing order; 0 has the number 0.
func rank(f float64) int64 {
	if bits := int64(math.Float64bits(f)); bits >= 0 {
		return bits
	}
	return -int64(math.Float64bits(-f))
}

// unrank returns the float64 with a number, as rank counts them.
func unrank(n int64) float64 {
	if n >= 0 {
		return math.Float64frombits(uint64(n))
	}
	return -math.Float64frombits(uint64(-n))
}

// ApproximateQuantiles approximates d.Quantile(p) for each p in (0, 1). It takes about a tenth of the
// time of Quantile, and less than a hundredth for a [Mixture]. Besides rounding, the error is at most
// 1e-9 times the smallest scale of a component, or times the distance of the quantiles of the parts of y and the parts
// of another [Scale] if that is below 1e5 scales of the former; within this error, a quantile may depend on the other
// ps. Quantiles increase with p.
func ApproximateQuantiles(d Distribution, ps ...float64) []float64 { return d.quantiles(1e-9, ps) }

func (m Mixture) quantiles(_ float64, ps []float64) []float64 {
	quantiles := m.newtonQuantiles(ps...)
	for i, z := range quantiles {
		quantiles[i] = m.scale.Value(z)
	}
	return quantiles
}

// quantiles searches them on the scale of all parts or, of parts on two scales, between the quantiles of both.
func (m GaussianMixture) quantiles(within float64, ps []float64) []float64 {
	if m.bent == 0 || m.bent == len(m.components) {
		quantiles := m.newtonQuantiles(ps...)
		for i, z := range quantiles {
			quantiles[i] = m.support.valueOf(m.scale.Value(z))
		}
		return quantiles
	}
	quantiles := make([]float64, len(ps))
	ofY, others := m.byScale()
	a, b, of, least := ofY.quantiles(within, ps), others.quantiles(within, ps), m.unbounded(), ofY.bracket(0.5).scale
	for i, p := range ps {
		lo, hi := min(a[i], b[i]), max(a[i], b[i])
		q := lo
		switch f := func(y float64) float64 { return of.CDF(y) - p }; {
		case hi-lo >= mostScales*least: // one part's quantile is far beyond all that the other says
			q = bisect(lo, hi, within*least, func(y float64) bool { return f(y) >= 0 })
		case lo < hi:
			q = root(f, lo, f(lo), hi, f(hi), within*(hi-lo))
		}
		quantiles[i] = m.support.valueOf(q)
	}
	return quantiles
}

// A bracket is an interval that contains a quantile of a mixture. It reaches from the smallest to the
// largest of the components' quantiles.
type bracket struct{ lo, hi, scale float64 } // scale is the smallest of the components

// mostScales is the width, in scales, of a bracket in which searches keep their digits.
const mostScales = 1e5

// narrow reports whether a bracket is not empty, and narrow enough to be searched.
func (b bracket) narrow() bool { return b.lo < b.hi && b.hi-b.lo < mostScales*b.scale }

// cantelli returns a bracket of the p-quantile of a distribution by Cantelli's inequality: P(Y ≤ μ−kσ)
// is at most 1/(1+k²), and so is P(Y ≥ μ+kσ). It is a little wider, for rounding errors.
func cantelli(p, mean, sd float64) (lo, hi float64) {
	const wider = 1.001
	return mean - wider*sd*math.Sqrt((1-p)/p), mean + wider*sd*math.Sqrt(p/(1-p))
}

// newtonQuantiles returns the quantiles at ps on the scale of the components.
func (m Mixture) newtonQuantiles(ps ...float64) []float64 {
	m = m.plain()
	terms, finite := m.sums()
	scale := math.Inf(1)
	for k := range m.components {
		scale = min(scale, m.components[k].Scale)
	}
	mean, sd := m.Mean(), math.Sqrt(m.Variance())
	sums := func(y float64) (probability, density float64) { return simd.LaplaceSums(terms, y) }
	n := newton{sums: sums, last: 4e-5, x: mean, lowest: math.Inf(-1)}
	return n.quantiles(m, ps, func(p float64) bracket {
		b := bracket{scale: scale}
		b.lo, b.hi = cantelli(p, mean, sd)
		if !(b.hi-b.lo < 1e3*scale) {
			b.lo, b.hi = outermost(len(m.components), func(k int) float64 { return m.components[k].quantile(p) })
		}
		if !finite {
			b.hi = b.lo
		}
		return b
	})
}

// newtonQuantiles returns the quantiles at ps on the scale of the components, which are of one.
func (m GaussianMixture) newtonQuantiles(ps ...float64) []float64 {
	m = m.plain()
	normal := Gaussian{m.Mean(), math.Sqrt(m.Variance())}
	n := newton{sums: newNormalSums(m).probability, last: 1e-5, begin: normal.Quantile, lowest: math.Inf(-1)}
	return n.quantiles(m, ps, m.bracket)
}

// quantiles returns the quantiles of d at ps, by Newton's method from that of the next smaller p in the bracket of p.
// Where that is not narrow, it is d.Quantile(p).
func (n *newton) quantiles(d Distribution, ps []float64, bracketOf func(p float64) bracket) []float64 {
	quantiles := make([]float64, len(ps))
	for _, i := range increasing(ps) {
		q := 0.0
		if b := bracketOf(ps[i]); b.narrow() {
			q = n.quantile(ps[i], b)
		} else {
			q = d.Quantile(ps[i])
		}
		n.lowest = max(n.lowest, q)
		quantiles[i] = n.lowest
	}
	return quantiles
}

// increasing returns the indices of ps in the order of their values.
func increasing(ps []float64) []int {
	order := make([]int, len(ps))
	for i := range order {
		order[i] = i
	}
	if !slices.IsSorted(ps) {
		slices.SortStableFunc(order, func(i, j int) int {
			return cmp.Compare(ps[i], ps[j])
		})
	}
	return order
}

// A newton searches quantiles of increasing levels.
type newton struct {
	sums   func(y float64) (probability, density float64)
	last   float64                 // the largest last step, in units of the smallest scale
	begin  func(p float64) float64 // where each search begins, so that a quantile does not depend on other levels; nil: see x
	x      float64                 // where the search begins
	lowest float64                 // the last quantile
	f, d   float64                 // distribution function and density at x, if d > 0
}

// quantile returns the p-quantile, which b holds. The next search begins there.
//
// The logarithm of the density changes by no more than 1/scale per unit of y, or z/scale for Gaussians, z deviations
// from the mean of one. A Newton step s therefore ends within about z·s²/(2·scale) of the quantile: of a step of 4e-5
// scales, or 1e-5 with z up to 20, within 1e-9.
func (n *newton) quantile(p float64, b bracket) float64 {
	x := n.x
	switch {
	case n.begin != nil:
		x = n.begin(p)
	case n.d > 0:
		x += (p - n.f) / n.d
	}
	f := func(x float64) (value, slope float64) {
		n.x = x
		n.f, n.d = n.sums(x)
		return n.f - p, n.d
	}
	return newtonRoot(f, b.lo, b.hi, x, stop{step: n.last * b.scale, width: 1e-9 * b.scale})
}

// root returns an x between a and b with f(x) ≤ 0, and with a zero of f at most tolerance away. f
// must be continuous, and fa = f(a) and fb = f(b) must have different signs. The method is
// Chandrupatla's: inverse quadratic interpolation where it is safe, else halving.
func root(f func(float64) float64, a, fa, b, fb, tolerance float64) float64 {
	const rounding = 0x1p-51 // two steps of a float64 below 1
	tolerance = math.Max(tolerance, rounding*math.Max(math.Abs(a), math.Abs(b)))
	c, fc := b, fb // the end of the bracket before the last
	t := 0.5       // the next x lies at this part of the way from a to b
	for range 200 {
		x := a + t*(b-a)
		if x == a || x == b {
			break
		}
		fx := f(x)
		if (fx < 0) == (fa < 0) {
			c, fc = a, fa
		} else {
			c, fc, b, fb = b, fb, a, fa
		}
		a, fa = x, fx
		width := math.Abs(b - a)
		if fa == 0 || width <= tolerance {
			break
		}
		t = 0.5
		if xi, phi := (a-b)/(c-b), (fa-fb)/(fc-fb); phi*phi < xi && (1-phi)*(1-phi) < 1-xi {
			t = fa/(fb-fa)*fc/(fb-fc) + (c-a)/(b-a)*fa/(fc-fa)*fb/(fc-fb)
		}
		if least := 0.5 * tolerance / width; !(t >= least) {
			t = least
		} else if t > 1-least {
			t = 1 - least
		}
	}
	if fa <= 0 {
		return a
	}
	return b
}

// A stop says when a search by Newton's method ends: at a value or before a step of at most so much, which is still
// taken, or in an interval of at most a width.
type stop struct{ value, step, width float64 }

// newtonRoot returns a zero of f near x. f returns a value and its derivative; it is negative at a and positive at b,
// which need not be in order. Newton's method takes the steps that stay between the two and halve at least; others halve
// the interval.
func newtonRoot(f func(float64) (value, slope float64), a, b, x float64, end stop) float64 {
	const rounding = 0x1p-51
	width := math.Max(end.width, rounding*math.Max(math.Abs(a), math.Abs(b)))
	inside := func(x float64) bool { return x > min(a, b) && x < max(a, b) }
	before := math.Inf(1) // the size of the last step
	for range 200 {
		if !inside(x) {
			x, before = a+(b-a)/2, math.Abs(b-a)
		}
		value, slope := f(x)
		if value < 0 {
			a = x
		} else {
			b = x
		}
		next := x - value/slope
		size := math.Abs(next - x)
		switch {
		case size < end.step || math.Abs(value) <= end.value && inside(next):
			return next
		case math.Abs(value) <= end.value || math.Abs(b-a) <= width || math.IsNaN(value):
			return x
		}
		if size > before/2 || size < width/2 {
			next = math.NaN() // halve instead
		}
		x, before = next, size
	}
	return x
}
