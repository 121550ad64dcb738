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
	if !(scale > 0) {
		panic("simd: the scale of a softmax must be positive")
	}
	m = scale * active.greatest(x)
	if math.IsInf(float64(m), -1) {
		m = 0
	}
	return m, active.expSum(dst, x, scale, m)
}

// SoftmaxGrad computes dst[i] = terms[i]·(dst[i]-mean)·scale, with 0 for results below 1e-30 in
// absolute value. Lengths are equal. Pass the terms of SoftmaxTerms, its scale divided by the sum,
// in dst the gradient with respect to the softmax, and as mean the sum of that gradient weighted by
// the softmax: the result is the gradient with respect to x.
func SoftmaxGrad(dst, terms []float32, mean, scale float32) {
	equal(dst, terms)
	if len(dst) > 0 {
		active.softmaxGrad(dst, terms, mean, scale)
	}
}
