package ops

import (
	G "gorgonia.org/gorgonia"

	"github.com/acqnp/acqnp/internal/simd"
)

// Sigmoid is 1/(1 + exp(−z)). Softplus, whose derivative it is, is log(1 + exp(x)).
const (
	Sigmoid     Kind = "sigmoid"
	SigmoidGrad Kind = "sigmoid_grad"
	Softplus    Kind = "softplus"
)

// Sigmoid adds 1/(1+exp(−z)) of every element of z [rows, d].
func (b *Builder) Sigmoid(z *G.Node) *G.Node { return b.op(&Op{Kind: Sigmoid}, z) }

// Softplus adds log(1 + exp(x)) for every element of x [rows, d].
func (b *Builder) Softplus(x *G.Node) *G.Node { return b.op(&Op{Kind: Softplus}, x) }

var _ = declare(Sigmoid, operation{
	shape:     sameShape,
	gradients: inParts(SigmoidGrad, 1, result),
	single:    byElement(sigmoid[float32]), double: byElement(sigmoid[float64]),
	form:    onnx("Sigmoid"),
	row:     unary(func(dst, z []float32) { softplusSigmoid(nil, dst, z) }),
	element: "sigmoid_of(t.a[i])",
})

var _ = declare(SigmoidGrad, operation{
	single: sigmoidGrad[float32], double: sigmoidGrad[float64],
	row:     func(*Op) RowKernel { return sigmoidGradRow },
	element: "t.a[i] * t.b[i] * (1 - t.b[i])",
})

var _ = declare(Softplus, operation{
	shape:     sameShape,
	gradients: composed(func(p parts, _ int) *G.Node { return p.Mul(p.grad, p.Sigmoid(p.in[0])) }),
	single:    byElement(softplus[float32]), double: byElement(softplus[float64]),
	form:    onnx("Softplus"),
	row:     unary(func(dst, x []float32) { softplusSigmoid(dst, nil, x) }),
	element: "softplus(t.a[i])",
})

// sigmoidGrad evaluates SigmoidGrad. in: gradient and result [rows, d]; out: [rows, d].
func sigmoidGrad[T Float](_ *Op, _ Extents, out []T, in [][]T) {
	for i, g := range in[0] {
		out[i] = g * in[1][i] * (1 - in[1][i])
	}
}

func sigmoidGradRow(dst, grad, s []float32) {
	for i, g := range grad {
		dst[i] = Flush(g * s[i] * (1 - s[i]))
	}
}

// softplusSigmoid computes one of both; the other is nil.
func softplusSigmoid(softplus, sigmoid, x []float32) {
	var unused [256]float32
	for len(x) > 0 {
		n := min(len(x), len(unused))
		if softplus == nil {
			simd.SoftplusSigmoid(unused[:n], sigmoid[:n], x[:n])
			sigmoid = sigmoid[n:]
		} else {
			simd.SoftplusSigmoid(softplus[:n], unused[:n], x[:n])
			softplus = softplus[n:]
		}
		x = x[n:]
	}
}

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
