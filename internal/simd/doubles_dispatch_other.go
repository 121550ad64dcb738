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
