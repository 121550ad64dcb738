package simd_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/acqnp/acqnp/internal/simd"
	"github.com/acqnp/acqnp/internal/test/must"
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
	k, n    int
	a, c, y simd.Matrix
	b, bias []float32 // b has no gaps
	packed  *simd.Packed
}

func newProblem(r *rand.Rand, k, n int) *problem {
	p := &problem{k: k, n: n, a: random(r, mostRows, k), c: random(r, mostRows, n), y: random(r, mostRows, n),
		b: make([]float32, k*n), bias: matrix(r, 1, n, n)[:n], packed: simd.NewPacked(k, n)}
	for i, v := range p.y.Data {
		if v < 0 && v != canary {
			p.y.Data[i] = 0
		}
	}
	w := random(r, k, n)
	row, column := w.Stride, 1
	if r.IntN(2) == 0 { // stored as its transpose
		w = random(r, n, k)
		row, column = 1, w.Stride
	}
	p.packed.Pack(w.Data, row, column)
	for i := range p.b {
		p.b[i] = w.Data[i/n*row+i%n*column]
	}
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
	c := copied(p.c)
	switch {
	case o.bias:
		p.packed.MultiplyBias(m, p.a, simd.Rows(p.bias, 0), c, mode, nil)
	case o.masked:
		p.packed.MultiplyMasked(m, p.a, p.y, c, mode, nil)
	default:
		p.packed.Multiply(m, p.a, c, mode, nil)
	}
	return c.Data
}

