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

// SoftmaxRows does for each row of x [m, n] what SoftmaxTerms does, in place, and writes 1 over the
// sums to inverse [m]. m may be 0. scale is positive.
func SoftmaxRows(m, n int, x Matrix, scale float32, inverse []float32) {
	if m == 0 {
		return
	}
	x.check("x", m, n)
	Rows(inverse, m).check("inverses", 1, m)
	if !(scale > 0) {
		panic("simd: the scale of a softmax must be positive")
	}
	active.softmaxRows(m, n, x, scale, inverse)
}

// SoftmaxGradRows replaces the gradient x [m, n] with respect to a softmax by the gradient with respect
// to its argument, row by row: terms·(x−mean)·scale·inverse, where mean is Σ terms·x·inverse, with 0
// for results below 1e-30 in absolute value. terms, scale and inverse are those of SoftmaxRows. m may
// be 0.
func SoftmaxGradRows(m, n int, x, terms Matrix, scale float32, inverse []float32) {
	if m == 0 {
		return
	}
	x.check("gradient", m, n)
	terms.check("terms", m, n)
	Rows(inverse, m).check("inverses", 1, m)
	active.softmaxGradRows(m, n, x, terms, scale, inverse)
}

// ScaleRows computes y = x·factors[i] for each row i of x [m, n]. y may be x. m may be 0.
func ScaleRows(m, n int, factors []float32, x, y Matrix) {
	if m == 0 {
		return
	}
	x.check("x", m, n)
	y.check("y", m, n)
	Rows(factors, m).check("factors", 1, m)
	active.scaleRows(m, n, factors, x, y)
}
