package likelihood

import (
	"cmp"
	"math"
	"slices"

	"github.com/acqnp/acqnp/internal/simd"
)

// newtonQuantiles sets quantiles[i] to the quantile at ps[i], by Newton's method from that of the next
// smaller p.
func (m Mixture) newtonQuantiles(quantiles, ps []float64) {
	terms, finite := m.sums()
	scale := math.Inf(1)
	for k := range m.components {
		scale = min(scale, m.components[k].Scale)
	}
	mean, sd := m.Mean(), math.Sqrt(m.Variance())
	n := newton{terms: terms, scale: scale, x: mean, lowest: math.Inf(-1)}
	for _, i := range increasing(ps) {
		b := bracket{scale: scale}
		b.lo, b.hi = cantelli(ps[i], mean, sd)
		if !(b.hi-b.lo < 1e3*scale) {
			b.lo, b.hi = m.between(ps[i])
		}
		q := 0.0
		if finite && b.narrow() {
			q = n.quantile(ps[i], b)
		} else {
			q = m.Quantile(ps[i])
		}
		n.lowest = max(n.lowest, q)
		quantiles[i] = n.lowest
	}
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
	terms  simd.LaplaceTerms
	scale  float64 // the smallest of the components
	x      float64 // where the search begins
	lowest float64 // the last quantile
	f, d   float64 // distribution function and density at x, if d > 0
}

// quantile returns the p-quantile, which b holds. The next search begins there.
//
// The logarithm of the density changes by no more than 1/scale per unit of y. A Newton step s therefore
// ends within about s²/(2·scale) of the quantile: of a step of 4e-5 scales, within 1e-9.
func (n *newton) quantile(p float64, b bracket) float64 {
	const last, rounding = 4e-5, 0x1p-51
	tolerance := max(1e-9*n.scale, rounding*max(math.Abs(b.lo), math.Abs(b.hi)))
	x := n.x
	if n.d > 0 {
		x += (p - n.f) / n.d
	}
	before := math.Inf(1) // the size of the last step
	for range 200 {
		if !(x > b.lo && x < b.hi) {
			x, before = b.lo+(b.hi-b.lo)/2, b.hi-b.lo
		}
		n.x = x
		n.f, n.d = simd.LaplaceSums(n.terms, x)
		if n.f <= p {
			b.lo = x
		} else {
			b.hi = x
		}
		step := (p - n.f) / n.d
		size := math.Abs(step)
		if size < last*n.scale {
			return x + step
		}
		if n.f == p || b.hi-b.lo <= tolerance {
			break
		}
		if x += step; size > before/2 {
			x = math.NaN() // halve instead
		}
		before = size
	}
	return n.x
}
