package ops

import "fmt"

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
