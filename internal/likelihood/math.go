package likelihood

import (
	"math"

	"github.com/acqnp/acqnp/internal/simd"
)

// Float is the element type of decoder outputs.
type Float interface{ ~float32 | ~float64 }

// Softplus returns log(1 + eˣ).
func Softplus(x float64) float64 {
	return math.Max(x, 0) + math.Log1p(math.Exp(-math.Abs(x)))
}

// scaleOf returns the scale σ = floor + (1−floor)·softplus(s) for a decoder's output s.
func scaleOf(s, floor float64) float64 { return floor + (1-floor)*Softplus(s) }

// Sigmoid returns 1/(1 + e⁻ˣ) with full relative precision at both ends: Sigmoid(−x) is 1 −
// Sigmoid(x) without the loss of digits.
func Sigmoid(x float64) float64 {
	e := math.Exp(-math.Abs(x))
	if x < 0 {
		return e / (1 + e)
	}
	return 1 / (1 + e)
}

// LogSumExp returns log Σ exp(x_i). It is −Inf for an empty x, and NaN if a term is NaN.
func LogSumExp(x []float64) float64 {
	top := math.Inf(-1)
	for _, v := range x {
		top = math.Max(top, v)
	}
	if math.IsInf(top, 0) || math.IsNaN(top) {
		return top // a difference of infinities would be NaN
	}
	sum := 0.0
	for len(x) > 0 {
		var e [block]float64
		n := min(block, len(x))
		for i, v := range x[:n] {
			e[i] = v - top
		}
		simd.Exps(e[:], e[:])
		for _, v := range e[:n] {
			sum += v
		}
		x = x[n:]
	}
	return top + math.Log(sum)
}

// block is the number of exponentials that are computed at once.
const block = 4 * simd.DoubleLanes

// exps sets dst to exp(x), for x up to 0.
func exps(dst, x []float64) {
	whole := len(x) / simd.DoubleLanes * simd.DoubleLanes
	simd.Exps(dst[:whole], x[:whole])
	for i := whole; i < len(x); i++ {
		dst[i] = math.Exp(x[i])
	}
}

// centred adds half a step to u, which is uniform on the multiples of 2⁻²⁴ in [0, 1). So the result
// is never 0, where quantiles are infinite.
func centred(u float64) float64 {
	const half = 0x1p-25
	return math.Min(u+half, 1-half)
}
