package simple

import (
	"math"
	"slices"

	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/points"
)

// Points beyond a bound have the probability of their side where others have a density, and expectation propagation
// ([Minka] 2001) makes a Gaussian of it, the one that changes the prediction's mean and variance as the side does: with g
// and h the first and the second derivative of log P(side) by the mean of the cavity, whose variance is c, the site has
//
//	1/(c + v) = −h,   m = by − g/(−h)
//
// [Minka]: https://arxiv.org/abs/1301.2294

// bounds returns the groups as if guesses were seen, the groups with the bound as the y of points that are beyond one,
// and whether there are any.
func bounds(all []points.Group) (guessed, at []points.Group, beyond bool) {
	guessed, at = slices.Clone(all), slices.Clone(all)
	for i, g := range all {
		guessed[i].Beyond, at[i].Y = nil, slices.Clone(g.Y)
		for k, v := range g.Beyond {
			at[i].Y[k] -= v
			beyond = beyond || v != 0
		}
	}
	return guessed, at, beyond
}

// toBounds returns the misses of guesses as those of the bounds.
func toBounds(all []points.Group, guesses [][]miss) [][]miss {
	misses := make([][]miss, len(all))
	for i, g := range all {
		misses[i] = slices.Clone(guesses[i])
		for k, v := range g.Beyond {
			misses[i][k].by, misses[i][k].side = misses[i][k].by-v, g.Side(k)
		}
	}
	return misses
}

// A tail is what a part of the noise says of a miss beyond a bound: the probability of its side is Φ(at).
type tail struct {
	sd, at float64
	mills  float64 // φ(at)/Φ(at), the derivative of log Φ
	slope  float64 // minus that of mills, from 0 to 1
}

// tail returns the tail of a part if the scale is s.
func (m miss) tail(p part, s float64) tail {
	t := tail{sd: math.Sqrt(m.variance + s*s*p.Scale*p.Scale)}
	t.at = -m.side * (m.by - s*p.Shift) / t.sd
	t.mills = math.Exp(-t.at*t.at/2 - likelihood.LogNormalCDF(t.at) - math.Log(2*math.Pi)/2)
	t.slope = min(max(t.mills*(t.mills+t.at), 0), 1)
	return t
}

// logBeyond is logDensity of a miss beyond a bound: the log probability of its side.
func (n *noise) logBeyond(m miss, s float64, each []float64) float64 {
	for k, p := range n.Parts {
		each[k] = math.Log(p.Weight) + likelihood.LogNormalCDF(m.tail(p, s).at)
	}
	sum := likelihood.LogSumExp(each)
	for k, log := range each {
		each[k] = math.Exp(log - sum)
	}
	return sum
}

// least is the precision that a side adds at least, relative to that of its prediction. A probability of a mixture need
// not be log concave.
const least = 1e-6

// site returns the Gaussian of a miss beyond a bound, as normal does. each has the probabilities of the parts.
func (n *noise) site(m miss, s float64, each []float64) (shift, variance float64) {
	first, second, narrowest := 0.0, 0.0, math.Inf(1) // derivatives of the log probability by the prediction
	for k, p := range n.Parts {
		t := m.tail(p, s)
		d := m.side * t.mills / t.sd
		first += each[k] * d
		second += each[k] * (d*d - t.slope/(t.sd*t.sd))
		narrowest = min(narrowest, s*s*p.Scale*p.Scale)
	}
	precision := max(first*first-second, least/(m.variance+s*s))
	return m.by - first/precision, max(1/precision-m.variance, narrowest)
}

// hidden returns the expectations of z and of z² of a part, given the side of a miss.
func (m miss) hidden(p part, s float64) (z, square float64) {
	t := m.tail(p, s)
	share := s * p.Scale * p.Scale / t.sd // of z by the error, in deviations
	z = p.Shift + m.side*share*t.mills
	return z, z*z + max(p.Scale*p.Scale-share*share*t.slope, 0)
}
