package simd_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/acqnp/acqnp/internal/simd"
)

// negligible is the absolute value below which some kernels return 0. The smallest term that must
// not become 0 is a little larger.
const negligible = 1e-30

func TestSoftmaxTerms(t *testing.T) {
	onEverySet(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(31, 32))
		for n := 1; n < 150; n++ {
			for _, size := range []float32{1, 60, 1000} {
				const scale = 0.35355338
				x, dst := matrix(r, 1, n, n), matrix(r, 1, n, n)
				greatest := math.Inf(-1)
				for i := range x[:n] {
					x[i] *= size
					greatest = max(greatest, float64(x[i])*float64(float32(scale)))
				}
				m, sum := simd.SoftmaxTerms(dst[:n], x[:n], scale)
				if !(ulps(m, greatest) <= 0.501) {
					t.Fatalf("greatest of %d: %v, want %v", n, m, greatest)
				}
				total := 0.0
				untouched(t, "terms", dst, 1, n, n)
				for i, v := range x[:n] {
					exponent := float64(v)*float64(float32(scale)) - greatest
					want := math.Exp(exponent)
					total += want
					if want < negligible*1.001 && (dst[i] == 0 || want > negligible*0.999) {
						continue
					}
					// Both products are rounded: half a unit in the last place.
					bound := want * ((2-exponent)*0x1p-23 + (math.Abs(greatest)+math.Abs(greatest+exponent))*0x1p-24)
					if !(math.Abs(float64(dst[i])-want) <= bound) {
						t.Fatalf("element %d of %d is %v, want %v", i, n, dst[i], want)
					}
				}
				bound := total * (float64(4+n/16)*0x1p-23 + math.Abs(greatest)*0x1p-23)
				if !(math.Abs(float64(sum)-total) <= bound) {
					t.Fatalf("sum of %d: %v, want %v", n, sum, total)
				}
				if _, again := simd.SoftmaxTerms(x[:n], x[:n], scale); again != sum || !slices.Equal(x[:n], dst[:n]) {
					t.Fatalf("terms of %d differ where they replace their arguments", n)
				}
			}
		}
	})
}

// TestSoftmaxTermsOfSpecialNumbers puts each special number among 40 others, at every index.
func TestSoftmaxTermsOfSpecialNumbers(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	onEverySet(t, func(t *testing.T) {
		const n = 41
		fill := func(v float32) []float32 { return slices.Repeat([]float32{v}, n) }
		for at := range n {
			for _, c := range []struct{ others, one, want float32 }{
				{-inf, -inf, 0},
				{-inf, 3, 1},
				{1, inf, nan},
				{1, nan, nan},
				{nan, 1, nan},
				{-math.MaxFloat32, math.MaxFloat32, 1},
				{0, -1e4, n - 1},
				{5, -inf, n - 1},
			} {
				x := fill(c.others)
				x[at] = c.one
				_, got := simd.SoftmaxTerms(x, x, 1)
				if got != c.want && (got == got || c.want == c.want) {
					t.Errorf("sum of %v with one %v: %v, want %v", c.others, c.one, got, c.want)
				}
			}
		}
	})
}

func TestSoftmaxGrad(t *testing.T) {
	onEverySet(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(33, 34))
		for n := range 70 {
			terms, g := matrix(r, 1, n, n), matrix(r, 1, n, n)
			const mean, scale = 0.25, 3
			got := slices.Clone(g)
			simd.SoftmaxGrad(got[:n], terms[:n], mean, scale)
			untouched(t, "gradient", got, 1, n, n)
			for i := range n {
				want := float64(terms[i]) * (float64(g[i]) - mean) * scale
				if !(ulps(got[i], want) <= 2) {
					t.Fatalf("element %d of %d is %v, want %v", i, n, got[i], want)
				}
			}
		}
	})
}

func TestSoftmaxGradOfSpecialNumbers(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	onEverySet(t, func(t *testing.T) {
		for _, c := range []struct{ term, g, want float32 }{
			{1e-29, 1, 1e-29}, {1e-31, 1, 0}, {1, -1e-31, 0}, {1, -1e-29, -1e-29}, {0, 5, 0},
			{nan, 1, nan}, {0, nan, nan}, {0, inf, nan}, {1, -inf, -inf},
		} {
			for n := 1; n < 35; n++ {
				x, terms := slices.Repeat([]float32{c.g}, n), slices.Repeat([]float32{c.term}, n)
				simd.SoftmaxGrad(x, terms, 0, 1)
				for _, got := range x {
					if got != c.want && (got == got || c.want == c.want) {
						t.Fatalf("%v·%v is %v, want %v", c.term, c.g, got, c.want)
					}
				}
			}
		}
	})
}
