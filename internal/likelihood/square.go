package likelihood

import (
	"cmp"
	"math"
	"slices"
)

// sides are the two sides of an asymmetric Laplace distribution of a mixture: up to μ, F(z) =
// τ·exp(a(z−μ)), and beyond, S(z) = 1 − F(z) = (1−τ)·exp(−b(z−μ)).
type sides struct{ weight, mu, tau, rest, a, b float64 }

// sides returns the sides of the components whose weight is not 0, in the order of μ.
func (m Mixture) sides() []sides {
	ts := make([]sides, 0, len(m.components))
	for k, c := range m.components {
		if w := m.weights[k]; w > 0 {
			ts = append(ts, sides{weight: w, mu: c.Location, tau: c.tau, rest: c.rest, a: c.rest / c.Scale, b: c.tau / c.Scale})
		}
	}
	slices.SortFunc(ts, func(s, t sides) int { return cmp.Compare(s.mu, t.mu) })
	return ts
}

// mirrored returns the sides of −Z, in the order of its μ.
func mirrored(ts []sides) []sides {
	ms := make([]sides, len(ts))
	for k, t := range ts {
		ms[len(ts)-1-k] = sides{weight: t.weight, mu: -t.mu, tau: t.rest, rest: t.tau, a: t.b, b: t.a}
	}
	return ms
}

// A square is the integral of F(z)²·exp(tilt·z) from lo to hi, where F is the distribution function
// of a mixture. lo may be −Inf if tilt is not negative.
//
// F² is a sum over pairs of components, and each pair has a closed form. None of its terms is much
// larger than the integral or than hi minus a location, so that a long tail takes no digits from
// the others.
type square struct {
	lo, hi, tilt   float64
	tiltLo, tiltHi float64      // exp(tilt·z) at lo, or 0 at −Inf, and at hi
	parts          []squarePart // in the order of μ
}

// A squarePart is a component with what all its pairs share.
type squarePart struct {
	sides
	tilt     float64 // exp(tilt·μ)
	fLo, fHi float64 // F at the ends, if they are up to μ
	sLo, sHi float64 // S at the ends, if they are beyond μ
}

func newSquare(ts []sides, lo, hi, tilt float64) *square {
	s := &square{lo: lo, hi: hi, tilt: tilt, tiltHi: math.Exp(tilt * hi), parts: make([]squarePart, len(ts))}
	if !math.IsInf(lo, -1) {
		s.tiltLo = math.Exp(tilt * lo)
	}
	for k, t := range ts {
		s.parts[k] = squarePart{sides: t, tilt: math.Exp(tilt * t.mu),
			fLo: t.tau * math.Exp(t.a*math.Min(lo-t.mu, 0)), fHi: t.tau * math.Exp(t.a*math.Min(hi-t.mu, 0)),
			sLo: t.rest * math.Exp(-t.b*math.Max(lo-t.mu, 0)), sHi: t.rest * math.Exp(-t.b*math.Max(hi-t.mu, 0)),
		}
	}
	return s
}

// integral returns the sum over all pairs.
func (s *square) integral() float64 {
	sum := 0.0
	for j := range s.parts {
		p := &s.parts[j]
		sum += p.weight * p.weight * s.pair(p, p)
		others := 0.0
		for k := j + 1; k < len(s.parts); k++ {
			others += s.parts[k].weight * s.pair(p, &s.parts[k])
		}
		sum += 2 * p.weight * others
	}
	return sum
}

// pair returns ∫ F_p·F_q·exp(tilt·z) dz for μ_p ≤ μ_q.
func (s *square) pair(p, q *squarePart) float64 {
	if p.mu >= s.hi { // both components rise to the end
		return growth(p.fLo*q.fLo*s.tiltLo, p.fHi*q.fHi*s.tiltHi, p.a+q.a+s.tilt, s.hi-s.lo)
	}
	// F_q and exp(tilt·z) where the second piece begins, at μ_p or at lo, and S_p there.
	sum, from, f, tilt, above := 0.0, s.lo, q.fLo, s.tiltLo, p.sLo
	if p.mu > s.lo {
		from, f, tilt, above = p.mu, q.tau*math.Exp(q.a*(p.mu-q.mu)), p.tilt, p.rest
		sum = growth(p.fLo*q.fLo*s.tiltLo, p.tau*f*tilt, p.a+q.a+s.tilt, from-s.lo)
	}
	if q.mu > s.lo { // the second piece, (1−S_p)·F_q, to μ_q or to hi
		to, f2, tilt2, above2 := s.hi, q.fHi, s.tiltHi, p.sHi
		if q.mu < s.hi {
			to, f2, tilt2, above2 = q.mu, q.tau, q.tilt, p.rest*math.Exp(p.b*(p.mu-q.mu))
		}
		if to > from {
			sum += growth(f*tilt, f2*tilt2, q.a+s.tilt, to-from) - growth(above*f*tilt, above2*f2*tilt2, q.a-p.b+s.tilt, to-from)
		}
		from, tilt, above = to, tilt2, above2
	}
	if q.mu < s.hi { // the third piece, (1−S_p)·(1−S_q)
		below, d := q.rest, s.hi-from
		if q.mu < s.lo {
			below = q.sLo
		}
		sum += growth(tilt, s.tiltHi, s.tilt, d) - growth(above*tilt, p.sHi*s.tiltHi, s.tilt-p.b, d) -
			growth(below*tilt, q.sHi*s.tiltHi, s.tilt-q.b, d) + growth(above*below*tilt, p.sHi*q.sHi*s.tiltHi, s.tilt-p.b-q.b, d)
	}
	return sum
}

// growth returns the integral over a distance d of a function that grows from first to last at an
// exponential rate.
func growth(first, last, rate, d float64) float64 {
	x := rate * d
	if math.Abs(x) > 0.02 {
		return (last - first) / rate
	}
	// (eˣ−1)/x up to a relative error of 2e-14
	return first * d * (1 + x/2*(1+x/3*(1+x/4*(1+x/5*(1+x/6)))))
}
