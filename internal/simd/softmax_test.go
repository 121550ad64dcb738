package simd_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/acqnp/acqnp/internal/simd"
)

func TestSoftmax(t *testing.T) {
	onEverySet(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(31, 32))
		for n := 1; n < 70; n++ {
			for _, size := range []float32{1, 60, 1000} {
				x, dst := matrix(r, 1, n, n), matrix(r, 1, n, n)
				greatest := math.Inf(-1)
				for i := range x[:n] {
					x[i] *= size
					greatest = max(greatest, float64(x[i]))
				}
				total := 0.0
				for _, v := range x[:n] {
					total += math.Exp(float64(v) - greatest)
				}
				want, got := greatest+math.Log(total), simd.Softmax(dst[:n], x[:n])
				if math.Abs(float64(got)-want) > 0x1p-22+math.Abs(want)*0x1p-24 {
					t.Fatalf("logarithm of %d: %v, want %v", n, got, want)
				}
				untouched(t, "softmax", dst, 1, n, n)
				for i, v := range x[:n] {
					want := math.Exp(float64(v)-greatest) / total
					bound := want*(4+greatest-float64(v))*0x1p-23 + math.SmallestNonzeroFloat32
					if math.Abs(float64(dst[i])-want) > bound {
						t.Fatalf("element %d of %d is %v, want %v", i, n, dst[i], want)
					}
				}
			}
		}
	})
}

func TestSoftmaxOfSpecialNumbers(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	onEverySet(t, func(t *testing.T) {
		for _, c := range []struct {
			x    []float32
			want float32
		}{
			{[]float32{-inf, -inf, -inf}, -inf},
			{[]float32{-inf, 3, -inf}, 3},
			{[]float32{1, inf, -inf}, inf},
			{[]float32{1, nan, 2}, nan},
			{[]float32{nan, 1, 2}, nan},
			{[]float32{math.MaxFloat32, -math.MaxFloat32}, math.MaxFloat32},
		} {
			got := simd.Softmax(make([]float32, len(c.x)), c.x)
			if got != c.want && (got == got || c.want == c.want) {
				t.Errorf("logarithm of %v: %v, want %v", c.x, got, c.want)
			}
		}
	})
}
