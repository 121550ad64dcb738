package likelihood

import "math"

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
