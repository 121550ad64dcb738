package likelihood

import "math"

// leastEqual is the least number of components of equal shape that integral takes together. Fewer are as
// fast in pairs.
const leastEqual = 8

// divide splits parts, in the order of μ, into the largest group of equal rates and the rest. A kernel
// density has such a group. The group is nil if it is small.
func divide(parts []squarePart) (rest, equal []squarePart) {
	type shape struct{ a, b float64 }
	count, most := map[shape]int{}, shape{}
	for i := range parts {
		p := shape{parts[i].a, parts[i].b}
		if count[p]++; count[p] > count[most] {
			most = p
		}
	}
	if count[most] < leastEqual {
		return parts, nil
	}
	for _, p := range parts {
		if (shape{p.a, p.b}) == most {
			equal = append(equal, p)
		} else {
			rest = append(rest, p)
		}
	}
	return rest, equal
}

// equals returns the sum over all pairs of components of equal rates, in a time that grows with their
// number alone. Between two neighbouring locations u and v, the distribution function of all of them is
//
//	U·exp(a(z−v)) + W − D·exp(−b(z−u)),
//
// where U is the sum of w·τ·exp(a(v−μ)) over the locations from v on, W that of w over those up to u, and
// D that of w·(1−τ)·exp(−b(u−μ)) over these. U is added up from the right and D from the left, so that no
// exponential is large.
func (s *square) equals() float64 {
	if len(s.equal) == 0 {
		return 0
	}
	a, b, tau, rest := s.equal[0].a, s.equal[0].b, s.equal[0].tau, s.equal[0].rest
	first, last := 0, len(s.equal) // of the locations between lo and hi
	whole, down, up := 0.0, 0.0, 0.0
	for ; first < len(s.equal) && s.equal[first].mu <= s.lo; first++ {
		p := &s.equal[first]
		whole, down = whole+p.weight, down+p.weight*p.sLo
	}
	for ; last > first && s.equal[last-1].mu >= s.hi; last-- {
		p := &s.equal[last-1]
		up += p.weight * p.fHi
	}
	inner := s.equal[first:last]
	ups := make([]float64, len(inner)+1) // U at each location, and at hi
	ups[len(inner)] = up
	for i, v := len(inner)-1, s.hi; i >= 0; i-- {
		p := &inner[i]
		up = up*math.Exp(a*(p.mu-v)) + p.weight*tau
		ups[i], v = up, p.mu
	}
	sum, u, tiltU := 0.0, s.lo, s.tiltLo
	for i, up := range ups {
		v, tiltV := s.hi, s.tiltHi
		if i < len(inner) {
			v, tiltV = inner[i].mu, inner[i].tilt
		}
		if v > u {
			d := v - u
			rise, fall := math.Exp(-a*d), math.Exp(-b*d)
			sum += growth(up*rise*up*rise*tiltU, up*up*tiltV, 2*a+s.tilt, d)
			if whole > 0 {
				sum += whole*whole*growth(tiltU, tiltV, s.tilt, d) +
					2*up*whole*growth(rise*tiltU, tiltV, a+s.tilt, d) -
					2*up*down*growth(rise*tiltU, fall*tiltV, a-b+s.tilt, d) -
					2*whole*down*growth(tiltU, fall*tiltV, s.tilt-b, d) +
					down*down*growth(tiltU, fall*fall*tiltV, s.tilt-2*b, d)
			}
			down *= fall
		}
		if i < len(inner) {
			whole, down = whole+inner[i].weight, down+inner[i].weight*rest
		}
		u, tiltU = v, tiltV
	}
	return sum
}
