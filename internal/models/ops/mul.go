package ops

import (
	G "gorgonia.org/gorgonia"

	"github.com/acqnp/acqnp/internal/simd"
)

// Mul is x·y.
const Mul Kind = "mul"

// Mul adds the product x·y, by element, of two tensors [rows, d].
func (b *Builder) Mul(x, y *G.Node) *G.Node { return b.op(&Op{Kind: Mul}, x, y) }

var _ = declare(Mul, operation{
	shape:     sameShape,
	gradients: composed(func(p parts, i int) *G.Node { return p.Mul(p.grad, p.in[1-i]) }),
	single:    mul[float32], double: mul[float64],
	form:    onnx("Mul"),
	row:     func(*Op) RowKernel { return mulRow },
	element: "t.a[i] * t.b[i]",
})

func mul[T Float](_ *Op, _ Extents, out []T, in [][]T) {
	for i, a := range in[0] {
		out[i] = a * in[1][i]
	}
}

func mulRow(dst, a, b []float32) {
	dst, b = dst[:len(a)], b[:len(a)]
	for i, x := range a {
		dst[i] = x * b[i]
	}
	simd.Flush(dst, dst)
}
