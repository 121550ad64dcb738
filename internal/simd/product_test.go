package simd_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/acqnp/acqnp/internal/simd"
)

var widths = []int{1, 2, 3, 4, 5, 16, 17, 31, 32, 33, 64, 100, 128, 130, 256}

const mostRows = 30

// operation is one way to multiply: the initial values of the sums, and what happens when they are
// stored.
type operation struct {
	name                           string
	accumulate, bias, relu, masked bool
}

var operations = []operation{
	{name: "overwrite"},
	{name: "accumulate", accumulate: true},
	{name: "overwrite, ReLU", relu: true},
	{name: "accumulate, ReLU", accumulate: true, relu: true},
	{name: "bias", bias: true},
	{name: "bias, ReLU", bias: true, relu: true},
	{name: "masked", masked: true},
	{name: "masked, accumulate", masked: true, accumulate: true},
}

// problem is a product's operands, of mostRows rows.
type problem struct {
	k, n             int
	a, b, bias, c, y []float32
	lda, ldc, ldy    int
	packed           *simd.Packed
}

func newProblem(r *rand.Rand, k, n int) *problem {
	p := &problem{k: k, n: n, lda: k + r.IntN(20), ldc: n + r.IntN(20), ldy: n + r.IntN(20)}
	p.a, p.bias = matrix(r, mostRows, k, p.lda), matrix(r, 1, n, n)[:n]
	p.c, p.y = matrix(r, mostRows, n, p.ldc), matrix(r, mostRows, n, p.ldy)
	for i := range p.y {
		if p.y[i] < 0 && p.y[i] != canary {
			p.y[i] = 0
		}
	}
	p.packed = simd.NewPacked(k, n)
	if r.IntN(2) == 0 {
		ld := n + r.IntN(3)
		p.b = matrix(r, k, n, ld)
		p.packed.Pack(p.b, ld, 1)
	} else { // stored as its transpose
		ld := k + r.IntN(3)
		w := matrix(r, n, k, ld)
		p.packed.Pack(w, 1, ld)
		p.b = make([]float32, k*n)
		for i := range k {
			for j := range n {
				p.b[i*n+j] = w[j*ld+i]
			}
		}
		return p
	}
	packed := make([]float32, 0, k*n)
	for i := range k {
		ld := (len(p.b) - 40) / k
		packed = append(packed, p.b[i*ld:i*ld+n]...)
	}
	p.b = packed
	return p
}

// run runs an operation on m rows and returns C.
func (p *problem) run(o operation, m int) []float32 {
	mode := simd.Overwrite
	if o.accumulate {
		mode |= simd.Accumulate
	}
	if o.relu {
		mode |= simd.ReLU
	}
	c := slices.Clone(p.c)
	switch {
	case o.bias:
		p.packed.MultiplyBias(m, simd.Rows(p.a, p.lda), simd.Rows(p.bias, 0), simd.Rows(c, p.ldc), mode, nil)
	case o.masked:
		p.packed.MultiplyMasked(m, simd.Rows(p.a, p.lda), simd.Rows(p.y, p.ldy), simd.Rows(c, p.ldc), mode, nil)
	default:
		p.packed.Multiply(m, simd.Rows(p.a, p.lda), simd.Rows(c, p.ldc), mode, nil)
	}
	return c
}

// verify compares C with sums in float64.
func (p *problem) verify(t *testing.T, o operation, c []float32) {
	t.Helper()
	untouched(t, o.name, c, mostRows, p.n, p.ldc)
	for i := range mostRows {
		for j := range p.n {
			var s total
			switch {
			case o.bias:
				s.add(float64(p.bias[j]))
			case o.accumulate:
				s.add(float64(p.c[i*p.ldc+j]))
			}
			for l := range p.k {
				s.add(float64(p.a[i*p.lda+l]) * float64(p.b[l*p.n+j]))
			}
			got := c[i*p.ldc+j]
			if o.masked && p.y[i*p.ldy+j] == 0 {
				if got != 0 {
					t.Fatalf("%s [%d, %d]·[%d, %d]: (%d, %d) is %v where y is 0", o.name, mostRows, p.k, p.k, p.n, i, j, got)
				}
				continue
			}
			if o.relu {
				s.value = max(s.value, 0)
			}
			if !s.holds(got) {
				t.Fatalf("%s [%d, %d]·[%d, %d]: (%d, %d) is %v, want %v", o.name, mostRows, p.k, p.k, p.n, i, j, got, s.value)
			}
		}
	}
}

