package simd_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/acqnp/acqnp/internal/simd"
)

// Exp64 has the bits of math.Exp, also where results are denormal or 0.
func TestExp64HasTheBitsOfMathExp(t *testing.T) {
	onEverySet(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(31, 32))
		x := []float64{0, math.Copysign(0, -1), 1, -1, 700, -708.4, -744.9, -745.2, -746, -1e6, -1e300, math.Inf(-1),
			-math.SmallestNonzeroFloat64, math.Ln2 / 2, -math.Ln2 / 2}
		for _, scale := range []float64{1e-17, 1e-5, 1, 30, 700, 760, 4e9} {
			for range 4000 {
				x = append(x, min(700, scale*(r.Float64()-1)), min(700, scale*r.Float64()))
			}
		}
		for len(x)%simd.DoubleLanes != 0 {
			x = append(x, 0)
		}
		got := make([]float64, len(x))
		simd.Exp64(got, x)
		for i, v := range x {
			if want := math.Exp(v); math.Float64bits(got[i]) != math.Float64bits(want) {
				t.Fatalf("exp(%v) is %v, want %v", v, got[i], want)
			}
		}
		simd.Exp64(x, x)
		if x[0] != 1 || x[len(x)-1] != got[len(x)-1] {
			t.Error("other results in place")
		}
	})
}

func TestSubtractProductsInOrder(t *testing.T) {
	onEverySet(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(33, 34))
		for n := 0; n <= 17*simd.DoubleLanes; n += simd.DoubleLanes {
			for _, k := range []int{0, 1, 2, 3, 7, 64} {
				stride := n + 1 + 8*(k%2)
				data := make([]float64, (k+1)*stride+n)
				for i := range data {
					data[i] = r.NormFloat64()
				}
				c := make([]float64, n+1)
				for i := range c {
					c[i] = r.NormFloat64()
				}
				want := make([]float64, len(c))
				copy(want, c)
				for j := range n {
					for i := range k {
						want[j] -= float64(data[i*stride] * data[i*stride+1+j])
					}
					want[j] *= 1.5
				}
				simd.SubtractProducts(c[:n], k, simd.Columns{Data: data, Stride: stride}, simd.Columns{Data: data[1:], Stride: stride}, 1.5)
				for j := range c {
					if c[j] != want[j] {
						t.Fatalf("%d columns, %d rows: element %d is %v, want %v", n, k, j, c[j], want[j])
					}
				}
			}
		}
	})
}

func TestDoublesRefuseBadSizes(t *testing.T) {
	v := make([]float64, 64)
	at := func(n, stride int) simd.Columns { return simd.Columns{Data: v[:n], Stride: stride} }
	for name, call := range map[string]func(){
		"exp of 7":         func() { simd.Exp64(v[:7], v[:7]) },
		"exp of 8 into 16": func() { simd.Exp64(v[:16], v[:8]) },
		"12 columns":       func() { simd.SubtractProducts(v[:12], 1, at(64, 8), at(64, 8), 1) },
		"a short column":   func() { simd.SubtractProducts(v[:8], 3, at(16, 8), at(64, 8), 1) },
		"a short matrix":   func() { simd.SubtractProducts(v[:8], 3, at(64, 8), at(23, 8), 1) },
		"two strides":      func() { simd.SubtractProducts(v[:8], 3, at(64, 8), at(64, 9), 1) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			call()
		}()
	}
}
