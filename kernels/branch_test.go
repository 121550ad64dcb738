//go:build simt

package kernels

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"unsafe"

	"github.com/acqnp/acqnp/internal/gpu"
	"github.com/acqnp/acqnp/internal/ops"
)

// branchRun is how a case is run.
type branchRun struct {
	rows   int // of a tile
	blocks int
	alone  bool // without a gradient by the levels
}

func raw[T any](v []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), len(v)*int(unsafe.Sizeof(*new(T))))
}

// branchDevice is a driver whose errors end the test.
type branchDevice struct {
	*testing.T
	gpu.Driver
}

func (d branchDevice) alloc(bytes int) gpu.Ptr {
	d.Helper()
	p, err := d.Alloc(bytes)
	if err != nil {
		d.Fatal(err)
	}
	d.Cleanup(func() { d.Free(p) })
	return p
}

func (d branchDevice) upload(bytes []byte) gpu.Ptr {
	d.Helper()
	p := d.alloc(len(bytes))
	if err := d.Upload(p, bytes); err != nil {
		d.Fatal(err)
	}
	return p
}

func (d branchDevice) floats(p gpu.Ptr, n int) []float64 {
	d.Helper()
	v := make([]float32, n)
	if err := d.Download(raw(v), p); err != nil {
		d.Fatal(err)
	}
	return doubles(v)
}

func (d branchDevice) launch(name string, blocks, shared int, args ...any) {
	d.Helper()
	f, err := d.Function(name)
	if err != nil {
		d.Fatal(err)
	}
	if err := d.Launch(f, gpu.Line(blocks, BranchThreads, shared), gpu.Args(args...)); err != nil {
		d.Fatal(err)
	}
}

func (c *branchCase) run(t *testing.T, driver gpu.Driver, how branchRun) branchResult {
	t.Helper()
	d := branchDevice{t, driver}
	points, rows := c.e.Rows(ops.Point), c.e.Rows(ops.Row)
	w, k, depth := int32(c.Width), int32(c.Outputs), int32(c.Depth)
	e := d.upload(raw([]int32{int32(c.e.Functions), int32(c.e.Context), int32(c.e.Points), int32(c.e.Levels)}))
	flat, layout := d.upload(raw(c.flat)), d.upload(raw(c.layout))
	base, level, grad := d.upload(raw(c.base)), d.upload(raw(c.level)), d.upload(raw(c.grad))
	weights, vectors, partials := d.alloc(c.WeightBytes()), d.alloc(4*c.Vectors()), d.alloc(4*how.blocks*c.Partials())
	out, gradBase, flatGrad := d.alloc(4*rows*c.Outputs), d.alloc(4*points*c.Width), d.alloc(4*len(c.flat))
	gradLevel := gpu.Ptr(0)
	if !how.alone {
		gradLevel = d.alloc(4 * rows)
	}
	d.launch(c.Pack(), 2, 0, flat, layout, weights, vectors, w, depth, k)
	d.launch(c.Forward(how.rows), how.blocks, c.Shared(how.rows, false), e, base, level, weights, vectors, out, w, depth, k)
	d.launch(c.Backward(how.rows), how.blocks, c.Shared(how.rows, true), e, base, level, weights, vectors, grad, gradBase,
		gradLevel, partials, w, depth, k)
	d.launch(c.Reduce(), 3, 0, partials, int32(how.blocks), layout, flatGrad, w, depth, k)
	r := branchResult{out: d.floats(out, rows*c.Outputs), gradBase: d.floats(gradBase, points*c.Width),
		flat: d.floats(flatGrad, len(c.flat))}
	if !how.alone {
		r.gradLevel = d.floats(gradLevel, rows)
	}
	return r
}

// tensors cuts a result into what is compared on a scale of its own.
func (c *branchCase) tensors(r branchResult) map[string][]float64 {
	m := map[string][]float64{"out": r.out, "gradient by base": r.gradBase, "gradient by level": r.gradLevel}
	for i, l := range c.layers() {
		m[fmt.Sprint("weight of layer ", i)] = r.flat[l.weight:][:(l.out-1)*l.stride+l.in]
		if l.bias >= 0 {
			m[fmt.Sprint("bias of layer ", i)] = r.flat[l.bias:][:l.out]
		}
	}
	return m
}

