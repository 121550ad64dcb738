package simd_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/acqnp/acqnp/internal/simd"
	"github.com/acqnp/acqnp/internal/test/must"
)

// TestNaN: a NaN in an operand reaches the results that depend on it, through ReLU too, and no
// others.
func TestNaN(t *testing.T) {
	onEverySet(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(11, 12))
		for _, size := range []struct{ k, n int }{{33, 37}, {130, 100}} {
			for _, o := range operations {
				p := newProblem(r, size.k, size.n)
				p.a.Data[5*p.a.Stride+20] = float32(math.NaN())
				for i, v := range p.y.Data {
					if v == 0 {
						p.y.Data[i] = 1
					}
				}
				p.y.Data[5*p.y.Stride] = float32(math.NaN())
				c := p.run(o, mostRows)
				for i := range mostRows {
					for j, v := range c[i*p.c.Stride:][:p.n] {
						if v != v != (i == 5) {
							t.Fatalf("%s [%d, %d]: (%d, %d) is %v", o.name, size.k, size.n, i, j, v)
						}
					}
				}
			}
		}
		dst := make([]float32, 3)
		simd.SumRows(dst, simd.Rows([]float32{1, 2, 3, 4, float32(math.NaN()), 6}, 3), 2, 3)
		if dst[0] != 5 || dst[1] == dst[1] || dst[2] != 9 {
			t.Errorf("sums of rows are %v", dst)
		}
		for _, width := range []int{3, 100} {
			x, c := matrix(r, 2, width, width), make([]float32, width*width)
			x[width+1] = float32(math.NaN())
			simd.TransposeMultiply(2, width, width, simd.Rows(x, width), simd.Rows(x, width), simd.Rows(c, width), nil)
			for i, v := range c {
				if v != v != (i/width == 1 || i%width == 1) {
					t.Fatalf("product of the transpose, width %d: place %d is %v", width, i, v)
				}
			}
		}
	})
}

// TestExtremes multiplies numbers of very different sizes, the largest and the smallest that
// matter, and infinity. In products by tiles infinity becomes a NaN.
func TestExtremes(t *testing.T) {
	values := []float32{3.3e38, -3.3e38, 1e30, -1e30, 3e-7, -2e-20, 2e-30, 0x1.fffffep0, 0x1.000002p0, 0}
	onEverySet(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(17, 18))
		const m, k, n = 40, 100, 100
		a, b, c := make([]float32, m*k), make([]float32, k*n), make([]float32, m*n)
		for i := range m {
			a[i*k+i] = values[i%len(values)] // one number per row, so that its product with b's is the result
		}
		for i := range b {
			b[i] = (1 + r.Float32()) / 2 // nothing overflows
		}
		p := simd.NewPacked(k, n)
		p.Pack(b, n, 1)
		p.Multiply(m, simd.Rows(a, k), simd.Rows(c, n), simd.Overwrite, nil)
		for i := range m {
			for j := range n {
				want := float64(a[i*k+i]) * float64(b[i*n+j])
				if got := float64(c[i*n+j]); !(math.Abs(got-want) <= 0x1p-22*math.Abs(want)) {
					t.Fatalf("%v·%v is %v", a[i*k+i], b[i*n+j], got)
				}
			}
		}
		a[3*k+7] = float32(math.Inf(1))
		p.Multiply(m, simd.Rows(a, k), simd.Rows(c, n), simd.Overwrite, nil)
		for i, v := range c {
			if finite := !math.IsInf(float64(v), 0) && v == v; finite != (i/n != 3) {
				t.Fatalf("row %d has %v, infinity is in row 3", i/n, v)
			}
		}
	})
}

