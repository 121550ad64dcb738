package simd

import "fmt"

// equal panics unless two slices have the same length.
func equal(x, y []float32) {
	if len(x) != len(y) {
		panic(fmt.Sprintf("simd: slices of %d and %d", len(x), len(y)))
	}
}

// Axpy computes y += alpha·x. The slices of all functions here have equal lengths.
func Axpy(alpha float32, x, y []float32) {
	equal(x, y)
	if len(x) > 0 {
		active.axpy(alpha, x, y)
	}
}

// Flush copies x to dst, with 0 for elements below 1e-30 in absolute value. dst may be x. NaN stays
// NaN.
func Flush(dst, x []float32) {
	equal(dst, x)
	if len(x) > 0 {
		active.flush(dst, x)
	}
}

// Dot returns the sum of x[i]·y[i].
func Dot(x, y []float32) float32 {
	equal(x, y)
	if len(x) == 0 {
		return 0
	}
	return active.dot(x, y)
}

// Exp computes dst[i] = exp(x[i]). dst may be x. The error is at most 1 unit in the last place,
// also for denormal results. Overflow gives +Inf, exp(-Inf) is 0 and exp(NaN) is NaN.
func Exp(dst, x []float32) {
	equal(dst, x)
	if len(x) > 0 {
		active.exp(dst, x)
	}
}

// Log computes dst[i] = ln x[i]. dst may be x. The error is at most 1 unit in the last place, also
// for denormal x. ln 0 is -Inf, ln(+Inf) is +Inf, and the result for negative numbers and NaN is
// NaN.
func Log(dst, x []float32) {
	equal(dst, x)
	if len(x) > 0 {
		active.log(dst, x)
	}
}

// SoftplusSigmoid computes dst[i] = log(1+exp(x[i])) and its derivative slope[i] =
// 1/(1+exp(-x[i])). dst or slope may be x. The errors are at most 3 and 2.5 units in the last place
// for any x, also at -80, where both results are tiny. For NaN both results are NaN.
func SoftplusSigmoid(dst, slope, x []float32) {
	equal(dst, x)
	equal(slope, x)
	if len(x) > 0 {
		active.softplusSigmoid(dst, slope, x)
	}
}