// compare holds every number to tol times the largest of its tensor. Where the reference has NaN, nothing may be written:
// the emulation's memory is NaN before.
func (c *branchCase) compare(t *testing.T, got, want branchResult, tol float64) {
	t.Helper()
	was := c.tensors(got)
	for name, w := range c.tensors(want) {
		g, scale := was[name], 0.0
		if g == nil {
			continue
		}
		for _, v := range w {
			if !math.IsNaN(v) {
				scale = max(scale, math.Abs(v))
			}
		}
		for i, v := range w {
			if math.IsNaN(v) && math.IsNaN(g[i]) {
				continue
			}
			if !(math.Abs(g[i]-v) <= tol*scale) {
				t.Errorf("%s[%d] = %g, want %g; largest is %g", name, i, g[i], v, scale)
				break
			}
		}
	}
}

// tolerance of a precision, times the largest of a tensor, against a reference that rounds where the kernels do. fp32: 1e-5
// for sums of some hundred numbers. The others: the same sums decide now and then, otherwise than float64's, which of two
// neighbours of 11 bits a hidden number becomes, which is 2^-10 of it, and a hidden number's share of a sum is a small one.
func tolerance(precision string) float64 {
	if precision == "f32" {
		return 1e-5
	}
	return 0x1p-10
}

func TestBranch(t *testing.T) {
	for _, precision := range []string{"f32", "tf32", "f16"} {
		for _, s := range []struct {
			width, depth, outputs int
			e                     ops.Extents
			run                   branchRun
		}{
			{16, 1, 1, ops.Extents{Functions: 1, Points: 1, Levels: 1}, branchRun{rows: 64, blocks: 1}},
			{16, 1, 3, ops.Extents{Functions: 2, Points: 3, Levels: 50}, branchRun{rows: 16, blocks: 4}},
			{16, 2, 9, ops.Extents{Functions: 1, Points: 7, Levels: 3}, branchRun{rows: 32, blocks: 9, alone: true}},
			{48, 3, 3, ops.Extents{Functions: 3, Points: 5, Levels: 3}, branchRun{rows: 32, blocks: 2}},
			{64, 2, 3, ops.Extents{Functions: 1, Points: 3, Levels: 50}, branchRun{rows: 64, blocks: 2}},
			{64, 5, 1, ops.Extents{Functions: 1, Points: 7, Levels: 3}, branchRun{rows: 16, blocks: 2}},
			{80, 4, 1, ops.Extents{Functions: 1, Points: 71, Levels: 1}, branchRun{rows: 64, blocks: 2}},
			{128, 5, 1, ops.Extents{Functions: 1, Points: 3, Levels: 50}, branchRun{rows: 64, blocks: 2}},
			{128, 3, 3, ops.Extents{Functions: 1, Points: 5, Levels: 3}, branchRun{rows: 32, blocks: 1}},
			{256, 2, 9, ops.Extents{Functions: 1, Points: 3, Levels: 3}, branchRun{rows: 16, blocks: 2}},
		} {
			b := Branch{Precision: precision, Width: s.width, Depth: s.depth, Outputs: s.outputs}
			t.Run(fmt.Sprintf("%+v %v %+v", b, s.e, s.run), func(t *testing.T) {
				c := newBranchCase(b, s.e)
				c.compare(t, c.run(t, NewEmulator(EmulatorOptions{}), s.run), c.reference(rounding(precision)), tolerance(precision))
			})
		}
	}
}

// A tile of 128 rows is for half precision alone.
func TestBranchLargeTile(t *testing.T) {
	c := newBranchCase(Branch{Precision: "f16", Width: 64, Depth: 3, Outputs: 3}, ops.Extents{Functions: 1, Points: 3, Levels: 100})
	c.compare(t, c.run(t, NewEmulator(EmulatorOptions{}), branchRun{rows: 128, blocks: 1}), c.reference(rounding("f16")), tolerance("f16"))
}

