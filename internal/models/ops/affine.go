package ops

import G "gorgonia.org/gorgonia"

// Affine is scale·x + shift.
const Affine Kind = "affine"

// Affine adds scale·x + shift for every element of x [rows, d].
func (b *Builder) Affine(x *G.Node, scale, shift float64) *G.Node {
	return b.op(&Op{Kind: Affine, Scale: scale, Shift: shift}, x)
}

var _ = declare(Affine, operation{
	shape:     sameShape,
	gradients: composed(func(p parts, _ int) *G.Node { return p.Affine(p.grad, p.op.Scale, 0) }),
	single:    affine[float32], double: affine[float64],
	form:    func(w words, o *Op, in []Value) Value { return w.affine(o.Shift, o.Scale, in[0]) },
	row:     affineRow,
	element: "t.scale * t.a[i] + t.shift",
})

func affine[T Float](o *Op, _ Extents, out []T, in [][]T) {
	scale, shift := T(o.Scale), T(o.Shift)
	for i, x := range in[0] {
		out[i] = scale*x + shift
	}
}

func affineRow(o *Op) RowKernel {
	scale, shift := float32(o.Scale), float32(o.Shift)
	return func(dst, a, _ []float32) {
		for i, x := range a {
			dst[i] = scale*x + shift
		}
	}
}
