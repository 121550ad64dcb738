package ops

import (
	"math"

	G "gorgonia.org/gorgonia"

	"github.com/acqnp/acqnp/internal/simd"
)

// Exp is the exponential, Log the natural logarithm.
const (
	Exp Kind = "exp"
	Log Kind = "log"
)

// Exp adds exp(x) for every element of x [rows, d].
func (b *Builder) Exp(x *G.Node) *G.Node { return b.op(&Op{Kind: Exp}, x) }

// Log adds the natural logarithm of every element of x [rows, d]. All are above 0.
func (b *Builder) Log(x *G.Node) *G.Node { return b.op(&Op{Kind: Log}, x) }

var _ = declare(Exp, operation{
	shape:     sameShape,
	gradients: composed(func(p parts, _ int) *G.Node { return p.Mul(p.grad, p.out) }),
	single:    byElement(exp[float32]), double: byElement(exp[float64]),
	form:    onnx("Exp"),
	row:     unary(simd.Exp),
	element: "expf(t.a[i])",
})

var _ = declare(Log, operation{
	shape:     sameShape,
	gradients: composed(func(p parts, _ int) *G.Node { return p.Mul(p.grad, p.Exp(p.Affine(p.out, -1, 0))) }),
	single:    byElement(log[float32]), double: byElement(log[float64]),
	form:    onnx("Log"),
	row:     unary(simd.Log),
	element: "logf(t.a[i])",
})

func exp[T Float](x T) T   { return T(math.Exp(float64(x))) }
func log[T Float](x T) T   { return T(math.Log(float64(x))) }
func log1p[T Float](x T) T { return T(math.Log1p(float64(x))) }
