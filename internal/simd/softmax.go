package simd

import "math"

// Softmax is dst[i] = exp(x[i]) / Σ exp(x), of equal lengths, at least 1, and returns log Σ exp(x), whose derivative by x it
// is; dst may be x. Nothing overflows: exponents are taken relative to the greatest x. An element's relative error is at most
// (4 + its distance from the greatest)·2⁻²³, the logarithm's absolute error 2⁻²² beside the rounding of the greatest x.
// A NaN makes everything NaN. If all are -Inf the logarithm is -Inf, if one is +Inf it is +Inf, and the elements are NaN.
func Softmax(dst, x []float32) (logSum float32) {
	equal(dst, x)
	greatest := x[0]
	for _, v := range x {
		if v > greatest {
			greatest = v
		}
	}
	shift := greatest
	if math.IsInf(float64(greatest), 0) {
		shift = 0
	}
	for i, v := range x {
		dst[i] = v - shift
	}
	Exp(dst, dst)
	total := sum(dst)
	scale := float32(1 / total)
	for i := range dst {
		dst[i] *= scale
	}
	return float32(float64(shift) + math.Log(total))
}

// sum adds in float64, every fourth element apart from the others.
func sum(x []float32) float64 {
	var s [4]float64
	for len(x) >= 4 {
		s[0] += float64(x[0])
		s[1] += float64(x[1])
		s[2] += float64(x[2])
		s[3] += float64(x[3])
		x = x[4:]
	}
	for i, v := range x {
		s[i] += float64(v)
	}
	return (s[0] + s[2]) + (s[1] + s[3])
}
