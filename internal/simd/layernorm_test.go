package simd_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/acqnp/acqnp/internal/simd"
)

const epsilon = 1e-5

// rowNorm is a layer norm of one row in float64: the normalised row and 1/√(variance+ε).
func rowNorm(x []float32) (z []float64, inverse float64) {
	mean, variance := 0.0, 0.0
	for _, v := range x {
		mean += float64(v) / float64(len(x))
	}
	for _, v := range x {
		variance += (float64(v) - mean) * (float64(v) - mean) / float64(len(x))
	}
	inverse = 1 / math.Sqrt(variance+epsilon)
	for _, v := range x {
		z = append(z, (float64(v)-mean)*inverse)
	}
	return z, inverse
}

// near fails unless got is within a hundred roundings of a number of the given size. The longest sums
// have 300 terms in 16 lanes.
func near(t *testing.T, what string, got float32, want, size float64) {
	t.Helper()
	if !(math.Abs(float64(got)-want) <= 100*0x1p-24*max(1, size)) {
		t.Fatalf("%s is %v, want %v", what, got, want)
	}
}

// TestLayerNorm compares values and gradients with float64. Rows have a mean of 3 and a deviation of
// 0.6, so that errors of the mean would show.
func TestLayerNorm(t *testing.T) {
	onEverySet(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(41, 42))
		for _, n := range []int{1, 2, 7, 8, 15, 16, 17, 20, 31, 33, 48, 64, 65, 100, 128, 300} {
			for _, m := range []int{1, 2, 5, 40} {
				x, g, y, dx := random(r, m, n), random(r, m, n), random(r, m, n), random(r, m, n)
				for i := range m * n {
					x.Slice(i/n, i%n).Data[0] += 3
				}
				norm := simd.Norm{Gain: matrix(r, 1, n, n)[:n], Shift: matrix(r, 1, n, n)[:n], Epsilon: epsilon}
				simd.LayerNorm(m, n, norm, x, y)
				untouched(t, "y", y.Data, m, n, y.Stride)
				dgain, dshift := matrix(r, 1, n, n), matrix(r, 1, n, n)
				gains, shifts := make([]float64, n), make([]float64, n)
				for j := range n {
					gains[j], shifts[j] = float64(dgain[j]), float64(dshift[j])
				}
				simd.LayerNormGrad(m, n, norm, g, x, simd.NormGrad{X: dx, Gain: dgain[:n], Shift: dshift[:n]})
				untouched(t, "x's gradient", dx.Data, m, n, dx.Stride)
				untouched(t, "gain's gradient", dgain, 1, n, n)
				untouched(t, "shift's gradient", dshift, 1, n, n)
				for i := range m {
					z, inverse := rowNorm(x.Slice(i, 0).Data[:n])
					mean, slope := 0.0, 0.0
					for j := range n {
						h := float64(at(g, i, j)) * float64(norm.Gain[j])
						mean += h / float64(n)
						slope += h * z[j] / float64(n)
						gains[j] += float64(at(g, i, j)) * z[j]
						shifts[j] += float64(at(g, i, j))
						near(t, "y", at(y, i, j), z[j]*float64(norm.Gain[j])+float64(norm.Shift[j]), 3*inverse)
					}
					for j := range n {
						h := float64(at(g, i, j)) * float64(norm.Gain[j])
						near(t, "x's gradient", at(dx, i, j), (h-mean-z[j]*slope)*inverse, 3*inverse*inverse)
					}
				}
				for j := range n {
					near(t, "gain's gradient", dgain[j], gains[j], float64(m))
					near(t, "shift's gradient", dshift[j], shifts[j], float64(m))
				}
			}
		}
	})
}

// TestLayerNormOverItsOperand: the result may replace x, and x's gradient the gradient.
func TestLayerNormOverItsOperand(t *testing.T) {
	onEverySet(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(43, 44))
		for _, n := range []int{1, 20, 65} {
			const m = 3
			x, g, y, dx := matrix(r, m, n, n), matrix(r, m, n, n), make([]float32, m*n), make([]float32, m*n)
			norm := simd.Norm{Gain: matrix(r, 1, n, n)[:n], Shift: matrix(r, 1, n, n)[:n], Epsilon: epsilon}
			sums := func() []float32 { return make([]float32, n) }
			simd.LayerNorm(m, n, norm, simd.Rows(x, n), simd.Rows(y, n))
			simd.LayerNormGrad(m, n, norm, simd.Rows(g, n), simd.Rows(x, n), simd.NormGrad{X: simd.Rows(dx, n), Gain: sums(), Shift: sums()})
			simd.LayerNormGrad(m, n, norm, simd.Rows(g, n), simd.Rows(x, n), simd.NormGrad{X: simd.Rows(g, n), Gain: sums(), Shift: sums()})
			simd.LayerNorm(m, n, norm, simd.Rows(x, n), simd.Rows(x, n))
			if !slices.Equal(x[:m*n], y) || !slices.Equal(g[:m*n], dx) {
				t.Errorf("%d columns: results differ where they replace their arguments", n)
			}
		}
	})
}

// TestLayerNormOfSpecialRows: a constant row gives the shift, and a NaN spoils its own row alone.
func TestLayerNormOfSpecialRows(t *testing.T) {
	onEverySet(t, func(t *testing.T) {
		const n = 20
		norm := simd.Norm{Gain: slices.Repeat([]float32{2}, n), Shift: slices.Repeat([]float32{0.5}, n), Epsilon: epsilon}
		x := slices.Repeat([]float32{4}, 2*n)
		x[n+3] = float32(math.NaN())
		y := make([]float32, 2*n)
		simd.LayerNorm(2, n, norm, simd.Rows(x, n), simd.Rows(y, n))
		for j := range n {
			if y[j] != 0.5 {
				t.Errorf("a constant row gives %v, want the shift, 0.5", y[j])
			}
			if v := y[n+j]; v == v {
				t.Errorf("a row with a NaN gives %v, want NaN", v)
			}
		}
	})
}
