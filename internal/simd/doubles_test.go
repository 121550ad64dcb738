package simd_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/acqnp/acqnp/internal/simd"
)

// The kernels have the bits of their formulas with math.Exp, also where results are denormal or 0.
func TestKernelsHaveTheBitsOfTheirFormulas(t *testing.T) {
	onEverySet(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(31, 32))
		d := []float64{0, math.Copysign(0, -1), 1, -1, 26.46, 27.29, -27.3, 27.4, 708.4, -744.9, 745.2, 746, 1e6, -1e150, math.Inf(1),
			math.SmallestNonzeroFloat64, math.Ln2 / 2, math.Sqrt(math.Ln2 / 2)}
		for _, scale := range []float64{1e-17, 1e-5, 1, 30, 760, 4e9} {
			for range 4000 {
				d = append(d, scale*(2*r.Float64()-1))
			}
		}
		for len(d)%simd.DoubleLanes != 0 {
			d = append(d, 0)
		}
		got := make([]float64, len(d))
		for _, scale := range []float64{1, 0.7, 8.94, 1e-3} {
			simd.SquaredExponential(got, d, -scale, 0.5625)
			for i, v := range d {
				if want := 0.5625 * math.Exp(float64(-scale*v)*v); math.Float64bits(got[i]) != math.Float64bits(want) {
					t.Fatalf("squared exponential of scale %v at %v is %v, want %v", scale, v, got[i], want)
				}
			}
			simd.Matern52(got, d, scale, 0.5625)
			for i, v := range d {
				s := scale * math.Abs(v)
				want := 0.5625 * (1 + s + float64(s*s)/3) * math.Exp(-s)
				if got[i] != want && !(math.IsNaN(got[i]) && math.IsNaN(want)) { // ∞·0
					t.Fatalf("Matérn 5/2 of scale %v at %v is %v, want %v", scale, v, got[i], want)
				}
			}
		}
		simd.SquaredExponential(got, d, -1, 1)
		simd.SquaredExponential(d, d, -1, 1)
		if !slices.Equal(got, d) {
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
	mustPanic(t, map[string]func(){
		"7 distances":    func() { simd.SquaredExponential(v[:7], v[:7], -1, 1) },
		"8 into 16":      func() { simd.Matern52(v[:16], v[:8], 1, 1) },
		"12 columns":     func() { simd.SubtractProducts(v[:12], 1, at(64, 8), at(64, 8), 1) },
		"a short column": func() { simd.SubtractProducts(v[:8], 3, at(16, 8), at(64, 8), 1) },
		"a short matrix": func() { simd.SubtractProducts(v[:8], 3, at(64, 8), at(23, 8), 1) },
		"two strides":    func() { simd.SubtractProducts(v[:8], 3, at(64, 8), at(64, 9), 1) },
	})
}
