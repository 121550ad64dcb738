package ops

import (
	G "gorgonia.org/gorgonia"

	"github.com/acqnp/acqnp/internal/simd"
)

// UniformLevel is τ = 0.001 + 0.998·u, UniformLogit the logit of this τ.
const (
	UniformLevel Kind = "uniform_level"
	UniformLogit Kind = "uniform_logit"
)

// LevelFloor is the distance that CQNP's levels keep from 0 and 1: τ = 0.001 + 0.998·u.
const LevelFloor = 0.001

// UniformLevel adds CQNP's levels τ = 0.001 + 0.998·u of uniform numbers u [B·N·N_τ, 1]. It has no
// gradient.
func (b *Builder) UniformLevel(u *G.Node) *G.Node { return b.op(&Op{Kind: UniformLevel}, u) }

// UniformLogit adds log(τ/(1−τ)) of the same levels. It is computed from u, not from τ, so that no
// digits are lost near 1.
func (b *Builder) UniformLogit(u *G.Node) *G.Node { return b.op(&Op{Kind: UniformLogit}, u) }

var _ = declare(UniformLevel, operation{
	shape:  rowShape,
	single: byElement(level[float32]), double: byElement(level[float64]),
	form:    func(w words, _ *Op, in []Value) Value { return w.level(in[0]) },
	row:     unary(levels),
	element: "level(t.a[i])",
})

var _ = declare(UniformLogit, operation{
	shape:  rowShape,
	single: byElement(logit[float32]), double: byElement(logit[float64]),
	form:    logitForm,
	row:     unary(logits),
	element: "logf(level(t.a[i])) - logf(level(1 - t.a[i]))",
})

func level[T Float](u T) T { return LevelFloor + (1-2*LevelFloor)*u }
func logit[T Float](u T) T { return log(level(u)) - log(level(1-u)) }

func levels(dst, u []float32) {
	for i, v := range u {
		dst[i] = level(v)
	}
}

// logits takes one logarithm for both. 1−u is exact, so nothing is lost near 1.
func logits(dst, u []float32) {
	for i, v := range u {
		dst[i] = level(v) / level(1-v)
	}
	simd.Log(dst, dst)
}

func (w words) level(u Value) Value { return w.affine(LevelFloor, 1-2*LevelFloor, u) }

func logitForm(w words, _ *Op, in []Value) Value {
	rest := w.level(w.minus(w.Number(1), in[0]))
	return w.minus(w.Elementwise("Log", w.level(in[0])), w.Elementwise("Log", rest))
}
