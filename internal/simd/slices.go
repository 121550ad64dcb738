package simd

import "fmt"

func equal(x, y []float32) {
	if len(x) != len(y) {
		panic(fmt.Sprintf("simd: slices of %d and %d", len(x), len(y)))
	}
}

// Axpy is y += alpha·x, of equal lengths.
func Axpy(alpha float32, x, y []float32) {
	equal(x, y)
	if len(x) > 0 {
		active.axpy(alpha, x, y)
	}
}

// Dot is the sum of x[i]·y[i], of equal lengths.
func Dot(x, y []float32) float32 {
	equal(x, y)
	if len(x) == 0 {
		return 0
	}
	return active.dot(x, y)
}

// Exp is dst[i] = exp(x[i]), of equal lengths; dst may be x. Its error is at most 1 unit in the last place, with denormal
// results too. What overflows is +Inf, exp(-Inf) is 0, NaN stays NaN.
func Exp(dst, x []float32) {
	equal(dst, x)
	if len(x) > 0 {
		active.exp(dst, x)
	}
}

// Log is dst[i] = ln x[i], of equal lengths; dst may be x. Its error is at most 1 unit in the last place, of denormal numbers
// too. log 0 is -Inf, log(+Inf) is +Inf, the logarithm of what is below 0 is NaN, NaN stays NaN.
func Log(dst, x []float32) {
	equal(dst, x)
	if len(x) > 0 {
		active.log(dst, x)
	}
}

// SoftplusSigmoid is dst[i] = log(1+exp(x[i])) and slope[i] = 1/(1+exp(-x[i])), its derivative, of equal lengths; dst or slope
// may be x. Their errors are at most 3 and 2.5 units in the last place, wherever x is: both are as exact at -80, where they are
// tiny, as near 0. NaN stays NaN.
func SoftplusSigmoid(dst, slope, x []float32) {
	equal(dst, x)
	equal(slope, x)
	if len(x) > 0 {
		active.softplusSigmoid(dst, slope, x)
	}
}