func TestMultiply(t *testing.T) {
	onEverySet(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 2))
		for _, k := range widths {
			for at, n := range widths {
				p := newProblem(r, k, n)
				o := operations[(at+k)%len(operations)]
				c := p.run(o, mostRows)
				p.verify(t, o, c)
				// A product of fewer rows gives the same bits in these rows and leaves the others
				// alone.
				for m := range mostRows {
					want := slices.Concat(c[:m*p.ldc], p.c[m*p.ldc:])
					if err := sameBits(p.run(o, m), want); err != nil {
						t.Fatalf("%s [%d, %d]·[%d, %d]: %v", o.name, m, k, k, n, err)
					}
				}
			}
		}
	})
}

func TestEveryOperation(t *testing.T) {
	onEverySet(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(3, 4))
		for _, k := range []int{1, 3, 33, 100, 130} {
			for _, n := range []int{1, 9, 16, 40, 100, 128} {
				p := newProblem(r, k, n)
				for _, o := range operations {
					p.verify(t, o, p.run(o, mostRows))
				}
			}
		}
	})
}

// TestManyRows has more rows than one kernel call takes.
func TestManyRows(t *testing.T) {
	onEverySet(t, func(t *testing.T) {
		const m = 700
		r := rand.New(rand.NewPCG(5, 6))
		for _, size := range []struct{ k, n int }{{64, 33}, {128, 100}} {
			k, n := size.k, size.n
			a, b, c := matrix(r, m, k, k+1), matrix(r, k, n, n), matrix(r, m, n, n+2)
			p := simd.NewPacked(k, n)
			p.Pack(b, n, 1)
			p.Multiply(m, simd.Rows(a, k+1), simd.Rows(c, n+2), simd.Overwrite, nil)
			untouched(t, "C", c, m, n, n+2)
			row := make([]float32, n)
			for i := range m {
				p.Multiply(1, simd.Rows(a[i*(k+1):], k), simd.Rows(row, n), simd.Overwrite, nil)
				if err := sameBits(row, c[i*(n+2):i*(n+2)+n]); err != nil {
					t.Fatalf("[%d, %d], row %d: %v", k, n, i, err)
				}
			}
		}
	})
}

func TestTransposeMultiply(t *testing.T) {
	rows := []int{256, 257, 300, 1000}
	for m := range mostRows {
		rows = append(rows, m+1)
	}
	onEverySet(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(7, 8))
		for at, m := range rows {
			for shift, k := range widths {
				if n := widths[(at+shift)%len(widths)]; m <= mostRows || k*n <= 10000 {
					verifyTransposeMultiply(t, r, m, k, n)
				}
			}
		}
		// Wide products, around multiples of 32 and 128 rows.
		for _, m := range []int{31, 32, 33, 64, 127, 128, 129, 160, 300} {
			verifyTransposeMultiply(t, r, m, 100, 130)
			verifyTransposeMultiply(t, r, m, 96, 96)
		}
	})
}

