package ops

import G "gorgonia.org/gorgonia"

// Add is x + y.
const Add Kind = "add"

// Add adds the sum x + y of two tensors [rows, d].
func (b *Builder) Add(x, y *G.Node) *G.Node { return b.op(&Op{Kind: Add}, x, y) }

var _ = declare(Add, operation{
	shape:     sameShape,
	gradients: composed(func(p parts, _ int) *G.Node { return p.grad }),
	single:    add[float32], double: add[float64],
	form:    onnx("Add"),
	element: "t.a[i] + t.b[i]",
})

func add[T Float](_ *Op, _ Extents, out []T, in [][]T) {
	for i, a := range in[0] {
		out[i] = a + in[1][i]
	}
}
