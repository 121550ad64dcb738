package likelihood

import "math"

// Mean returns E[Y] or, of parts of log y with weights, what the tail that is cut leaves. It is +Inf if that is too
// large for a float64.
func (m GaussianMixture) Mean() float64 {
	if m.isPlain() {
		return m.average(func(g Gaussian) float64 { return g.Mean })
	}
	mean, _ := m.moments(0, m.top())
	return mean
}

// Variance returns E[(Y−E[Y])²], or +Inf.
func (m GaussianMixture) Variance() float64 {
	if m.isPlain() {
		mean := m.Mean()
		return m.average(func(g Gaussian) float64 { return g.Scale*g.Scale + (g.Mean-mean)*(g.Mean-mean) })
	}
	const digits = 1e-3 // the difference of the square and that of the mean loses three, or more
	top := m.top()
	mean, square := m.moments(0, top)
	if v := square - mean*mean; v > digits*square {
		return v
	}
	_, square = m.moments(mean, top)
	switch {
	case math.IsNaN(square) && !math.IsNaN(mean): // a difference of infinities
		return math.Inf(1)
	case m.isLog() && m.support.Real() && square <= cancelled*mean*mean:
		return mean * mean * m.plain().Variance()
	}
	return square
}

// cuts reports whether moments and scores cut the tail of parts of log y.
func (m GaussianMixture) cuts() bool { return m.bent > 0 && m.scale == LogY && m.weights != nil }

// top returns the quantile of the parts of log y above which moments cut them.
func (m GaussianMixture) top() float64 {
	if !m.cuts() {
		return math.Inf(1)
	}
	_, logs := m.byScale()
	return logs.quantiles(0, []float64{cut})[0]
}

// moments returns E[Y−c] and E[(Y−c)²], with parts of log y up to top.
func (m GaussianMixture) moments(c, top float64) (mean, square float64) {
	top = m.support.valueOf(top)
	for _, part := range m.Components() {
		s := m.support
		if part.Scale == LogY {
			s.High = &top
		}
		one, two := s.ofPart(part, c)
		mean, square = mean+part.Weight*one, square+part.Weight*two
	}
	return mean, square
}

// ofPart returns E[Y−c] and E[(Y−c)²] of a component alone.
func (s Support) ofPart(p Component, c float64) (one, two float64) {
	const reach, most = 9, 200 // deviations that hold all but 1e-18, and whole numbers that are added up
	low, high := s.Bounds()
	if s.Whole {
		first, last := s.valueOf(p.Scale.Value(p.Mu-reach*p.Sigma)), s.valueOf(p.Scale.Value(p.Mu+reach*p.Sigma))
		if countable(first, last, most) {
			return p.sum(first, last, c)
		}
	}
	one, two = p.partial(low, high, c)
	if s.Whole { // rounding adds the variance of a uniform number (Sheppard)
		g := Gaussian{p.Mu, p.Sigma}
		two += (g.Survival(p.Scale.Place(low)) - g.Survival(p.Scale.Place(high))) / 12
	}
	return one, two
}

// sum returns E[Y−c] and E[(Y−c)²] of the component rounded to whole numbers from first to last, which have the
// tails too.
func (p Component) sum(first, last, c float64) (one, two float64) {
	g, above := Gaussian{p.Mu, p.Sigma}, 1.0
	for k := first; k <= last; k++ {
		next := 0.0
		if k < last {
			next = g.Survival(p.Scale.Place(k + 0.5))
		}
		one, two = one+(above-next)*(k-c), two+(above-next)*(k-c)*(k-c)
		above = next
	}
	return one, two
}

// straight returns a component of log Y or √Y that is narrow beside its μ as one of Y, and others unchanged. exp and
// the square are lines there, to 1e-4 deviations; the difference of moments would be rounding alone.
func (p Component) straight() Component {
	const narrow = 1e-4
	switch square := p.Sigma * p.Sigma; {
	case p.Scale == LogY && p.Sigma < narrow:
		p.Mu = math.Exp(p.Mu + square/2)
		p.Sigma *= p.Mu
	case p.Scale == RootY && p.Sigma < narrow*math.Abs(p.Mu):
		p.Mu, p.Sigma = RootY.Value(p.Mu)+math.Copysign(square, p.Mu), 2*math.Abs(p.Mu)*p.Sigma
	default:
		return p
	}
	p.Scale = OfY
	return p
}

// partial returns E[Y−c] and E[(Y−c)²] of min(max(Y, low), high) for a component of Y.
func (p Component) partial(low, high, c float64) (one, two float64) {
	p = p.straight()
	g := Gaussian{p.Mu, p.Sigma}
	a, b := p.Scale.Place(low), p.Scale.Place(high)
	add := func(at, mass float64) {
		if mass > 0 {
			one, two = one+mass*(at-c), two+mass*(at-c)*(at-c)
		}
	}
	var inside func(k int) float64
	switch p.Scale {
	case LogY:
		inside = func(k int) float64 { return g.expBetween(float64(k), a, b) }
	case RootY:
		inside = func(k int) float64 {
			return g.between(2*k, max(a, 0), b) + math.Pow(-1, float64(k))*g.between(2*k, a, min(b, 0))
		}
	default: // with the digits of numbers near c
		g.Mean, a, b = g.Mean-c, a-c, b-c
		m1, m2 := g.between(1, a, b), g.between(2, a, b)
		add(low, g.CDF(a))
		add(high, g.Survival(b))
		return one + m1, two + m2
	}
	add(low, g.CDF(a))
	add(high, g.Survival(b))
	m1, m2 := inside(1), inside(2)
	if c != 0 {
		mass := inside(0)
		m1, m2 = m1-c*mass, m2-2*c*m1+c*c*mass
	}
	return one + m1, two + m2
}
