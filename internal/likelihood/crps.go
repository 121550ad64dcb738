package likelihood

import (
	"math"
	"slices"
)

// CRPS returns the continuous ranked probability score of the outcome y,
//
//	∫ (F(t) − 1{y ≤ t})² dt = E|Y − y| − ½ E|Y − Y'|,
//
// exactly. Its time grows with the square of the number of components.
//
// A distribution of log y may have no finite mean of Y, and then it has no CRPS. Its score is that of the quantiles Q(p)
// at all levels p up to 0.99, where Mean cuts the tail too,
//
//	2 ∫ ρ_p(y − Q(p)) dp from 0 to 0.99,  ρ_p(e) = max(pe, (p−1)e),
//
// which is the CRPS if it runs to 1. It is proper, and finite if Mean is: see the quantile-weighted
// scores of Gneiting and Ranjan, "Comparing density forecasts using threshold- and
// quantile-weighted scoring rules" (2011).
func (m Mixture) CRPS(y float64) float64 {
	if slices.ContainsFunc(m.weights, math.IsNaN) || math.IsNaN(y) {
		return math.NaN()
	}
	if m.scale == LogY {
		return m.expCRPS(y)
	}
	sides := m.sides()
	below := newSquare(sides, math.Inf(-1), y, 0).integral()
	return below + newSquare(mirrored(sides), math.Inf(-1), -y, 0).integral()
}

// CRPS returns the continuous ranked probability score of the outcome y, as [Mixture.CRPS] does: if all parts are of y,
// the closed form of Grimit et al., "The continuous ranked probability score for circular variables
// and its application to mesoscale forecast ensemble verification" (2006), equation (5); if all are of log y with equal
// weights, another one. Otherwise it is an integral, good to 1e-6 of the distribution's spread, of the levels up to 0.99
// if parts are of log y: with weights, their mean can lie far beyond all quantiles that matter.
func (m GaussianMixture) CRPS(y float64) float64 {
	switch {
	case m.isPlain():
		spread := m.averageOfPairs(func(g, h Gaussian) float64 { return meanDistance(g.Mean-h.Mean, math.Hypot(g.Scale, h.Scale)) })
		return m.average(func(g Gaussian) float64 { return meanDistance(y-g.Mean, g.Scale) }) - spread/2
	case m.weights == nil && m.scale == LogY && m.support.Real():
		return m.expCRPS(y)
	case m.cuts():
		return toCut.crps(m, y)
	}
	return toEnd.crps(m, y)
}

// meanDistance returns E|Z| of a normal Z.
func meanDistance(mean, scale float64) float64 {
	z := mean / scale
	return scale*math.Sqrt(2/math.Pi)*math.Exp(-z*z/2) + mean*math.Erf(z/math.Sqrt2)
}

// expCRPS returns the quantile-weighted score of exp(Z). With q = Q(0.99), it is
//
//	∫_0^y F² + ∫_y^q (1−F)² − 0.01² (q−y) for y ≤ q,  ∫_0^q F² + 0.99² (y−q) for y > q.
func (m Mixture) expCRPS(y float64) float64 {
	const lowest = -745.0 // log of the smallest float64
	most, z, sides := m.newtonQuantiles(cut)[0], lowest, m.sides()
	if y > 0 {
		z = math.Log(y)
	}
	below := newSquare(sides, math.Inf(-1), math.Min(z, most), 1).integral()
	if z > most {
		return below + cut*cut*(y-math.Exp(most))
	}
	above := newSquare(mirrored(sides), -most, -z, -1).integral()
	return below + above - (1-cut)*(1-cut)*(math.Exp(most)-y) - math.Min(y, 0)
}

// expCRPS returns y − 2E[min(Y, y)] + E[min(Y, Y')] of Y = exp(Z), which is E|Y−y| − ½E|Y−Y'| without
// the means, as these can be far larger than their difference. The expectations are those of options:
// Margrabe, "The value of an option to exchange one asset for another" (1978).
func (m GaussianMixture) expCRPS(y float64) float64 {
	spread := m.averageOfPairs(func(g, h Gaussian) float64 {
		s, d := math.Hypot(g.Scale, h.Scale), g.Mean-h.Mean
		return g.partOfMean(-(d+g.Scale*g.Scale)/s) + h.partOfMean((d-h.Scale*h.Scale)/s)
	})
	near := m.average(func(g Gaussian) float64 {
		if !(y > 0) {
			return y
		}
		z := (math.Log(y) - g.Mean) / g.Scale
		return g.partOfMean(z-g.Scale) + y*Gaussian{0, 1}.Survival(z)
	})
	return y - 2*near + spread
}

