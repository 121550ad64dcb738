// Package likelihood holds the two predictive distributions of the models, in plain float64: the Gaussian of CNP and
// the mixture of asymmetric Laplace distributions of CQNP and ACQNP. It is the reference that every faster
// implementation is tested against, and what predictions are computed with.
//
// Quantile levels are kept as logits z, τ = sigmoid(z), and mixture weights as logits a, w = softmax(a): neither is
// ever turned into a probability before its logarithm is taken, so that nothing is lost where they saturate. All results
// are finite for logits z and a up to ±100, scales down to their floors and distances |y−μ| up to 1e6.
package likelihood

import "math"

// Float is the element type of decoder outputs.
type Float interface{ ~float32 | ~float64 }

// Softplus is log(1 + eˣ).
func Softplus(x float64) float64 {
	return math.Max(x, 0) + math.Log1p(math.Exp(-math.Abs(x)))
}

// Sigmoid is 1/(1 + e⁻ˣ), with full relative precision at both ends: Sigmoid(-x) is 1 − Sigmoid(x) without rounding
// to 0 before e⁻ˣ itself does.
func Sigmoid(x float64) float64 {
	e := math.Exp(-math.Abs(x))
	if x < 0 {
		return e / (1 + e)
	}
	return 1 / (1 + e)
}

// LogSigmoid is log(Sigmoid(x)) = −Softplus(−x).
func LogSigmoid(x float64) float64 { return -Softplus(-x) }

// LogSumExp is log Σ exp(x_i); −Inf for no terms.
func LogSumExp(x []float64) float64 {
	top := math.Inf(-1)
	for _, v := range x {
		top = math.Max(top, v)
	}
	if math.IsInf(top, 0) || math.IsNaN(top) {
		return top // a difference of infinities would be NaN
	}
	sum := 0.0
	for _, v := range x {
		sum += math.Exp(v - top)
	}
	return top + math.Log(sum)
}

// centred moves u, uniform on the multiples of 2⁻²⁴ in [0, 1), to the middle of its cell: the inverse of a
// distribution function with unbounded support is infinite at 0.
func centred(u float64) float64 {
	const half = 0x1p-25
	return math.Min(u+half, 1-half)
}