// TestTilesAreAsExact compares the largest errors of a layer's products, relative to the sums of
// absolute values.
func TestTilesAreAsExact(t *testing.T) {
	const m, k, n = 256, 128, 128
	r := rand.New(rand.NewPCG(19, 20))
	a, b := matrix(r, m, k, k), matrix(r, k, n, n)
	worst := map[string]float64{}
	for _, name := range []string{"amx", "avx512"} {
		restore, ok := simd.Use(name)
		defer restore()
		if !ok {
			t.Skipf("this machine has no %s", name)
		}
		c := make([]float32, m*n)
		p := simd.NewPacked(k, n)
		p.Pack(b, n, 1)
		p.Multiply(m, simd.Rows(a, k), simd.Rows(c, n), simd.Overwrite, nil)
		for i := range m {
			for j := range n {
				var s total
				for l := range k {
					s.add(float64(a[i*k+l]) * float64(b[l*n+j]))
				}
				worst[name] = max(worst[name], math.Abs(float64(c[i*n+j])-s.value)/s.size)
			}
		}
	}
	t.Logf("largest errors: %.2g by tiles, %.2g by vectors", worst["amx"], worst["avx512"])
	if worst["amx"] > worst["avx512"] {
		t.Errorf("tiles are wrong by up to %.2g of the sum of absolute values, vectors by %.2g", worst["amx"], worst["avx512"])
	}
}

// TestAheadChangesNothing fetches memory that is shorter than a cache line, longer than a product
// can fetch, and in between.
func TestAheadChangesNothing(t *testing.T) {
	memory := make([]float32, 5000)
	onEverySet(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(15, 16))
		for _, size := range []int{0, 1, 15, 16, 17, 100, 1000, 5000} {
			var ahead simd.Ahead
			p := newProblem(r, 1+r.IntN(140), 1+r.IntN(140))
			m := 1 + r.IntN(mostRows)
			grad := random(r, p.k, p.n)
			run := func(a *simd.Ahead) [4]simd.Matrix {
				results := [4]simd.Matrix{copied(p.c), copied(p.c), copied(p.c), copied(grad)}
				p.packed.Multiply(m, p.a, results[0], simd.Accumulate, a)
				p.packed.MultiplyBias(m, p.a, simd.Rows(p.bias, 0), results[1], simd.ReLU, a)
				p.packed.MultiplyMasked(m, p.a, p.y, results[2], simd.Overwrite, a)
				simd.TransposeMultiply(m, p.k, p.n, p.a, p.c, results[3], a)
				return results
			}
			want := run(nil)
			ahead.Set(memory[:size], p.packed.Memory())
			got := run(&ahead)
			for i := range want {
				if !slices.Equal(got[i].Data, want[i].Data) {
					t.Fatalf("product %d of [%d, %d]·[%d, %d] comes out otherwise with %d numbers to fetch", i, m, p.k, p.k, p.n, size)
				}
			}
		}
	})
}

// TestGoroutinesAtOnce multiplies on more goroutines than the machine has cores, while the garbage
// collector interrupts them. Kernels must not depend on what a thread's registers, such as tiles,
// held before.
func TestGoroutinesAtOnce(t *testing.T) {
	onEverySet(t, func(t *testing.T) {
		p := newProblem(rand.New(rand.NewPCG(21, 22)), 128, 128)
		o := operations[0]
		want := p.run(o, mostRows)
		var workers sync.WaitGroup
		var done atomic.Bool
		for range 4 * runtime.GOMAXPROCS(0) {
			workers.Go(func() {
				for range 50 {
					must.Do(t, sameBits(p.run(o, mostRows), want))
				}
			})
		}
		go func() {
			workers.Wait()
			done.Store(true)
		}()
		for !done.Load() {
			runtime.GC()
		}
	})
}

func TestNothingIsAllocated(t *testing.T) {
	onEverySet(t, func(t *testing.T) {
		for _, size := range []struct{ k, n int }{{33, 35}, {100, 130}} {
			p := newProblem(rand.New(rand.NewPCG(15, 16)), size.k, size.n)
			c, dst := copied(p.c), make([]float32, p.k*p.n)
			must.NotAllocate(t, fmt.Sprintf("[%d, %d]", p.k, p.n), 10, func() {
				var column [130]float32 // must stay on the stack
				p.packed.Pack(p.b, p.n, 1)
				p.packed.Multiply(mostRows, p.a, c, simd.Accumulate, nil)
				p.packed.MultiplyBias(mostRows, p.a, simd.Rows(p.bias, 0), c, simd.ReLU, nil)
				p.packed.MultiplyMasked(mostRows, p.a, p.y, c, simd.Overwrite, nil)
				simd.TransposeMultiply(mostRows, p.k, p.n, p.a, c, simd.Rows(dst, p.n), nil)
				simd.SumRows(column[:p.n], c, mostRows, p.n)
				simd.SoftplusSigmoid(column[:], column[:], column[:])
			})
		}
	})
}
