package likelihood

import "math"

// cutCRPS returns the score of the quantiles at levels up to [cut] that [Exp.CRPS] describes. With q, the
// quantile at cut, it is
//
//	∫_−∞^y F² + ∫_y^q (1−F)² − 0.01² (q−y) for y ≤ q,  ∫_−∞^q F² + 0.99² (y−q) for y > q.
//
// The integrals are numeric, to about 1e-6 of the distribution's spread.
func cutCRPS(d Distribution, y float64) float64 {
	levels := []float64{1e-8, 1e-5, 1e-3, 0.02, 0.1, 0.25, 0.5, 0.75, 0.9, 0.97, cut}
	places := ApproximateQuantiles(d, levels...)
	q := places[len(places)-1]
	if math.IsNaN(y) || math.IsNaN(q) || math.IsInf(q, 0) {
		return math.NaN()
	}
	tolerance := 1e-7 * (q - places[3])
	sum := 0.0
	for i, low := range places[:len(places)-1] {
		high := places[i+1]
		if low < y {
			sum += integral(func(t float64) float64 { f := d.CDF(t); return f * f }, low, min(high, y), tolerance)
		}
		if high > y {
			sum += integral(func(t float64) float64 { s := d.Survival(t); return s * s }, max(low, y), high, tolerance)
		}
	}
	if y < places[0] { // there, the survival function is 1
		sum += places[0] - y
	}
	if y > q {
		return sum + cut*cut*(y-q)
	}
	return sum - (1-cut)*(1-cut)*(q-y)
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