// verify compares C with sums in float64.
func (p *problem) verify(t *testing.T, o operation, c []float32) {
	t.Helper()
	untouched(t, o.name, c, mostRows, p.n, p.c.Stride)
	for i := range mostRows {
		for j := range p.n {
			at := i*p.c.Stride + j
			var s total
			switch {
			case o.bias:
				s.add(float64(p.bias[j]))
			case o.accumulate:
				s.add(float64(p.c.Data[at]))
			}
			for l := range p.k {
				s.add(float64(p.a.Data[i*p.a.Stride+l]) * float64(p.b[l*p.n+j]))
			}
			if o.relu {
				s.value = max(s.value, 0)
			}
			if o.masked && p.y.Data[i*p.y.Stride+j] == 0 {
				s = total{}
			}
			if !s.holds(c[at]) {
				t.Fatalf("%s [%d, %d]·[%d, %d]: (%d, %d) is %v, want %v", o.name, mostRows, p.k, p.k, p.n, i, j, c[at], s.value)
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
					want := slices.Concat(c[:m*p.c.Stride], p.c.Data[m*p.c.Stride:])
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
		for _, size := range [][2]int{{64, 33}, {128, 100}} {
			k, n := size[0], size[1]
			a, c, b := random(r, m, k), random(r, m, n), matrix(r, k, n, n)
			p := simd.NewPacked(k, n)
			p.Pack(b, n, 1)
			p.Multiply(m, a, c, simd.Overwrite, nil)
			untouched(t, "C", c.Data, m, n, c.Stride)
			row := make([]float32, n)
			for i := range m {
				p.Multiply(1, a.Slice(i, 0), simd.Rows(row, n), simd.Overwrite, nil)
				if err := sameBits(row, c.Slice(i, 0).Data); err != nil {
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
	a, b, c := random(r, m, k), random(r, m, n), random(r, k, n)
	got := copied(c)
	simd.TransposeMultiply(m, k, n, a, b, got, nil)
	what := fmt.Sprintf("[%d, %d]ᵀ·[%d, %d]", m, k, m, n)
	untouched(t, what, got.Data, k, n, c.Stride)
	for l := range k {
		for j := range n {
			var s total
			s.add(float64(c.Slice(l, j).Data[0]))
			for i := range m {
				s.add(float64(a.Data[i*a.Stride+l]) * float64(b.Data[i*b.Stride+j]))
			}
			if v := got.Slice(l, j).Data[0]; !s.holds(v) {
				t.Fatalf("%s: (%d, %d) is %v, want %v", what, l, j, v, s.value)
			}
		}
	}
}

func TestSumRows(t *testing.T) {
	onEverySet(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(9, 10))
		for _, n := range append(slices.Clone(widths), 300) {
			for m := range mostRows {
				a, dst := random(r, m, n), matrix(r, 1, n, n)
				got := slices.Clone(dst)
				simd.SumRows(got, a, m, n)
				untouched(t, "sum", got, 1, n, n)
				for j := range n {
					var s total
					s.add(float64(dst[j]))
					for i := range m {
						s.add(float64(a.Data[i*a.Stride+j]))
					}
					if !s.holds(got[j]) {
						t.Fatalf("%d rows of %d: column %d is %v, want %v", m, n, j, got[j], s.value)
					}
				}
			}
		}
	})
}

// TestLayoutsAreTheSame: a matrix that is used where it is, one that is packed from its transpose, and
// one in memory of others before it, give the same bits as one that is packed into new memory.
func TestLayoutsAreTheSame(t *testing.T) {
	onEverySet(t, func(t *testing.T) {
		const m = 29
		r := rand.New(rand.NewPCG(15, 16))
		used := [3]*simd.Packed{simd.NewPacked(130, 130), simd.NewPacked(130, 130), simd.NewPacked(130, 130)}
		for _, k := range []int{1, 2, 3, 4, 5, 7, 8, 9, 16, 31, 32, 33, 64, 100, 130} {
			for _, n := range []int{1, 3, 4, 5, 7, 8, 9, 15, 16, 17, 24, 31, 32, 33, 63, 65, 130} {
				a, b, bt, c := random(r, m, k), random(r, k, n), make([]float32, n*k), random(r, m, n)
				for i := range bt {
					bt[i] = b.Slice(i%k, i/k).Data[0]
				}
				fresh := simd.NewPacked(k, n)
				fresh.Pack(b.Data, b.Stride, 1)
				used[0].Resize(k, n)
				used[0].Pack(b.Data, b.Stride, 1)
				used[1].Resize(k, n)
				used[1].Pack(bt, 1, k)
				used[2].Borrow(b, k, n)
				want := copied(c)
				fresh.Multiply(m, a, want, simd.Overwrite, nil)
				for i, name := range []string{"packed", "turned", "borrowed"} {
					got := copied(c)
					used[i].Multiply(m, a, got, simd.Overwrite, nil)
					if err := sameBits(got.Data, want.Data); err != nil {
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
	must.Do(t, sameBits(results["avx512"], results["avx2"]))
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
			grad := make([]float32, k*n)
			simd.TransposeMultiply(mostRows, k, n, p.a, p.c, simd.Rows(grad, n), nil)
			simd.SumRows(grad, p.c, mostRows, n)
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
	of := func(n, ld int) simd.Matrix { return simd.Rows(make([]float32, n), ld) }
	mustPanic(t, map[string]func(){
		"A":                func() { p.Multiply(3, of(11, 4), of(15, 5), simd.Overwrite, nil) },
		"C":                func() { p.Multiply(3, of(12, 4), of(14, 5), simd.Overwrite, nil) },
		"y":                func() { p.MultiplyMasked(3, of(12, 4), of(14, 5), of(15, 5), simd.Overwrite, nil) },
		"stride":           func() { p.Multiply(3, of(12, 3), of(15, 5), simd.Overwrite, nil) },
		"negative rows":    func() { p.Multiply(-1, of(12, 4), of(15, 5), simd.Overwrite, nil) },
		"packing":          func() { p.Pack(make([]float32, 19), 5, 1) },
		"gradient":         func() { simd.TransposeMultiply(2, 3, 4, of(6, 3), of(8, 4), of(11, 4), nil) },
		"sum":              func() { simd.SumRows(make([]float32, 2), of(9, 3), 3, 3) },
		"different widths": func() { simd.Exp(make([]float32, 2), make([]float32, 3)) },
		"Adam": func() {
			x := make([]float32, 4)
			simd.Adam(x, x, x, x[:3], simd.AdamStep{})
		},
	})
}
