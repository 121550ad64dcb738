package ops

import (
	"fmt"
	"math"
)

// Float is the element type of a plain kernel.
type Float interface{ ~float32 | ~float64 }

// plain evaluates one operation at the extents e. The matrices in and out are packed row-major; out
// is overwritten.
type plain[T Float] func(o *Op, e Extents, out []T, in [][]T)

// Evaluate runs the plain kernel of an operation at the extents e. The matrices in and out are
// packed row-major; out is overwritten. Plain kernels are simple and slow: faster engines are
// tested against them. Evaluate panics if the kind has no kernel.
func Evaluate[T Float](o *Op, e Extents, out []T, in [][]T) {
	kernel := plainOf[T](o.Kind)
	if kernel == nil {
		panic(fmt.Sprintf("ops: no plain kernel for %v", o))
	}
	kernel(o, e, out, in)
}

// plainOf returns the plain kernel of a kind, or nil.
func plainOf[T Float](k Kind) plain[T] {
	entry := table[k]
	if kernel, ok := any(entry.single).(plain[T]); ok {
		return kernel
	}
	kernel, _ := any(entry.double).(plain[T])
	return kernel
}

// row returns row i of the matrix m [rows, width].
func row[T Float](m []T, i, width int) []T { return m[i*width : (i+1)*width] }

// dot returns the scalar product of two vectors of equal length.
func dot[T Float](x, y []T) T {
	var s T
	for i, v := range x {
		s += v * y[i]
	}
	return s
}

// accumulate adds a·x to y.
func accumulate[T Float](y []T, a T, x []T) {
	for i, v := range x {
		y[i] += a * v
	}
}

// Flush returns v, or 0 if |v| < 1e-30. Weights of dead units and posterior weights of unlikely
// levels become this small. They change no result, and arithmetic on denormal numbers takes a
// hundred times as long. It compares bits, because a comparison of numbers is a branch on their sign,
// which is hard to predict.
func Flush(v float32) float32 {
	if math.Float32bits(v)<<1 < negligible<<1 {
		return 0
	}
	return v
}

// negligible holds the bits of 1e-30.
var negligible = math.Float32bits(1e-30)
