package simd

func (s set) squaredExponential(dst, distances []float64, scale, variance float64) {
	switch s {
	case avx512:
		squaredExponentialAVX512(&dst[0], &distances[0], len(dst), scale, variance)
	case avx2:
		squaredExponentialAVX2(&dst[0], &distances[0], len(dst), scale, variance)
	default:
		portableSquaredExponential(dst, distances, scale, variance)
	}
}

func (s set) matern52(dst, distances []float64, scale, variance float64) {
	switch s {
	case avx512:
		matern52AVX512(&dst[0], &distances[0], len(dst), scale, variance)
	case avx2:
		matern52AVX2(&dst[0], &distances[0], len(dst), scale, variance)
	default:
		portableMatern52(dst, distances, scale, variance)
	}
}

// mostVectors is the number of vectors that one call of a kernel computes at most.
const mostVectors = 8

func (s set) subtractProducts(c []float64, k int, a, b Columns, scale float64) {
	lanes := 8
	switch s {
	case avx2:
		lanes = 4
	case portable:
		portableSubtractProducts(c, k, a, b, scale)
		return
	}
	none := [DoubleLanes]float64{}
	factors := &none[0] // not read if k is 0
	if k > 0 {
		factors = &a.Data[0]
	}
	for at := 0; at < len(c); at += mostVectors * lanes {
		row := factors
		if k > 0 {
			row = &b.Data[at]
		}
		vectors := min(mostVectors, (len(c)-at)/lanes)
		if s == avx512 {
			subtractProductsAVX512(&c[at], factors, row, b.Stride, k, vectors, scale)
		} else {
			subtractProductsAVX2(&c[at], factors, row, b.Stride, k, vectors, scale)
		}
	}
}

func (s set) laplaceSums(terms LaplaceTerms, y float64, sums *[2]float64) {
	switch s {
	case avx512:
		laplaceSumsAVX512(&terms[0], len(terms)/termBlock, y, &sums[0])
	case avx2:
		laplaceSumsAVX2(&terms[0], len(terms)/termBlock, y, &sums[0])
	default:
		portableLaplaceSums(terms, y, sums)
	}
}

func (s set) logistic(exps, logs, x []float64) {
	switch s {
	case avx512:
		logisticAVX512(&exps[0], &logs[0], &x[0], len(x))
	case avx2:
		logisticAVX2(&exps[0], &logs[0], &x[0], len(x))
	default:
		portableLogistic(exps, logs, x)
	}
}

func (s set) exps(dst, x []float64) {
	switch s {
	case avx512:
		expsAVX512(&dst[0], &x[0], len(x))
	case avx2:
		expsAVX2(&dst[0], &x[0], len(x))
	default:
		portableExps(dst, x)
	}
}

func (s set) laplaceSlope(terms LaplaceTerms, y float64, sums *[2]float64) {
	switch s {
	case avx512:
		laplaceSlopeAVX512(&terms[0], len(terms)/termBlock, y, &sums[0])
	case avx2:
		laplaceSlopeAVX2(&terms[0], len(terms)/termBlock, y, &sums[0])
	default:
		portableLaplaceSlope(terms, y, sums)
	}
}
