package cpu

import "github.com/acqnp/acqnp/internal/simd"

func axpy(alpha float32, x, y []float32) { simd.Axpy(alpha, x, y) }

// add is y += x.
func add(y, x []float32) { simd.Axpy(1, x, y) }

// flush makes 0 of what is too small to count: weights of units that have died, shares of levels that a model has ruled
// out. They come near the smallest float32, and arithmetic on denormal numbers takes a hundred times as long.
func flush(v float32) float32 {
	if v < 1e-30 && v > -1e-30 {
		return 0
	}
	return v
}
