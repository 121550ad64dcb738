package simd_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/acqnp/acqnp/internal/simd"
)

// TestHalvesOfFewerRows: a product of fewer rows gives the same bits in these rows, in float32 and in
// bfloat16, and leaves the others alone. Sizes end within blocks of 16 and 32 rows and columns.
func TestHalvesOfFewerRows(t *testing.T) {
	onEveryKind(t, func(t *testing.T) {
		const most, k, n, ldc = 67, 64, 90, 97
		r := rand.New(rand.NewPCG(13, 14))
		a, w, y := newHalfMatrix(r, most, k), newHalfMatrix(r, k, n), newHalfMatrix(r, most, n)
		p := simd.NewPackedHalves(k, n)
		p.Pack(w.halves)
		run := func(m int) (c, rounded []float32) {
			c = slices.Repeat([]float32{canary}, most*ldc+40)
			p.Multiply(simd.HalfProduct{M: m, A: a.halves, C: simd.Rows(c, ldc), Where: y.halves})
			to := emptyHalves(m, n)
			p.Multiply(simd.HalfProduct{M: m, A: a.halves, To: to, ReLU: true})
			return c, floatsOf(to, m, n)
		}
		whole, rounded := run(most)
		untouched(t, "C", whole, most, n, ldc)
		for m := 1; m < most; m += 3 {
			c, halves := run(m)
			untouched(t, "C", c, m, n, ldc)
			for i := range m {
				if err := sameBits(c[i*ldc:][:n], whole[i*ldc:]); err != nil {
					t.Fatalf("row %d of %d: %v", i, m, err)
				}
			}
			if err := sameBits(halves, rounded[:m*n]); err != nil {
				t.Fatalf("%d rows in bfloat16: %v", m, err)
			}
		}
	})
}

// TestHalvesStayInTheirMemory: products write to the same places whatever the kernel set, as AVX-512
// without tiles does.
func TestHalvesStayInTheirMemory(t *testing.T) {
	written := map[string][]bool{}
	for _, name := range []string{"avx512", "amx"} {
		restore, ok := simd.Use(name)
		defer restore()
		if !ok {
			t.Skipf("this machine has no %s", name)
		}
		r := rand.New(rand.NewPCG(15, 16))
		for _, size := range [][3]int{{32, 64, 64}, {45, 96, 67}, {17, 64, 96}} {
			m, k, n := size[0], size[1], size[2]
			a, w := newHalfMatrix(r, m, k), newHalfMatrix(r, k, n)
			p := simd.NewPackedHalves(k, n)
			p.Pack(w.halves)
			memory := make([]float32, simd.HalvesSize(m+4, n+40))
			for i := range memory {
				memory[i] = canary
			}
			to := simd.HalvesIn(memory, m+4, n+40)
			p.Multiply(simd.HalfProduct{M: m, A: a.halves, To: to})
			for _, v := range memory {
				written[name] = append(written[name], v != canary)
			}
			c := matrix(r, k, n, n+7)
			simd.TransposeMultiplyHalves(m, k, n, a.halves, to, simd.Rows(c, n+7), nil)
			untouched(t, "C", c, k, n, n+7)
		}
	}
	for i, w := range written["avx512"] {
		if written["amx"][i] != w {
			t.Fatalf("place %d of the result: written by AVX-512 %v, by tiles %v", i, w, !w)
		}
	}
}
