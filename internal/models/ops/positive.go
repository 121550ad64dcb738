package ops

import G "gorgonia.org/gorgonia"

// Positive is 1 where x ≥ 0, and 0 elsewhere.
const Positive Kind = "positive"

// Positive adds 1 for every element of x [rows, d] that is at least 0, and 0 for every other. It has
// no gradient; that of Mul(x, Positive(x)), a ReLU, at 0 is the right one.
func (b *Builder) Positive(x *G.Node) *G.Node { return b.op(&Op{Kind: Positive}, x) }

var _ = declare(Positive, operation{
	shape:  sameShape,
	single: byElement(positive[float32]), double: byElement(positive[float64]),
	row:     unary(positiveRow),
	element: "t.a[i] >= 0",
})

func positive[T Float](x T) T {
	if x >= 0 {
		return 1
	}
	return 0
}

func positiveRow(dst, x []float32) {
	for i, v := range x {
		dst[i] = positive(v)
	}
}
