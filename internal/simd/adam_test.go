package simd_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/acqnp/acqnp/internal/simd"
)

// plainAdam makes the update as it is defined, with every operation rounded.
func plainAdam(params, m, v, grads []float32, s simd.AdamStep) {
	flush := func(x, bound float32) float32 {
		if x < bound && x > -bound {
			return 0
		}
		return x
	}
	for i, p := range params {
		penalty := float32(s.Decay * p)
		g := grads[i] + penalty
		old, increment := float32(s.Beta1*m[i]), float32(s.Rest1*g)
		m[i] = flush(old+increment, 1e-30)
		old, increment = float32(s.Beta2*v[i]), float32(float32(s.Rest2*g)*g)
		v[i] = flush(old+increment, 1e-37)
		divisor := float32(float32(math.Sqrt(float64(v[i])))/s.Root) + s.Epsilon
		params[i] = flush(p-float32(s.Rate*m[i])/divisor, 1e-30)
	}
}

func TestAdamIsPlainGoBitForBit(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	special := []float32{0, 1, nan, inf, -inf, 1e-30, -9e-31, 1e-45, 3e38, -1e-20}
	onEverySet(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(17, 18))
		vector := func(n int, scale float64, positive bool) []float32 {
			x := make([]float32, n)
			for i := range x {
				x[i] = float32(r.NormFloat64() * scale)
				if r.IntN(8) == 0 {
					x[i] = special[r.IntN(len(special))]
				}
				if positive {
					x[i] = float32(math.Abs(float64(x[i])))
				}
			}
			return x
		}
		for n := range 70 {
			step := simd.AdamStep{Rate: 0.01, Root: 0.3, Beta1: 0.9, Rest1: 0.1, Beta2: 0.999, Rest2: 1e-3, Decay: float32(n%2) * 0.1, Epsilon: 1e-8}
			got := [3][]float32{vector(n, 1, false), vector(n, 0.1, false), vector(n, 0.01, true)}
			grads := vector(n, 0.1, false)
			var want [3][]float32
			for i := range got {
				want[i] = slices.Clone(got[i])
			}
			done, finite := simd.Adam(got[0], got[1], got[2], grads, step)
			if !done {
				if simd.Name() != "portable" {
					t.Fatalf("%s leaves the update to plain Go", simd.Name())
				}
				return
			}
			plainAdam(want[0], want[1], want[2], grads, step)
			if all := !slices.ContainsFunc(slices.Concat(want[:]...), func(x float32) bool { return x-x != 0 }); finite != all {
				t.Errorf("%d parameters: all finite: %t, want %t", n, finite, all)
			}
			for i := range got {
				for j := range want[i] {
					if g, w := got[i][j], want[i][j]; math.Float32bits(g) != math.Float32bits(w) && !(g != g && w != w) {
						t.Fatalf("%d parameters, vector %d, place %d: %v, want %v", n, i, j, g, w)
					}
				}
			}
		}
	})
}
