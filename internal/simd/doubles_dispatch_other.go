//go:build !amd64

package simd

func (set) exp64(dst, x []float64) { portableExp64(dst, x) }

func (set) subtractProducts(c []float64, k int, a, b Columns, scale float64) {
	portableSubtractProducts(c, k, a, b, scale)
}
