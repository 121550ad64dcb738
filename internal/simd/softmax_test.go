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
				if !same(got, c.want) {
					t.Errorf("sum of %v with one %v: %v, want %v", c.others, c.one, got, c.want)
				}
			}
		}
	})
}

// TestSoftmaxRows: each row gets the bits that it gets alone.
func TestSoftmaxRows(t *testing.T) {
	onEverySet(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(33, 34))
		for n := 1; n < 100; n++ {
			const m, scale = 3, 0.7
			x, inverse := random(r, m, n), matrix(r, 1, m, m)
			for i := range n {
				x.Slice(1, i).Data[0] *= 100
				x.Slice(2, i).Data[0] = float32(math.Inf(-1))
			}
			want := copied(x)
			simd.SoftmaxRows(m, n, x, scale, inverse[:m])
			untouched(t, "terms", x.Data, m, n, x.Stride)
			untouched(t, "inverses", inverse, 1, m, m)
			for i := range m {
				row := want.Slice(i, 0).Data[:n]
				_, sum := simd.SoftmaxTerms(row, row, scale)
				if err := sameBits(row, x.Slice(i, 0).Data); err != nil || inverse[i] != 1/sum {
					t.Fatalf("row %d of %d columns: inverse %v, want %v; %v", i, n, inverse[i], 1/sum, err)
				}
			}
		}
	})
}

// TestSoftmaxGradRows compares with float64. The bound is for the sum of n products and four
// roundings.
func TestSoftmaxGradRows(t *testing.T) {
	onEverySet(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(35, 36))
		for n := 1; n < 150; n++ {
			const m, scale = 3, 0.7
			terms, g, inverse := random(r, m, n), random(r, m, n), make([]float32, m)
			simd.SoftmaxRows(m, n, terms, scale, inverse)
			got := copied(g)
			simd.SoftmaxGradRows(m, n, got, terms, scale, inverse)
			untouched(t, "gradient", got.Data, m, n, g.Stride)
			for i := range m {
				mean := 0.0
				for j := range n {
					mean += float64(at(terms, i, j)) * float64(inverse[i]) * float64(at(g, i, j))
				}
				for j := range n {
					weight := float64(at(terms, i, j)) * float64(inverse[i])
					want := weight * (float64(at(g, i, j)) - mean) * scale
					if !(math.Abs(float64(at(got, i, j))-want) <= float64(n+8)*0x1p-23*weight*scale) {
						t.Fatalf("element %d of row %d of %d is %v, want %v", j, i, n, at(got, i, j), want)
					}
				}
			}
		}
	})
}

// TestSoftmaxGradRowsOfSpecialNumbers puts one number among zeros, at every column.
func TestSoftmaxGradRowsOfSpecialNumbers(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	onEverySet(t, func(t *testing.T) {
		for _, c := range []struct{ term, g, want float32 }{
			{1e-29, 1, 1e-29}, {1e-31, 1, 0}, {0.5, -1e-30, 0}, {0.5, -1e-29, -2.5e-30}, {0, 5, 0},
			{nan, 1, nan}, {0, nan, nan}, {0, inf, nan}, {0.5, -inf, nan},
		} {
			for n := 1; n < 70; n++ {
				for _, at := range []int{0, n / 2, n - 1} {
					x, terms := make([]float32, n), make([]float32, n)
					x[at], terms[at] = c.g, c.term
					simd.SoftmaxGradRows(1, n, simd.Rows(x, n), simd.Rows(terms, n), 1, []float32{1})
					if got := x[at]; !same(got, c.want) {
						t.Fatalf("%v·%v in column %d of %d is %v, want %v", c.term, c.g, at, n, got, c.want)
					}
				}
			}
		}
	})
}

func TestScaleRowsAndAdd(t *testing.T) {
	onEverySet(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(37, 38))
		for n := 1; n < 70; n++ {
			const m = 3
			x, y, scaled, sum, factors := random(r, m, n), random(r, m, n), random(r, m, n), random(r, m, n), matrix(r, 1, m, m)[:m]
			simd.ScaleRows(m, n, factors, x, scaled)
			simd.Add(m, n, x, y, sum)
			untouched(t, "scaled rows", scaled.Data, m, n, scaled.Stride)
			untouched(t, "sum", sum.Data, m, n, sum.Stride)
			for i := range m {
				for j := range n {
					product, total := at(x, i, j)*factors[i], at(x, i, j)+at(y, i, j)
					if at(scaled, i, j) != product || at(sum, i, j) != total {
						t.Fatalf("(%d, %d) of %d columns: %v and %v, want %v and %v", i, j, n, at(scaled, i, j), at(sum, i, j), product, total)
					}
				}
			}
		}
	})
}

func TestFlush(t *testing.T) {
	nan := float32(math.NaN())
	onEverySet(t, func(t *testing.T) {
		for n := 1; n < 40; n++ {
			for _, c := range []struct{ x, want float32 }{{1e-31, 0}, {-1e-31, 0}, {1e-29, 1e-29}, {-3, -3}, {1e-44, 0}, {nan, nan}} {
				x := slices.Repeat([]float32{c.x}, n+1)
				dst := slices.Clone(x)
				simd.Flush(dst[:n], x[:n])
				for _, got := range dst[:n] {
					if !same(got, c.want) {
						t.Fatalf("%v becomes %v, want %v", c.x, got, c.want)
					}
				}
				if dst[n] != c.x && c.x == c.x {
					t.Fatalf("element %d of %d was written to", n, n)
				}
			}
		}
	})
}
