package simd_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/acqnp/acqnp/internal/simd"
	"github.com/acqnp/acqnp/internal/test/must"
)

// onEveryKind runs a test on every kernel set, and with AVX-512 also without AVX512_BF16.
func onEveryKind(t *testing.T, test func(t *testing.T)) {
	onEverySet(t, func(t *testing.T) {
		test(t)
		if simd.Name() == "amx" {
			return // products of bfloat16 do not use tiles; TestHalvesHaveTheSameBits compares them once
		}
		defer simd.Rounded()()
		t.Run("rounded", test)
	})
}

// halfSizes are rows, columns of A and columns of B, odd ones too.
var halfSizes = [][3]int{{1, 16, 16}, {2, 17, 16}, {3, 31, 33}, {12, 64, 64}, {13, 65, 47}, {25, 128, 128}, {27, 33, 128}, {257, 128, 96}, {600, 144, 160}, {70, 64, 100}, {49, 96, 97}}

// halfOperation is what becomes of a product of bfloat16 numbers.
type halfOperation struct {
	name                    string
	bias, base, relu, where bool
	halves, overMask        bool // the result is bfloat16; it overwrites the mask
}

var halfOperations = []halfOperation{
	{name: "float32"},
	{name: "float32, bias, ReLU", bias: true, relu: true},
	{name: "float32, base", base: true},
	{name: "float32, masked", where: true},
	{name: "bfloat16", halves: true},
	{name: "bfloat16, bias, ReLU", bias: true, relu: true, halves: true},
	{name: "bfloat16, base", base: true, halves: true},
	{name: "bfloat16, masked", where: true, halves: true},
	{name: "bfloat16, over the mask", where: true, halves: true, overMask: true},
}

// halfMatrix is a matrix of random numbers, as they are, rounded in float32, and as bfloat16.
type halfMatrix struct {
	m, n    int
	exact   []float32
	rounded []float32
	halves  simd.Halves
}

func newHalfMatrix(r *rand.Rand, m, n int) halfMatrix {
	h := halfMatrix{m: m, n: n, exact: make([]float32, m*n), rounded: make([]float32, m*n)}
	for i := range h.exact {
		h.exact[i] = float32(r.NormFloat64())
		if r.IntN(4) == 0 {
			h.exact[i] = 0
		}
		h.rounded[i] = nearestHalf(h.exact[i])
	}
	h.halves = emptyHalves(m, n)
	simd.Halve(m, n, simd.Rows(h.exact, n), h.halves)
	return h
}

// emptyHalves returns memory full of NaN, which no product may read.
func emptyHalves(m, n int) simd.Halves {
	data := make([]float32, simd.HalvesSize(m, n+3))
	for i := range data {
		data[i] = float32(math.NaN())
	}
	return simd.MakeHalves(data, m, n+3)
}

// nearestHalf rounds by arithmetic: a bfloat16 has 8 bits of significand.
func nearestHalf(x float32) float32 {
	if x == 0 {
		return x
	}
	f, e := math.Frexp(float64(x))
	return float32(math.Ldexp(math.RoundToEven(f*256)/256, e))
}

// floatsOf returns the numbers of h [m, n] in float32: they are multiplied by the unit matrix.
func floatsOf(h simd.Halves, m, n int) []float32 {
	unit := make([]float32, n*n)
	for i := range n {
		unit[i*n+i] = 1
	}
	u := simd.MakeHalves(make([]float32, simd.HalvesSize(n, n)), n, n)
	simd.Halve(n, n, simd.Rows(unit, n), u)
	p := simd.NewPackedHalves(n, n)
	p.Pack(u)
	c := make([]float32, m*n)
	p.Multiply(simd.HalfProduct{M: m, A: h, C: simd.Rows(c, n)})
	return c
}

func TestHalve(t *testing.T) {
	onEveryKind(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 2))
		for _, s := range halfSizes {
			h := newHalfMatrix(r, s[0], max(16, s[1]))
			if got := floatsOf(h.halves, h.m, h.n); !slices.Equal(got, h.rounded) {
				t.Errorf("%v: numbers differ from the nearest bfloat16", s)
			}
		}
	})
}