func verifyTransposeMultiply(t *testing.T, r *rand.Rand, m, k, n int) {
	t.Helper()
	lda, ldb, ldc := k+r.IntN(20), n+r.IntN(20), n+r.IntN(20)
	a, b, c := matrix(r, m, k, lda), matrix(r, m, n, ldb), matrix(r, k, n, ldc)
	got := slices.Clone(c)
	simd.TransposeMultiply(m, k, n, simd.Rows(a, lda), simd.Rows(b, ldb), simd.Rows(got, ldc), nil)
	what := fmt.Sprintf("[%d, %d]ᵀ·[%d, %d]", m, k, m, n)
	untouched(t, what, got, k, n, ldc)
	for l := range k {
		for j := range n {
			var s total
			s.add(float64(c[l*ldc+j]))
			for i := range m {
				s.add(float64(a[i*lda+l]) * float64(b[i*ldb+j]))
			}
			if !s.holds(got[l*ldc+j]) {
				t.Fatalf("%s: (%d, %d) is %v, want %v", what, l, j, got[l*ldc+j], s.value)
			}
		}
	}
}

func TestSumRows(t *testing.T) {
	onEverySet(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(9, 10))
		for _, n := range append(slices.Clone(widths), 300) {
			for m := range mostRows {
				lda := n + r.IntN(20)
				a, dst := matrix(r, m, n, lda), matrix(r, 1, n, n)
				got := slices.Clone(dst)
				simd.SumRows(got, simd.Rows(a, lda), m, n)
				untouched(t, "sum", got, 1, n, n)
				for j := range n {
					var s total
					s.add(float64(dst[j]))
					for i := range m {
						s.add(float64(a[i*lda+j]))
					}
					if !s.holds(got[j]) {
						t.Fatalf("%d rows of %d: column %d is %v, want %v", m, n, j, got[j], s.value)
					}
				}
			}
		}
	})
}

// TestBorrowedMatrices: a matrix that is used where it is, and one that is packed from its transpose,
// give the same bits as a packed one.
func TestBorrowedMatrices(t *testing.T) {
	onEverySet(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(15, 16))
		packed, turned, borrowed := simd.NewPacked(130, 130), simd.NewPacked(130, 130), simd.NewPacked(130, 130)
		for _, k := range []int{1, 2, 3, 4, 5, 7, 8, 9, 16, 31, 32, 33, 64, 100, 130} {
			for _, n := range []int{1, 3, 4, 5, 7, 8, 9, 15, 16, 17, 24, 31, 32, 33, 63, 65, 130} {
				const m = 29
				a, b, bt := matrix(r, m, k, k+1), matrix(r, k, n, n+3), make([]float32, n*k)
				for i := range k {
					for j := range n {
						bt[j*k+i] = b[i*(n+3)+j]
					}
				}
				packed.Resize(k, n)
				packed.Pack(b, n+3, 1)
				turned.Resize(k, n)
				turned.Pack(bt, 1, k)
				borrowed.Borrow(simd.Rows(b, n+3), k, n)
				c := matrix(r, m, n, n+2)
				results := map[string][]float32{}
				for name, p := range map[string]*simd.Packed{"packed": packed, "turned": turned, "borrowed": borrowed} {
					results[name] = slices.Clone(c)
					p.Multiply(m, simd.Rows(a, k+1), simd.Rows(results[name], n+2), simd.Overwrite, nil)
					untouched(t, name, results[name], m, n, n+2)
				}
				for name, c := range results {
					if err := sameBits(c, results["packed"]); err != nil {
						t.Fatalf("%s [%d, %d]: %v", name, k, n, err)
					}
				}
			}
		}
	})
}

// TestVectorSetsAgree: AVX-512 and AVX2 give the same bits.
func TestVectorSetsAgree(t *testing.T) {
	results := map[string][]float32{}
	for _, name := range []string{"avx512", "avx2"} {
		restore, ok := simd.Use(name)
		if !ok {
			restore()
			t.Skipf("this machine has no %s", name)
		}
		results[name] = everything()
		restore()
	}
	if err := sameBits(results["avx512"], results["avx2"]); err != nil {
		t.Error(err)
	}
}

