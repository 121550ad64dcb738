package likelihood

import "math"

// mixtureQuantile returns the p-quantile of a mixture d of n components; quantile(k) is the
// p-quantile of component k. The mixture's quantile lies between the smallest and the largest of
// these: at the smallest, no component has a CDF above p, and at the largest, none has a CDF below
// p. Up to p = ½ it compares distribution functions, above it survival functions, because the
// smaller of the two keeps its digits.
func mixtureQuantile(d Distribution, p float64, n int, quantile func(k int) float64) float64 {
	lo, hi := math.Inf(1), math.Inf(-1)
	for k := range n {
		q := quantile(k)
		lo, hi = math.Min(lo, q), math.Max(hi, q) // NaN stays NaN
	}
	switch {
	case !(lo < hi):
		return lo
	case p <= 0.5:
		return bisect(lo, hi, func(y float64) bool { return d.CDF(y) >= p })
	}
	return bisect(lo, hi, func(y float64) bool { return d.Survival(y) <= 1-p })
}

// bisect returns the smallest float64 in (lo, hi] at which a monotone condition holds, or hi if it
// never does. It halves the number of float64s between the bounds, not their distance, so it takes
// at most 64 steps for any distance.
func bisect(lo, hi float64, holds func(float64) bool) float64 {
	a, b := rank(lo), rank(hi)
	for a+1 < b {
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
