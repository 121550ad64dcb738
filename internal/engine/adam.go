package engine

import (
	"math"

	"github.com/acqnp/acqnp/internal/simd"
)

// PyTorch's defaults for torch.optim.Adam, which the paper keeps.
const (
	beta1   = 0.9
	beta2   = 0.999
	epsilon = 1e-8
)

// Adam is torch.optim.Adam over a flat parameter vector: ε is added outside the root, both moments
// are bias-corrected and weight_decay is an L2 penalty, λ·θ added to the gradient. Scalars are
// computed in float64 and rounded to T once, as in PyTorch.
type Adam[T Float] struct {
	M, V        []T // the moments, in the layout of the parameters
	Step        int // updates made
	WeightDecay float64
}

// NewAdam returns an Adam with zero moments for n parameters.
func NewAdam[T Float](n int, weightDecay float64) *Adam[T] {
	return &Adam[T]{M: make([]T, n), V: make([]T, n), WeightDecay: weightDecay}
}

// Update makes one step with a learning rate, changes params in place, and reports whether params,
// M and V are all finite after it. All slices have the length given to NewAdam.
func (a *Adam[T]) Update(params, grads []T, learningRate float64) (finite bool) {
	a.Step++
	correction1 := 1 - math.Pow(beta1, float64(a.Step))
	correction2 := math.Sqrt(1 - math.Pow(beta2, float64(a.Step)))
	one := 1.0 // a variable, since Go's constants are exact and 1-0.9 has to round as in PyTorch
	var (
		rate   = T(learningRate / correction1)
		root   = T(correction2)
		b1, c1 = T(beta1), T(one - beta1)
		b2, c2 = T(beta2), T(one - beta2)
		decay  = T(a.WeightDecay)
		eps    = T(epsilon)
	)
	m, v, grads := a.M[:len(params)], a.V[:len(params)], grads[:len(params)]
	if p, ok := any(params).([]float32); ok {
		step := simd.AdamStep{Rate: float32(rate), Root: float32(root), Beta1: float32(b1), Rest1: float32(c1),
			Beta2: float32(b2), Rest2: float32(c2), Decay: float32(decay), Epsilon: float32(eps)}
		if done, finite := simd.Adam(p, any(m).([]float32), any(v).([]float32), any(grads).([]float32), step); done {
			return finite
		}
	}
	// found becomes a NaN once a number is not finite. A first moment that is not finite makes its
	// parameter so.
	var found T
	for i, p := range params {
		g := grads[i] + decay*p
		m[i] = flush(b1*m[i]+c1*g, negligible)
		v[i] = flush(b2*v[i]+c2*g*g, negligibleSquare)
		params[i] = flush(p-rate*m[i]/(T(math.Sqrt(float64(v[i])))/root+eps), negligible)
		found += (v[i] - v[i]) + (params[i] - params[i])
	}
	return found == 0
}

// Magnitudes below which parameters and moments become 0. The L2 penalty shrinks the weights of a
// dead unit at every step, until they are denormal. Arithmetic on denormal numbers takes a hundred
// times as long. Numbers this small change no parameter (√1e-37 vanishes beside ε) and no result.
const (
	negligible       = 1e-30
	negligibleSquare = 1e-37
)

// flush returns x, or 0 if |x| < bound.
func flush[T Float](x, bound T) T {
	if x < bound && x > -bound {
		return 0
	}
	return x
}
