package simd_test

import (
	"slices"
	"testing"

	"github.com/acqnp/acqnp/internal/simd"
)

// TestResizeIsAsNew packs matrices of many sizes into one Packed. Memory that an earlier, larger
// matrix left must not change results.
func TestResizeIsAsNew(t *testing.T) {
	used := simd.NewPacked(70, 130)
	for _, size := range [][2]int{{70, 130}, {3, 5}, {16, 33}, {1, 1}, {69, 131}, {70, 2}} {
		k, n := size[0], size[1]
		a, b := make([]float32, 5*k), make([]float32, k*n)
		for i := range a {
			a[i] = float32(i%7) - 3
		}
		for i := range b {
			b[i] = float32(i%11) - 5
		}
		fresh := simd.NewPacked(k, n)
		used.Resize(k, n)
		fresh.Pack(b, n, 1)
		used.Pack(b, n, 1)
		got, want := make([]float32, 5*n), make([]float32, 5*n)
		fresh.Multiply(5, simd.Rows(a, k), simd.Rows(want, n), simd.Overwrite, nil)
		used.Multiply(5, simd.Rows(a, k), simd.Rows(got, n), simd.Overwrite, nil)
		if !slices.Equal(got, want) || used.K() != k || used.N() != n {
			t.Errorf("[%d, %d]: not what a new one gives", k, n)
		}
	}
}
