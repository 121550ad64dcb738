package simd

import "math"

// SoftmaxTerms is dst[i] = exp(scale·x[i] - m) with m the greatest scale·x, and returns m and the terms' sum: dst over the sum
// is the softmax of scale·x, and m + log(sum) the logarithm of Σ exp(scale·x). Lengths are equal and at least 1, scale is
// above 0; dst may be x. A term's relative error is at most (2 + |scale·x[i]-m| + ½|scale·x[i]| + ½|m|)·2⁻²³, the sum's
// (4 + n/16 + |m|)·2⁻²³; what is below 1e-30 is 0, so that no product with a term need be of denormal numbers. A NaN, +Inf or
// an overflowing scale·x makes the sum NaN. If all are -Inf, m and the sum are 0.
func SoftmaxTerms(dst, x []float32, scale float32) (m, sum float32) {
	equal(dst, x)
	if !(scale > 0) {
		panic("simd: a softmax's scale is above 0")
	}
	m = scale * active.greatest(x)
	if math.IsInf(float64(m), -1) {
		m = 0
	}
	return m, active.expSum(dst, x, scale, m)
}

// SoftmaxGrad is dst[i] = terms[i]·(dst[i]-mean)·scale, of equal lengths; 0 for what is below 1e-30 in size. With the terms
// of SoftmaxTerms, scale over their sum and dst the gradient by the softmax, whose mean under it is mean, that is the gradient by x.
func SoftmaxGrad(dst, terms []float32, mean, scale float32) {
	equal(dst, terms)
	if len(dst) > 0 {
		active.softmaxGrad(dst, terms, mean, scale)
	}
}
