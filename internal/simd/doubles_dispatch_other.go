//go:build !amd64

package simd

func (set) squaredExponential(dst, distances []float64, scale, variance float64) {
	portableSquaredExponential(dst, distances, scale, variance)
}

func (set) matern52(dst, distances []float64, scale, variance float64) {
	portableMatern52(dst, distances, scale, variance)
}

func (set) subtractProducts(c []float64, k int, a, b Columns, scale float64) {
	portableSubtractProducts(c, k, a, b, scale)
}

func (set) laplaceSums(terms LaplaceTerms, y float64, sums *[2]float64) {
	portableLaplaceSums(terms, y, sums)
}

func (set) logistic(exps, logs, x []float64) { portableLogistic(exps, logs, x) }

func (set) exps(dst, x []float64) { portableExps(dst, x) }

func (set) laplaceSlope(terms LaplaceTerms, y float64, sums *[2]float64) {
	portableLaplaceSlope(terms, y, sums)
}
