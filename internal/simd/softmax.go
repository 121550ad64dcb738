package simd

import "math"

// SoftmaxTerms computes dst[i] = exp(scale·x[i] - m) with m the greatest scale·x, and returns m and
// the sum of the terms. dst/sum is the softmax of scale·x; m + log(sum) is log Σ exp(scale·x).
// Lengths are equal and at least 1, scale is positive, and dst may be x.
//
// The relative error of a term is at most (2 + |scale·x[i]-m| + ½|scale·x[i]| + ½|m|)·2⁻²³, that of
// the sum (4 + n/16 + |m|)·2⁻²³. Terms below 1e-30 become 0, which keeps products with terms from
// being denormal. A NaN, +Inf or an overflowing scale·x makes the sum NaN. If all x are -Inf, m and
// the sum are 0.
func SoftmaxTerms(dst, x []float32, scale float32) (m, sum float32) {
	equal(dst, x)
	positive(scale)
	m = scale * greatest(x)
	if math.IsInf(float64(m), -1) {
		m = 0
	}
	return m, expSum(dst, x, scale, m)
}

func positive(scale float32) {
	if !(scale > 0) {
		panic("simd: the scale of a softmax must be positive")
	}
}