// TestHalvesOfSpecialNumbers has ties, denormal numbers, the greatest float and infinity.
func TestHalvesOfSpecialNumbers(t *testing.T) {
	inf := float32(math.Inf(1))
	from := []float32{1 + 0x1p-8, 1 + 3*0x1p-8, -1 - 0x1p-8, 1 + 0x1p-8 + 0x1p-23, 0x1p-126, 0x1p-127, -0x1p-149, math.MaxFloat32, -math.MaxFloat32, inf, -inf, 0}
	want := []float32{1, 1 + 0x1p-6, -1, 1 + 0x1p-7, 0x1p-126, 0, 0, inf, -inf, inf, -inf, 0}
	onEveryKind(t, func(t *testing.T) {
		n := len(from)
		for i := range n { // one at a time: infinity times 0 is NaN
			one := make([]float32, n)
			one[i] = from[i]
			h := emptyHalves(3, n)
			simd.Halve(1, n, simd.Rows(one, n), h)
			sum := make([]float32, n)
			simd.SumHalves(sum, h, 1, n)
			if sum[i] != want[i] {
				t.Errorf("%g became %g, want %g", from[i], sum[i], want[i])
			}
		}
	})
}

func TestMultiplyHalves(t *testing.T) {
	onEveryKind(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(3, 4))
		for _, s := range halfSizes {
			for _, o := range halfOperations {
				for _, transposed := range []bool{false, true} {
					t.Run(fmt.Sprint(s, o.name, transposed), func(t *testing.T) { verifyHalfProduct(t, r, s, o, transposed) })
				}
			}
		}
	})
}

// verifyHalfProduct compares a product with float64 sums of the rounded operands. A sum of k products
// has k float32 roundings, each at most 2⁻²⁴ of the sum of the products' sizes; a bfloat16 result has
// one more, of 2⁻⁸.
func verifyHalfProduct(t *testing.T, r *rand.Rand, size [3]int, o halfOperation, transposed bool) {
	m, k, n := size[0], size[1], size[2]
	a, y := newHalfMatrix(r, m, k), newHalfMatrix(r, m, n)
	b := newHalfMatrix(r, k, n)
	packed := simd.NewPackedHalves(k, n)
	if transposed {
		b = newHalfMatrix(r, n, k)
		packed.PackTransposed(b.halves)
	} else {
		packed.Pack(b.halves)
	}
	c, to := make([]float32, m*n), emptyHalves(m, n)
	start := make([]float32, m*n)
	for i := range start {
		start[i] = float32(r.NormFloat64())
	}
	p := simd.HalfProduct{M: m, A: a.halves, C: simd.Rows(c, n), ReLU: o.relu}
	switch {
	case o.bias:
		p.Start = simd.Rows(start, 0)
	case o.base:
		p.Start = simd.Rows(start, n)
	}
	if o.overMask {
		to = y.halves
	}
	if o.halves {
		p.To = to
	}
	if o.where {
		p.Where = y.halves
	}
	packed.Multiply(p)
	if o.halves {
		c = floatsOf(to, m, n)
	}
	for i := range m {
		for j := range n {
			var sum total
			if p.Start.Data != nil {
				sum.add(float64(start[i*p.Start.Stride+j]))
			}
			for l := range k {
				at := l*n + j
				if transposed {
					at = j*k + l
				}
				sum.add(float64(a.rounded[i*k+l]) * float64(b.rounded[at]))
			}
			if o.relu && sum.value < 0 || o.where && y.rounded[i*n+j] == 0 {
				sum.value = 0
			}
			bound := sum.size * float64(k+1) * 0x1p-24
			if o.halves {
				bound += math.Abs(sum.value)*0x1p-8 + 0x1p-126
			}
			if got := float64(c[i*n+j]); !(math.Abs(got-sum.value) <= bound) {
				t.Fatalf("(%d, %d) is %g, want %g with an error of at most %g", i, j, got, sum.value, bound)
			}
		}
	}
}

