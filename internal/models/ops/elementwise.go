package ops

import (
	"math"

	G "gorgonia.org/gorgonia"
)

// LevelFloor is the distance that CQNP's levels keep from 0 and 1: τ = 0.001 + 0.998·u.
const LevelFloor = 0.001

// Add adds the sum x + y of two tensors [rows, d].
func (b *Builder) Add(x, y *G.Node) *G.Node {
	return b.op(&Op{Kind: Add}, x, y)
}

// Join adds the tensor [rows, p+q] with the columns of x [rows, p] and then those of y [rows, q].
func (b *Builder) Join(x, y *G.Node) *G.Node {
	return b.op(&Op{Kind: Join}, x, y)
}

func joinShape(o *Op, _ G.Nodes) bool {
	o.Out, o.Width = o.In[0], o.Widths[0]+o.Widths[1]
	return o.Out > Scalar && o.In[1] == o.Out
}

// Ones adds a column of ones with a row for every row of a tensor: [rows, 1]. It has no gradient.
func (b *Builder) Ones(like *G.Node) *G.Node {
	return b.op(&Op{Kind: Ones}, like)
}

func onesShape(o *Op, _ G.Nodes) bool {
	o.Out, o.Width = o.In[0], 1
	return o.Out > Scalar
}

// Columns adds columns [from, to) of a tensor, [rows, width] → [rows, to−from].
func (b *Builder) Columns(in *G.Node, from, to int) *G.Node {
	return b.op(&Op{Kind: Columns, Width: to - from, From: from}, in)
}

func columnsShape(o *Op, _ G.Nodes) bool {
	o.Out = o.In[0]
	return o.From >= 0 && o.Width > 0 && o.From+o.Width <= o.Widths[0]
}

// Sigmoid adds 1/(1+exp(−z)) of every element of z [rows, d].
func (b *Builder) Sigmoid(z *G.Node) *G.Node { return b.op(&Op{Kind: Sigmoid}, z) }

// UniformLevel adds CQNP's levels τ = 0.001 + 0.998·u of uniform numbers u [B·N·N_τ, 1]. It has no
// gradient.
func (b *Builder) UniformLevel(u *G.Node) *G.Node { return b.op(&Op{Kind: UniformLevel}, u) }

// UniformLogit adds log(τ/(1−τ)) of the same levels. It is computed from u, not from τ, so that no
// digits are lost near 1.
func (b *Builder) UniformLogit(u *G.Node) *G.Node { return b.op(&Op{Kind: UniformLogit}, u) }

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

// sigmoids evaluates Sigmoid. in: z [rows, d]; out: [rows, d].
func sigmoids[T Float](_ *Op, _ Extents, out []T, in [][]T) {
	for i, z := range in[0] {
		out[i] = sigmoid(z)
	}
}

// sigmoidGrad evaluates SigmoidGrad. in: gradient and result [rows, d]; out: [rows, d].
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

// softplus returns log(1 + exp(x)). It does not overflow.
func softplus[T Float](x T) T {
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
