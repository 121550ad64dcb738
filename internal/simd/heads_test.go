package simd_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/acqnp/acqnp/internal/simd"
)

// headCase is a head with operands among other columns, whose values the kernels must not touch.
type headCase struct {
	m, n, w int
	q, k, v simd.Matrix
	g       simd.Matrix
}

func newHeadCase(r *rand.Rand, m, n, w int) headCase {
	operand := func(rows int) simd.Matrix { return simd.Rows(matrix(r, rows, w, w+16), w+16) }
	c := headCase{m: m, n: n, w: w, q: operand(m), k: operand(n), v: operand(n), g: operand(m)}
	for i := range w {
		c.q.Data[i] *= 100 // a row with one large weight
	}
	return c
}

func (c headCase) scale() float32 { return float32(1 / math.Sqrt(float64(c.w))) }

// composed computes a head by products and softmax: its result, and the gradients of q, k and v,
// added to dk and dv.
func (c headCase) composed(y, dq, dk, dv simd.Matrix) {
	ld := c.n + 3
	terms, slopes, inverse := simd.Rows(make([]float32, c.m*ld), ld), simd.Rows(make([]float32, c.m*ld), ld), make([]float32, c.m)
	packed := func(k, n int, b simd.Matrix, row, column int) *simd.Packed {
		p := simd.NewPacked(k, n)
		p.Pack(b.Data, row, column)
		return p
	}
	keys, values := packed(c.w, c.n, c.k, 1, c.k.Stride), packed(c.w, c.n, c.v, 1, c.v.Stride)
	alongK, alongV := packed(c.n, c.w, c.k, c.k.Stride, 1), packed(c.n, c.w, c.v, c.v.Stride, 1)
	keys.Multiply(c.m, c.q, terms, simd.Overwrite, nil)
	simd.SoftmaxRows(c.m, c.n, terms, c.scale(), inverse)
	alongV.Multiply(c.m, terms, y, simd.Overwrite, nil)
	simd.ScaleRows(c.m, c.w, inverse, y, y)

	scaled := simd.Rows(make([]float32, c.m*c.w), c.w)
	simd.ScaleRows(c.m, c.w, inverse, c.g, scaled)
	simd.TransposeMultiply(c.m, c.n, c.w, terms, scaled, dv, nil)
	values.Multiply(c.m, c.g, slopes, simd.Overwrite, nil)
	simd.SoftmaxGradRows(c.m, c.n, slopes, terms, c.scale(), inverse)
	alongK.Multiply(c.m, slopes, dq, simd.Overwrite, nil)
	simd.TransposeMultiply(c.m, c.n, c.w, slopes, c.q, dk, nil)
}

// TestHead: a fused head has the bits of the products and the softmax that it consists of, and
// writes to nothing else.
func TestHead(t *testing.T) {
	onEverySet(t, func(t *testing.T) {
		if simd.Name() == "avx512" && !simd.Fused(26, 32) {
			t.Error("AVX-512 does not fuse a head of 26 context points and 32 columns")
		}
		r := rand.New(rand.NewPCG(41, 42))
		for _, w := range []int{16, 32} {
			for n := 1; n <= 33; n++ {
				if !simd.Fused(n, w) {
					continue
				}
				for _, m := range []int{1, 2, 5, 7, 11, 12, 26, 27, 48} {
					testHead(t, r, newHeadCase(r, m, n, w))
				}
			}
		}
	})
}

func testHead(t *testing.T, r *rand.Rand, c headCase) {
	t.Helper()
	ld := c.w + 5
	place := func(rows int) simd.Matrix { return simd.Rows(matrix(r, rows, c.w, ld), ld) }
	got := [4]simd.Matrix{place(c.m), place(c.m), place(c.n), place(c.n)}
	want := [4]simd.Matrix{copied(got[0]), copied(got[1]), copied(got[2]), copied(got[3])}
	c.composed(want[0], want[1], want[2], want[3])
	h := simd.Head{Context: c.n, Width: c.w, Scale: c.scale(), Q: c.q, K: c.k, V: c.v, Room: make([]float32, simd.HeadRoom)}
	for i := range h.Room { // nothing is read before it is written
		h.Room[i] = float32(math.NaN())
	}
	h.Attend(c.m, got[0])
	h.AttendGrad(c.m, simd.HeadGrad{G: c.g, Q: got[1], K: got[2], V: got[3]})
	for i, name := range []string{"result", "queries' gradient", "keys' gradient", "values' gradient"} {
		if err := sameBits(got[i].Data, want[i].Data); err != nil {
			t.Fatalf("%s of %d queries, %d context points, %d columns: %v", name, c.m, c.n, c.w, err)
		}
	}
}