// everything returns the results of all kernels.
func everything() (all []float32) {
	r := rand.New(rand.NewPCG(13, 14))
	for _, k := range []int{1, 3, 16, 130} {
		for _, n := range []int{1, 9, 17, 128} {
			p := newProblem(r, k, n)
			for _, o := range operations {
				all = append(all, p.run(o, mostRows)...)
			}
			c := slices.Clone(p.c)
			grad := make([]float32, k*n)
			simd.TransposeMultiply(mostRows, k, n, simd.Rows(p.a, p.lda), simd.Rows(c, p.ldc), simd.Rows(grad, n), nil)
			simd.SumRows(grad, simd.Rows(c, p.ldc), mostRows, n)
			all = append(all, grad...)
		}
	}
	for _, n := range []int{1, 5, 8, 16, 63, 64, 65, 200} {
		x, y := matrix(r, 1, n, n)[:n], matrix(r, 1, n, n)[:n]
		for i := range x {
			x[i] *= 100
		}
		all = append(all, simd.Dot(x, y))
		simd.Axpy(0.3, x, y)
		z := make([]float32, n)
		simd.SoftplusSigmoid(y, z, x)
		all = append(append(all, y...), z...)
		simd.Exp(y, x)
		all = append(all, y...)
		for i := range y {
			y[i] = max(y[i], 0)
		}
		simd.Log(z, y)
		all = append(all, z...)
	}
	for _, n := range []int{1, 7, 20, 64, 65, 130} {
		const m = 9
		x, g, more := matrix(r, m, n, n), matrix(r, m, n, n), make([]float32, 3*n+m)
		norm := simd.Norm{Gain: matrix(r, 1, n, n)[:n], Shift: matrix(r, 1, n, n)[:n], Epsilon: epsilon}
		rows, gradient := simd.Rows(x, n), simd.Rows(g, n)
		simd.LayerNormGrad(m, n, norm, gradient, rows, simd.NormGrad{X: gradient, Gain: more[:n], Shift: more[n : 2*n]})
		simd.LayerNorm(m, n, norm, rows, rows)
		simd.SoftmaxRows(m, n, rows, 3, more[3*n:])
		simd.SoftmaxGradRows(m, n, gradient, rows, 3, more[3*n:])
		simd.ScaleRows(m, n, more[3*n:], rows, rows)
		all = append(append(append(all, x...), g...), more...)
	}
	return all
}

func TestShortSlicesPanic(t *testing.T) {
	p := simd.NewPacked(4, 5)
	p.Pack(make([]float32, 20), 5, 1)
	for name, f := range map[string]func(){
		"A": func() {
			p.Multiply(3, simd.Rows(make([]float32, 11), 4), simd.Rows(make([]float32, 15), 5), simd.Overwrite, nil)
		},
		"C": func() {
			p.Multiply(3, simd.Rows(make([]float32, 12), 4), simd.Rows(make([]float32, 14), 5), simd.Overwrite, nil)
		},
		"y": func() {
			p.MultiplyMasked(3, simd.Rows(make([]float32, 12), 4), simd.Rows(make([]float32, 14), 5), simd.Rows(make([]float32, 15), 5), 0, nil)
		},
		"stride": func() {
			p.Multiply(3, simd.Rows(make([]float32, 12), 3), simd.Rows(make([]float32, 15), 5), simd.Overwrite, nil)
		},
		"negative rows": func() {
			p.Multiply(-1, simd.Rows(make([]float32, 12), 4), simd.Rows(make([]float32, 15), 5), simd.Overwrite, nil)
		},
		"packing": func() { p.Pack(make([]float32, 19), 5, 1) },
		"gradient": func() {
			simd.TransposeMultiply(2, 3, 4, simd.Rows(make([]float32, 6), 3), simd.Rows(make([]float32, 8), 4), simd.Rows(make([]float32, 11), 4), nil)
		},
		"sum":              func() { simd.SumRows(make([]float32, 2), simd.Rows(make([]float32, 9), 3), 3, 3) },
		"different widths": func() { simd.Exp(make([]float32, 2), make([]float32, 3)) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}
