package ops

import (
	"fmt"
	"math"

	G "gorgonia.org/gorgonia"
)

// LevelFloor is the distance that CQNP's levels keep from 0 and 1: τ = 0.001 + 0.998·u.
const LevelFloor = 0.001

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