// Against exact products the precisions of 11 bits lose 2^-12 or so in every hidden layer, forward and backward, and a ReLU
// may fall the other way; as root mean squares that stays under 2^-8 of a tensor's.
func TestBranchPrecision(t *testing.T) {
	for _, precision := range []string{"tf32", "f16"} {
		c := newBranchCase(Branch{Precision: precision, Width: 64, Depth: 5, Outputs: 3}, ops.Extents{Functions: 1, Points: 3, Levels: 20})
		got, want := c.tensors(c.run(t, NewEmulator(EmulatorOptions{}), branchRun{rows: 32, blocks: 2})), c.tensors(c.reference(rounding("f32")))
		for name, w := range want {
			var off, all float64
			for i, v := range w {
				if !math.IsNaN(v) {
					off += (got[name][i] - v) * (got[name][i] - v)
					all += v * v
				}
			}
			if !(math.Sqrt(off/all) <= 0x1p-8) {
				t.Errorf("%s: %s is off by %g", precision, name, math.Sqrt(off/all))
			}
		}
	}
}

// The same bits whatever the order of threads and blocks.
func TestBranchOrder(t *testing.T) {
	for _, precision := range []string{"f32", "tf32", "f16"} {
		c := newBranchCase(Branch{Precision: precision, Width: 48, Depth: 3, Outputs: 3}, ops.Extents{Functions: 1, Points: 5, Levels: 9})
		var first branchResult
		for order := range 4 {
			r := c.run(t, NewEmulator(EmulatorOptions{Order: order}), branchRun{rows: 16, blocks: 3})
			if order == 0 {
				first = r
			}
			for name, v := range c.tensors(r) {
				same := func(a, b float64) bool { return a == b || a != a && b != b }
				if !slices.EqualFunc(v, c.tensors(first)[name], same) {
					t.Errorf("%s, order %d: %s differs", precision, order, name)
				}
			}
		}
	}
}

// A NaN among the parameters must come out through the ReLUs, for the step to be refused.
func TestBranchNaN(t *testing.T) {
	c := newBranchCase(Branch{Precision: "f16", Width: 16, Depth: 3, Outputs: 1}, ops.Extents{Functions: 1, Points: 1, Levels: 3})
	c.flat[c.layout[2]+5] = float32(math.NaN())
	r := c.run(t, NewEmulator(EmulatorOptions{}), branchRun{rows: 16, blocks: 1})
	if !slices.ContainsFunc(r.out, math.IsNaN) || !slices.ContainsFunc(c.tensors(r)["weight of layer 3"], math.IsNaN) {
		t.Errorf("results %g of NaN weights", r.out)
	}
}

// Every width and depth has a tile where a block has 64 KiB, except fp32's widest networks.
func TestBranchRows(t *testing.T) {
	for _, s := range []struct {
		b      Branch
		shared int
		rows   int
	}{
		{Branch{"f16", 128, 5, 1}, 227 << 10, 128},
		{Branch{"f16", 128, 3, 3}, 163 << 10, 128},
		{Branch{"f16", 128, 5, 1}, 163 << 10, 64},
		{Branch{"f16", 128, 5, 1}, 99 << 10, 32},
		{Branch{"f16", 128, 5, 1}, 64 << 10, 16},
		{Branch{"f16", 256, 5, 9}, 163 << 10, 16},
		{Branch{"tf32", 128, 5, 1}, 227 << 10, 64},
		{Branch{"tf32", 128, 5, 1}, 163 << 10, 32},
		{Branch{"f32", 64, 5, 1}, 64 << 10, 32},
		{Branch{"f32", 256, 5, 1}, 64 << 10, 0},
	} {
		if rows, ok := s.b.Rows(true, s.shared); rows != s.rows || ok != (s.rows > 0) {
			t.Errorf("%+v with %d bytes: tiles of %d rows, want %d", s.b, s.shared, rows, s.rows)
		}
	}
}