// TestSumsOfHalves compares products that sum over rows, and sums of rows, with float64.
func TestSumsOfHalves(t *testing.T) {
	onEveryKind(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(5, 6))
		for _, s := range halfSizes {
			m, k, n := s[0], s[1], s[2]
			a, b := newHalfMatrix(r, m, k), newHalfMatrix(r, m, n)
			old, rows := matrix(r, k, n, n), make([]float32, k)
			c := slices.Clone(old)
			simd.TransposeMultiplyHalves(m, k, n, a.halves, b.halves, simd.Rows(c, n), nil)
			simd.SumHalves(rows, a.halves, m, k)
			for i := range k {
				var sum total
				for l := range m {
					sum.add(float64(a.rounded[l*k+i]))
				}
				if !(math.Abs(float64(rows[i])-sum.value) <= sum.size*float64(m)*0x1p-24) {
					t.Fatalf("%v: column %d has the sum %g, want %g", s, i, rows[i], sum.value)
				}
				for j := range n {
					var sum total
					sum.add(float64(old[i*n+j]))
					for l := range m {
						sum.add(float64(a.rounded[l*k+i]) * float64(b.rounded[l*n+j]))
					}
					if bound := sum.size * float64(m+4) * 0x1p-24; !(math.Abs(float64(c[i*n+j])-sum.value) <= bound) {
						t.Fatalf("%v: (%d, %d) is %g, want %g", s, i, j, c[i*n+j], sum.value)
					}
				}
			}
		}
	})
}

// TestHalvesHaveTheSameBits compares AVX512_BF16 with AVX-512 and AVX2, whose products are of rounded
// float32 numbers. All add the same numbers in the same order.
func TestHalvesHaveTheSameBits(t *testing.T) {
	var first []float32
	onEveryKind(t, func(t *testing.T) {
		if simd.Name() == "portable" {
			t.Skip("other roundings")
		}
		r := rand.New(rand.NewPCG(9, 10))
		var all []float32
		for _, s := range halfSizes {
			m, k, n := s[0], s[1], s[2]
			a, w, g := newHalfMatrix(r, m, k), newHalfMatrix(r, k, n), newHalfMatrix(r, m, n)
			p := simd.NewPackedHalves(k, n)
			p.Pack(w.halves)
			c, to := make([]float32, m*n), emptyHalves(m, n)
			p.Multiply(simd.HalfProduct{M: m, A: a.halves, C: simd.Rows(c, n), Where: g.halves})
			p.Multiply(simd.HalfProduct{M: m, A: a.halves, To: to, ReLU: true})
			dw, sum := make([]float32, k*n), make([]float32, n)
			simd.TransposeMultiplyHalves(m, k, n, a.halves, to, simd.Rows(dw, n), nil)
			simd.SumHalves(sum, to, m, n)
			all = slices.Concat(all, c, dw, sum)
		}
		if first == nil {
			first = all
		}
		must.Do(t, sameBits(all, first))
	})
}

// TestHalvesAndNaN has a NaN in every operand in turn: it reaches the results of its row or column, and
// no ReLU hides it.
func TestHalvesAndNaN(t *testing.T) {
	onEveryKind(t, func(t *testing.T) {
		for _, size := range [][2]int{{33, 40}, {64, 70}} {
			for _, inA := range []bool{true, false} {
				verifyNaN(t, size[0], size[1], inA)
			}
		}
	})
}

func verifyNaN(t *testing.T, k, n int, inA bool) {
	const m, row, column = 9, 5, 7
	r := rand.New(rand.NewPCG(11, 12))
	a, w := newHalfMatrix(r, m, k), newHalfMatrix(r, k, n)
	if inA {
		a.exact[row*k+column] = float32(math.NaN())
	} else {
		w.exact[row*n+column] = float32(math.NaN())
	}
	simd.Halve(m, k, simd.Rows(a.exact, k), a.halves)
	simd.Halve(k, n, simd.Rows(w.exact, n), w.halves)
	p := simd.NewPackedHalves(k, n)
	p.Pack(w.halves)
	to, c := emptyHalves(m, n), make([]float32, m*n)
	p.Multiply(simd.HalfProduct{M: m, A: a.halves, To: to, ReLU: true})
	p.Multiply(simd.HalfProduct{M: m, A: a.halves, C: simd.Rows(c, n), ReLU: true})
	sum := make([]float32, n)
	simd.SumHalves(sum, to, m, n)
	for j := range n {
		nan := inA || j == column
		if isNaN := sum[j] != sum[j]; isNaN != nan {
			t.Errorf("NaN in A %v: the sum of column %d is %g", inA, j, sum[j])
		}
		if v := c[row*n+j]; (v != v) != nan {
			t.Errorf("NaN in A %v: (%d, %d) is %g", inA, row, j, v)
		}
	}
}

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
