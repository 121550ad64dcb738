package ops

import (
	"fmt"
	"math"

	G "gorgonia.org/gorgonia"
)

// LevelFloor is the distance that CQNP's levels keep from 0 and 1: τ = 0.001 + 0.998·u.
const LevelFloor = 0.001

// Add adds the sum x + y of two tensors [rows, d].
func (b *Builder) Add(x, y *G.Node) *G.Node {
	if b.err != nil {
		return nil
	}
	s, _, d, _ := b.info(x)
	t, _, width, _ := b.info(y)
	if s <= Scalar || s != t || d != width {
		b.err = fmt.Errorf("ops: sum of %v %v and %v %v", s, x.Shape(), t, y.Shape())
		return nil
	}
	return b.op(&Op{Kind: Add, Out: s, Width: d}, x, y)
}

// Join adds the tensor [rows, p+q] with the columns of x [rows, p] and then those of y [rows, q].
func (b *Builder) Join(x, y *G.Node) *G.Node {
	if b.err != nil {
		return nil
	}
	s, _, p, _ := b.info(x)
	t, _, q, _ := b.info(y)
	if s <= Scalar || s != t {
		b.err = fmt.Errorf("ops: join of %v %v and %v %v", s, x.Shape(), t, y.Shape())
		return nil
	}
	return b.op(&Op{Kind: Join, Out: s, Width: p + q}, x, y)
}

// Ones adds a column of ones with a row for every row of a tensor: [rows, 1]. It has no gradient.
func (b *Builder) Ones(like *G.Node) *G.Node {
	if b.err != nil {
		return nil
	}
	s, _, _, _ := b.info(like)
	if s <= Scalar {
		b.err = fmt.Errorf("ops: ones for %v %v", s, like.Shape())
		return nil
	}
	return b.op(&Op{Kind: Ones, Out: s, Width: 1}, like)
}

// Columns adds columns [from, to) of data, [rows, width] → [rows, to−from]. It has no gradient.
func (b *Builder) Columns(in *G.Node, from, to int) *G.Node {
	if b.err != nil {
		return nil
	}
	s, _, width, _ := b.info(in)
	if from < 0 || to <= from || to > width {
		b.err = fmt.Errorf("ops: columns %d to %d of %v", from, to, in.Shape())
		return nil
	}
	return b.op(&Op{Kind: Columns, Out: s, Width: to - from, From: from}, in)
}

// Sigmoid adds 1/(1+exp(−z)) of every element of z [B·N·N_τ, d].
func (b *Builder) Sigmoid(z *G.Node) *G.Node { return b.unary(Sigmoid, Row, z, Row) }

// UniformLevel adds CQNP's levels τ = 0.001 + 0.998·u of uniform numbers u [B·N·N_τ, 1]. It has no
// gradient.
func (b *Builder) UniformLevel(u *G.Node) *G.Node { return b.unary(UniformLevel, Row, u, Row) }

// UniformLogit adds log(τ/(1−τ)) of the same levels. It is computed from u, not from τ, so that no
// digits are lost near 1.
func (b *Builder) UniformLogit(u *G.Node) *G.Node { return b.unary(UniformLogit, Row, u, Row) }

func sigmoidGradients(o *Op, _ G.Nodes, out, grad *G.Node) (G.Nodes, error) {
	return o.each(1, func(i int) (*G.Node, error) {
		return apply(o.gradOf(SigmoidGrad, 0, i, result), grad, out)
	})
}

// addGradients returns the gradient of the sum twice: it is the gradient of each input.
func addGradients(o *Op, _ G.Nodes, _, grad *G.Node) (G.Nodes, error) {
	return o.each(2, func(int) (*G.Node, error) { return grad, nil })
}

// joinGradients returns, for each input, its columns of the gradient.
func joinGradients(o *Op, _ G.Nodes, _, grad *G.Node) (G.Nodes, error) {
	return o.each(2, func(i int) (*G.Node, error) {
		g := o.gradOf(Columns, 0, i)
		if i == 1 {
			g.From = o.Widths[0]
		}
		return apply(g, grad)
	})
}

// add evaluates Add. in: x and y [rows, d]; out: [rows, d].
func add[T Float](_ *Op, _ Extents, out []T, in [][]T) {
	for i, a := range in[0] {
		out[i] = a + in[1][i]
	}
}

// join evaluates Join. in: [rows, p], [rows, q]; out: [rows, p+q].
func join[T Float](o *Op, e Extents, out []T, in [][]T) {
	p, q := o.Widths[0], o.Widths[1]
	for i := range e.Rows(o.Out) {
		y := row(out, i, o.Width)
		copy(y, row(in[0], i, p))
		copy(y[p:], row(in[1], i, q))
	}
}

// ones evaluates Ones. out: [rows, 1].
func ones[T Float](_ *Op, _ Extents, out []T, _ [][]T) {
	for i := range out {
		out[i] = 1
	}
}

// columns evaluates Columns. in: [rows, width]; out: [rows, o.Width].
func columns[T Float](o *Op, e Extents, out []T, in [][]T) {
	for i := range e.Rows(o.Out) {
		copy(row(out, i, o.Width), row(in[0], i, o.Widths[0])[o.From:])
	}
}

// sigmoids evaluates Sigmoid. in: z [Row, d]; out: [Row, d].
func sigmoids[T Float](_ *Op, _ Extents, out []T, in [][]T) {
	for i, z := range in[0] {
		out[i] = sigmoid(z)
	}
}

// sigmoidGrad evaluates SigmoidGrad. in: gradient [Row, d], the result [Row, d]; out: [Row, d].
func sigmoidGrad[T Float](_ *Op, _ Extents, out []T, in [][]T) {
	for i, g := range in[0] {
		out[i] = g * in[1][i] * (1 - in[1][i])
	}
}

// uniformLevel evaluates UniformLevel. in: u [Row, 1]; out: τ [Row, 1].
func uniformLevel[T Float](_ *Op, _ Extents, out []T, in [][]T) {
	for i, u := range in[0] {
		out[i] = LevelFloor + (1-2*LevelFloor)*u
	}
}

// uniformLogit evaluates UniformLogit. in: u [Row, 1]; out: logits [Row, 1].
func uniformLogit[T Float](_ *Op, _ Extents, out []T, in [][]T) {
	for i, u := range in[0] {
		out[i] = log(LevelFloor+(1-2*LevelFloor)*u) - log(LevelFloor+(1-2*LevelFloor)*(1-u))
	}
}

func exp[T Float](x T) T   { return T(math.Exp(float64(x))) }
func log[T Float](x T) T   { return T(math.Log(float64(x))) }
func log1p[T Float](x T) T { return T(math.Log1p(float64(x))) }

// Softplus returns log(1 + exp(x)). It does not overflow.
func Softplus[T Float](x T) T {
	if x > 0 {
		return x + log1p(exp(-x))
	}
	return log1p(exp(x))
}

func sigmoid[T Float](x T) T {
	if x >= 0 {
		return 1 / (1 + exp(-x))
	}
	e := exp(x)
	return e / (1 + e)
}
