package likelihood

import "math"

// Mean returns E[Y].
func (d Supported) Mean() float64 {
	mean, _ := d.moments(0)
	return mean
}

// Variance returns E[(Y−E[Y])²].
func (d Supported) Variance() float64 {
	mean := d.Mean()
	_, square := d.moments(mean)
	return square
}

// moments returns E[Y−c] and E[(Y−c)²].
func (d Supported) moments(c float64) (mean, square float64) {
	top := d.top()
	for _, part := range d.Components() {
		high := d.high
		if part.Log {
			high = d.settle(top)
		}
		one, two := Supported{low: d.low, high: high, whole: d.whole}.ofPart(part, c)
		mean, square = mean+part.Weight*one, square+part.Weight*two
	}
	return mean, square
}

// top returns the quantile of a part of log Y above which moments cut it.
func (d Supported) top() float64 {
	of := d.of
	if two, ok := of.(TwoScales); ok {
		of = two.parts[1]
	}
	if exp, ok := of.(Exp); ok {
		return math.Exp(cutoff(exp.z))
	}
	return math.Inf(1)
}

// ofPart returns E[Y−c] and E[(Y−c)²] of a component alone, between the bounds of d.
func (d Supported) ofPart(p Component, c float64) (one, two float64) {
	const reach, most = 9, 200 // deviations that hold all but 1e-18, and whole numbers that are added up
	if d.whole {
		first, last := d.settle(p.value(p.Mu-reach*p.Sigma)), d.settle(p.value(p.Mu+reach*p.Sigma))
		if countable(first, last, most) {
			return p.sum(first, last, c)
		}
	}
	one, two = p.partial(d.low, d.high, c)
	if d.whole { // rounding adds the variance of a uniform number (Sheppard)
		g := Gaussian{p.Mu, p.Sigma}
		two += (g.Survival(p.place(d.low)) - g.Survival(p.place(d.high))) / 12
	}
	return one, two
}

// value returns the y of a number on the component's scale.
func (c Component) value(z float64) float64 {
	switch {
	case c.Log:
		return math.Exp(z)
	case c.Root:
		return squared(z)
	}
	return z
}

// sum returns E[Y−c] and E[(Y−c)²] of the component rounded to whole numbers from first to last, which have the
// tails too.
func (p Component) sum(first, last, c float64) (one, two float64) {
	g, above := Gaussian{p.Mu, p.Sigma}, 1.0
	for k := first; k <= last; k++ {
		next := 0.0
		if k < last {
			next = g.Survival(p.place(k + 0.5))
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
	case p.Log && p.Sigma < narrow:
		p.Mu = math.Exp(p.Mu + square/2)
		p.Sigma *= p.Mu
	case p.Root && p.Sigma < narrow*math.Abs(p.Mu):
		p.Mu, p.Sigma = squared(p.Mu)+math.Copysign(square, p.Mu), 2*math.Abs(p.Mu)*p.Sigma
	default:
		return p
	}
	p.Log, p.Root = false, false
	return p
}

// partial returns E[Y−c] and E[(Y−c)²] of min(max(Y, low), high) for a component of Y.
func (p Component) partial(low, high, c float64) (one, two float64) {
	p = p.straight()
	g := Gaussian{p.Mu, p.Sigma}
	a, b := p.place(low), p.place(high)
	add := func(at, mass float64) {
		if mass > 0 {
			one, two = one+mass*(at-c), two+mass*(at-c)*(at-c)
		}
	}
	var inside func(k int) float64
	switch {
	case p.Log:
		inside = func(k int) float64 { return g.expBetween(float64(k), a, b) }
	case p.Root:
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
	mass, m1, m2 := inside(0), inside(1), inside(2)
	return one + m1 - c*mass, two + m2 - 2*c*m1 + c*c*mass
}

// between returns E[Z^k; a < Z < b] for k up to 4.
func (g Gaussian) between(k int, a, b float64) float64 {
	if !(a < b) {
		return 0
	}
	alpha, beta := (a-g.Mean)/g.Scale, (b-g.Mean)/g.Scale
	end := func(x float64, power int) float64 { // x^power φ(x)
		if math.IsInf(x, 0) {
			return 0
		}
		return math.Pow(x, float64(power)) * math.Exp(-x*x/2) / math.Sqrt(2*math.Pi)
	}
	var m [5]float64 // of the standard normal distribution
	if m[0] = g.CDF(b) - g.CDF(a); alpha > 0 {
		m[0] = g.Survival(a) - g.Survival(b)
	}
	m[1] = end(alpha, 0) - end(beta, 0)
	for j := 2; j <= k; j++ {
		m[j] = float64(j-1)*m[j-2] + end(alpha, j-1) - end(beta, j-1)
	}
	sum, binomial := 0.0, 1.0
	for j := range k + 1 {
		sum += binomial * math.Pow(g.Mean, float64(k-j)) * math.Pow(g.Scale, float64(j)) * m[j]
		binomial *= float64(k-j) / float64(j+1)
	}
	return sum
}

// expBetween returns E[exp(kZ); a < Z < b].
func (g Gaussian) expBetween(k, a, b float64) float64 {
	if !(a < b) {
		return 0
	}
	whole := k*g.Mean + k*k*g.Scale*g.Scale/2
	up := func(z float64) float64 { return math.Exp(whole + LogNormalCDF((z-g.Mean)/g.Scale-k*g.Scale)) }
	return up(b) - up(a)
}
