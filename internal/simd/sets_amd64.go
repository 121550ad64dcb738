package simd

// The sets of vector kernels.
var (
	amx    = &set{name: "amx", vectors: avx512}
	avx512 = vectorSet("avx512", 16, 32)
	avx2   = vectorSet("avx2", 8, 16)
)

// vectorSet returns a set by the floats of a vector and the columns of a strip.
func vectorSet(name string, lanes, strip int) *set {
	wide := lanes == 16
	return &set{name: name, lanes: lanes, strip: strip,
		add: func(m, n int, a, b, c Matrix) {
			either(wide, addRowsAVX512, addRowsAVX2)(m, n, &a.Data[0], a.Stride, &b.Data[0], b.Stride, &c.Data[0], c.Stride, mask(n%16))
		},
		softmaxRows: func(m, n int, x Matrix, scale float32, inverse []float32) {
			either(wide, softmaxRowsAVX512, softmaxRowsAVX2)(m, n, &x.Data[0], x.Stride, scale, &inverse[0], mask(n%16))
		},
		softmaxGradRows: func(m, n int, x, terms Matrix, scale float32, inverse []float32) {
			either(wide, softmaxGradRowsAVX512, softmaxGradRowsAVX2)(m, n, &x.Data[0], x.Stride, &terms.Data[0], terms.Stride,
				&inverse[0], scale, mask(n&(lanes-1)), mask(n%16))
		},
		scaleRows: func(m, n int, factors []float32, x, y Matrix) {
			either(wide, scaleRowsAVX512, scaleRowsAVX2)(m, n, &factors[0], &x.Data[0], x.Stride, &y.Data[0], y.Stride, mask(n%16))
		},
		normalise: func(m, n int, norm Norm, x, y Matrix) {
			either(wide, normaliseAVX512, normaliseAVX2)(m, n, &x.Data[0], x.Stride, &norm.Gain[0], &norm.Shift[0],
				&y.Data[0], y.Stride, float32(n), norm.Epsilon, mask(n%16))
		},
		normaliseGrad: func(m, n int, norm Norm, g, x Matrix, to NormGrad) {
			either(wide, normaliseGradAVX512, normaliseGradAVX2)(m, n, &g.Data[0], g.Stride, &x.Data[0], x.Stride, &norm.Gain[0],
				&to.X.Data[0], to.X.Stride, &to.Gain[0], &to.Shift[0], float32(n), norm.Epsilon, mask(n%16))
		},
		fmaPeak: func(n int) float64 {
			either(wide, fmaPeakAVX512, fmaPeakAVX2)(n)
			return float64(n) * 2 * 12 * 2 * float64(lanes)
		},
		squaredExponential: func(dst, distances []float64, scale, variance float64) {
			either(wide, squaredExponentialAVX512, squaredExponentialAVX2)(&dst[0], &distances[0], len(dst), scale, variance)
		},
		matern52: func(dst, distances []float64, scale, variance float64) {
			either(wide, matern52AVX512, matern52AVX2)(&dst[0], &distances[0], len(dst), scale, variance)
		},
		subtractProducts: func(c []float64, k int, a, b Columns, scale float64) {
			subtractByVectors(either(wide, subtractProductsAVX512, subtractProductsAVX2), lanes/2, c, k, a, b, scale)
		},
		laplaceSums: func(terms LaplaceTerms, y float64) (float64, float64) {
			var sums [2]float64
			if wide {
				laplaceSumsAVX512(&terms[0], len(terms)/termBlock, y, &sums[0])
			} else {
				laplaceSumsAVX2(&terms[0], len(terms)/termBlock, y, &sums[0])
			}
			return sums[0], sums[1]
		},
		laplaceSlope: func(terms LaplaceTerms, y float64) (float64, float64) {
			var sums [2]float64
			if wide {
				laplaceSlopeAVX512(&terms[0], len(terms)/termBlock, y, &sums[0])
			} else {
				laplaceSlopeAVX2(&terms[0], len(terms)/termBlock, y, &sums[0])
			}
			return sums[0], sums[1]
		},
	}
}

// either returns a set's form of a kernel. What is passed to it escapes, so operands on the stack need a
// direct call.
func either[kernel any](wide bool, avx512, avx2 kernel) kernel {
	if wide {
		return avx512
	}
	return avx2
}

// mostVectors is the number of vectors that one call of subtractProducts's kernel computes at most.
const mostVectors = 8

// subtractByVectors calls a kernel of subtractProducts for its most vectors of columns at a time.
func subtractByVectors(kernel func(c, a, b *float64, ld, k, vectors int, scale float64), lanes int,
	c []float64, k int, a, b Columns, scale float64) {
	factors, rows := &c[0], c // not read if k is 0
	if k > 0 {
		factors, rows = &a.Data[0], b.Data
	}
	for at := 0; at < len(c); at += mostVectors * lanes {
		kernel(&c[at], factors, &rows[at], b.Stride, k, min(mostVectors, (len(c)-at)/lanes), scale)
	}
}
