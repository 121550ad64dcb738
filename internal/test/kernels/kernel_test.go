//go:build simt || gpu

package kernels

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"unsafe"

	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/internal/random"
	"github.com/acqnp/acqnp/internal/test/must"
	"github.com/acqnp/acqnp/kernels/gpu"
)

// odd holds sizes that are not multiples of each other or of a block. one holds the smallest sizes.
var (
	odd = ops.Extents{Groups: 3, Context: 7, Points: 11, Levels: 5}
	one = ops.Extents{Groups: 1, Context: 1, Points: 1, Levels: 1}
)

// result stands for memory that a kernel writes, by its length in numbers; null stands for a null
// pointer.
type result int

const null = result(0)

// device runs kernels on memory of exactly the sizes that they should need.
type device struct {
	t *testing.T
	gpu.Driver
	orders [3]gpu.Driver // they run blocks and threads upwards, downwards and in random order
}

func newDevice(t *testing.T) *device {
	d := &device{t: t}
	for i := range d.orders {
		driver := newDriver(t, i)
		d.orders[i] = driver
		t.Cleanup(func() {
			must.Do(t, driver.Close())
		})
	}
	d.Driver = d.orders[0]
	return d
}

func raw[T any](s []T) []byte {
	if len(s) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), len(s)*int(unsafe.Sizeof(s[0])))
}

func (d *device) alloc(bytes int) gpu.Ptr {
	d.t.Helper()
	p := must.Get(d.Alloc(max(bytes, 1)))(d.t)
	return p
}

func (d *device) upload(data []byte) gpu.Ptr {
	d.t.Helper()
	p := d.alloc(len(data))
	must.Do(d.t, d.Upload(p, data))
	return p
}

func (d *device) launch(kernel string, dims gpu.Dims, args ...any) {
	d.t.Helper()
	f, err := d.Function(kernel)
	if err == nil {
		err = d.Launch(f, dims, gpu.Args(args...))
	}
	if err == nil {
		err = d.Sync()
	}
	if err != nil {
		d.t.Fatal(err)
	}
}

func download[T any](d *device, p gpu.Ptr, n int) []T {
	d.t.Helper()
	s := make([]T, n)
	must.Do(d.t, d.Download(raw(s), p))
	return s
}

// run launches a kernel, or the kernel of an operation, at the extents and returns its results in
// order. The arguments after the
// extents are []float32, which is uploaded, result, for which memory is allocated, or int, which is
// passed as an int32, or a float32.
func (d *device) run(kernel string, grid, block int, e ops.Extents, args ...any) [][]float32 {
	d.t.Helper()
	extents := d.upload(raw([]int32{int32(e.Groups), int32(e.Context), int32(e.Points), int32(e.Levels)}))
	all := []any{extents}
	memory := []gpu.Ptr{extents}
	var sizes []int
	var results []gpu.Ptr
	for _, a := range args {
		switch a := a.(type) {
		case []float32:
			all = append(all, d.upload(raw(a)))
			memory = append(memory, all[len(all)-1].(gpu.Ptr))
		case result:
			p := gpu.Ptr(0)
			if a != null {
				p = d.alloc(4 * int(a))
				results, sizes, memory = append(results, p), append(sizes, int(a)), append(memory, p)
			}
			all = append(all, p)
		case int:
			all = append(all, int32(a))
		case float32:
			all = append(all, a)
		case ops.Space:
			all = append(all, int32(a))
		case bool:
			relu := int32(0)
			if a {
				relu = 1
			}
			all = append(all, relu)
		default:
			d.t.Fatalf("%s: argument of %T", kernel, a)
		}
	}
	if task := d.taskOf(kernel, all[1:]); task != nil {
		d.launchTask(task, grid, extents)
	} else {
		d.launch(kernel, gpu.Line(grid, block, 0), all...)
	}
	values := make([][]float32, len(results))
	for i, p := range results {
		values[i] = download[float32](d, p, sizes[i])
	}
	for _, p := range memory {
		must.Do(d.t, d.Free(p))
	}
	return values
}

// sameAtAnyGrid calls f with grids of one, a few and many blocks, in other orders. All results must
// have the same bits.
func (d *device) sameAtAnyGrid(f func(grid int) [][]float32) [][]float32 {
	d.t.Helper()
	want := f(1)
	for i, grid := range []int{3, 40} {
		d.Driver = d.orders[i+1]
		for j, got := range f(grid) {
			if !slices.EqualFunc(got, want[j], sameBits) {
				d.t.Errorf("result %d at a grid of %d is not that of one block", j, grid)
			}
		}
	}
	d.Driver = d.orders[0]
	return want
}

func sameBits(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) }

// reference runs ops.Evaluate in float64.
func reference(o *ops.Op, e ops.Extents, in ...[]float32) []float64 {
	wide := make([][]float64, len(in))
	for i, v := range in {
		wide[i] = make([]float64, len(v))
		for j, x := range v {
			wide[i][j] = float64(x)
		}
	}
	rows := e.Rows(o.Out)
	if o.Rows > 0 {
		rows = o.Rows
	}
	out := make([]float64, rows*o.Width)
	ops.Evaluate(o, e, out, wide)
	return out
}

// near fails if a number differs by more than tolerance·(1 + |want|).
func near(t *testing.T, what string, got []float32, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d numbers, want %d", what, len(got), len(want))
	}
	for i, w := range want {
		if d := math.Abs(float64(got[i]) - w); !(d <= tolerance*(1+math.Abs(w))) {
			t.Errorf("%s: number %d of %d is %g, want %g", what, i, len(want), got[i], w)
			return
		}
	}
}

// roundings returns a bound on the error of n additions and multiplications of numbers near 1: 4
// units in the last place for each.
func roundings(n int) float64 { return float64(n) * math.Pow(2, -22) }

// source makes random numbers.
type source struct {
	random.Generator
	step uint64
}

func newSource(seed uint64) *source { return &source{Generator: random.New(seed, random.Data)} }

// uniform returns n numbers in [low, high).
func (s *source) uniform(n int, low, high float64) []float32 {
	s.step++
	v := make([]float32, n)
	for i := range v {
		v[i] = float32(low + (high-low)*s.Float(s.step, uint64(i)))
	}
	return v
}

// rectified returns n numbers of which about half are 0, as after a ReLU.
func (s *source) rectified(n int) []float32 {
	v := s.uniform(n, -1, 1)
	for i, x := range v {
		v[i] = max(0, x)
	}
	return v
}

func name(parts ...any) string { return fmt.Sprint(parts...) }