// partOfMean returns E[exp(Z)]·Φ(x). The mean can be too large for a float64, and the product not.
func (g Gaussian) partOfMean(x float64) float64 {
	return math.Exp(g.Mean + g.Scale*g.Scale/2 + LogNormalCDF(x))
}

// levels are those of the quantiles between which a score is integrated. With c, the last, squares are c² and (1−c)².
type levels struct {
	of      []float64
	squares [2]float64
}

// Levels up to cut, and to where nothing is left.
var (
	toCut = levels{[]float64{1e-8, 1e-5, 1e-3, 0.02, 0.1, 0.25, 0.5, 0.75, 0.9, 0.97, cut}, [2]float64{cut * cut, (1 - cut) * (1 - cut)}}
	toEnd = levels{append(slices.Clone(toCut.of), 0.999, 1-1e-5, 1-1e-8), [2]float64{1, 0}}
)

// crps returns the score of the quantiles at all levels up to the last, c. With q, the quantile at c, it is
//
//	∫_−∞^y F² + ∫_y^q (1−F)² − (1−c)² (q−y) for y ≤ q,  ∫_−∞^q F² + c² (y−q) for y > q.
//
// Numeric integrals are good to about 1e-6 of the distribution's spread.
func (l levels) crps(m GaussianMixture, y float64) float64 {
	const low, high = 3, 10 // levels of the spread
	// Where intervals meet does not matter. Nor does a small error of q, where the integrand is what is taken off.
	places := m.quantiles(1e-4, l.of)
	slices.Sort(places)
	q := places[len(places)-1]
	if math.IsNaN(y) || math.IsNaN(q) || math.IsInf(q, 0) {
		return math.NaN()
	}
	tolerance := 1e-7 * (places[high] - places[low])
	sum := 0.0
	for i, low := range places[:len(places)-1] {
		high := places[i+1]
		if low < y {
			sum += m.area(false, low, min(high, y), tolerance)
		}
		if high > y {
			sum += m.area(true, max(low, y), high, tolerance)
		}
	}
	if y < places[0] { // there, the survival function is 1
		sum += places[0] - y
	}
	if y > q {
		return sum + l.squares[0]*(y-q)
	}
	return sum - l.squares[1]*(q-y)
}

// area returns ∫ F² or, if above, ∫ (1−F)² from a to b. For whole numbers it is a sum, unless they are many.
func (m GaussianMixture) area(above bool, a, b, tolerance float64) float64 {
	const many = 200
	f := GaussianMixture.CDF
	if above {
		f = GaussianMixture.Survival
	}
	if !m.support.Whole || !countable(a, b, many) {
		if !m.support.Real() {
			tolerance = max(tolerance, 1e-6*(b-a))
		}
		of := m.unbounded()
		return integral(func(t float64) float64 { v := f(of, t); return v * v }, a, b, tolerance)
	}
	sum := 0.0
	for k := a; k < b; k++ {
		v := f(m, k)
		sum += v * v
	}
	return sum
}

// mostHalves bounds the intervals that integral halves: a smooth distribution takes some hundred. A function that
// is mostly rounding would take 2³⁰.
const mostHalves = 10_000

// integral returns ∫ f from a to b by Simpson's rule. It halves an interval until the halves change the
// result by less than the tolerance, or are too narrow for numbers between their ends.
func integral(f func(float64) float64, a, b, tolerance float64) float64 {
	halves := 0
	var halve func(a, fa, m, fm, b, fb, whole float64, depth int) float64
	halve = func(a, fa, m, fm, b, fb, whole float64, depth int) float64 {
		l, r := (a+m)/2, (m+b)/2
		if halves++; halves > mostHalves || !(a < l && l < m && m < r && r < b) {
			return whole
		}
		fl, fr := f(l), f(r)
		left, right := (m-a)/6*(fa+4*fl+fm), (b-m)/6*(fm+4*fr+fb)
		if change := left + right - whole; depth == 0 || math.Abs(change) < 15*tolerance {
			return left + right + change/15
		}
		return halve(a, fa, l, fl, m, fm, left, depth-1) + halve(m, fm, r, fr, b, fb, right, depth-1)
	}
	if !(a < b) {
		return 0
	}
	m := (a + b) / 2
	fa, fm, fb := f(a), f(m), f(b)
	return halve(a, fa, m, fm, b, fb, (b-a)/6*(fa+4*fm+fb), 30)
}
