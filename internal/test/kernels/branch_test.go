//go:build simt || gpu

package kernels

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/acqnp/acqnp/internal/engine/cuda"
	"github.com/acqnp/acqnp/internal/engine/gpu"
	"github.com/acqnp/acqnp/internal/models/ops"
)

// branchRun runs the kernels on a case.
type branchRun struct {
	rows   int // rows of a tile
	blocks int
	alone  bool // without a gradient of the levels
}

func (c *branchCase) run(d *device, how branchRun) branchResult {
	d.t.Helper()
	if fit, ok := c.Rows(true, d.Device().SharedPerBlock); !ok {
		d.t.Skip("too little shared memory")
	} else {
		how.rows = min(how.rows, fit)
	}
	points, rows := c.e.Rows(ops.Point), c.e.Rows(ops.Row)
	in, w, k, depth := int32(c.Inputs), int32(c.Width), int32(c.Outputs), int32(c.Depth)
	floats := func(n int) gpu.Ptr { return d.upload(raw(slices.Repeat([]float32{float32(math.NaN())}, n))) }
	e := d.upload(raw([]int32{int32(c.e.Functions), int32(c.e.Context), int32(c.e.Points), int32(c.e.Levels)}))
	flat, layout := d.upload(raw(c.flat)), d.upload(raw(c.layout))
	base, level, grad := d.upload(raw(c.base)), d.upload(raw(c.level)), d.upload(raw(c.grad))
	weights, vectors, partials := d.alloc(c.WeightBytes()), floats(c.Vectors()), floats(how.blocks*c.Partials())
	out, gradBase, flatGrad := floats(rows*c.Outputs), floats(points*c.Width), floats(len(c.flat))
	gradLevel := gpu.Ptr(0)
	if !how.alone {
		gradLevel = floats(rows * c.Inputs)
	}
	launch := func(kernel string, blocks, shared int, args ...any) {
		d.t.Helper()
		d.launch(kernel, gpu.Line(blocks, cuda.BranchThreads, shared), append(args, in, w, depth, k)...)
	}
	launch(c.Pack(), 2, 0, flat, layout, weights, vectors)
	launch(c.Forward(how.rows), how.blocks, c.Shared(how.rows, false), e, base, level, weights, vectors, out)
	launch(c.Backward(how.rows), how.blocks, c.Shared(how.rows, true), e, base, level, weights, vectors, grad, gradBase,
		gradLevel, partials)
	launch(c.Reduce(), 3, 0, partials, int32(how.blocks), layout, flatGrad)
	r := branchResult{out: doubles(download[float32](d, out, rows*c.Outputs)),
		gradBase: doubles(download[float32](d, gradBase, points*c.Width)), flat: doubles(download[float32](d, flatGrad, len(c.flat)))}
	if !how.alone {
		r.gradLevel = doubles(download[float32](d, gradLevel, rows*c.Inputs))
	}
	return r
}

// tensors divides a result into parts, each compared on its own scale.
func (c *branchCase) tensors(r branchResult) map[string][]float64 {
	m := map[string][]float64{"out": r.out, "gradient of base": r.gradBase, "gradient of level": r.gradLevel}
	for i, l := range c.layers() {
		m[fmt.Sprint("weight of layer ", i)] = r.flat[l.weight:][:(l.out-1)*l.stride+l.in]
		if l.bias >= 0 {
			m[fmt.Sprint("bias of layer ", i)] = r.flat[l.bias:][:l.out]
		}
	}
	return m
}

// compare fails if a number differs by more than tol times the largest of its tensor. Where the
// reference has a NaN, the kernels must not write: the memory had a NaN before.
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

// tolerance returns the largest difference from a reference that rounds where the kernels do,
// relative to the largest number of a tensor. fp32 has 1e-5, for sums of some hundred numbers. In
// the other precisions a float32 sum and a float64 sum sometimes round a hidden number to different
// neighbours of 11 bits. They differ by 2^-10 of the number, and its share of a sum is small.
func tolerance(precision string) float64 {
	if precision == "f32" {
		return 1e-5
	}
	return 0x1p-10
}

func TestBranch(t *testing.T) {
	for _, precision := range []string{"f32"} {
		for _, s := range []struct {
			inputs, width, depth, outputs int
			e                             ops.Extents
			run                           branchRun
		}{
			{1, 16, 1, 1, ops.Extents{Functions: 1, Points: 1, Levels: 1}, branchRun{rows: 64, blocks: 1}},
			{1, 16, 1, 3, ops.Extents{Functions: 2, Points: 3, Levels: 50}, branchRun{rows: 16, blocks: 4}},
			{1, 16, 2, 9, ops.Extents{Functions: 1, Points: 7, Levels: 3}, branchRun{rows: 32, blocks: 9, alone: true}},
			{1, 48, 3, 3, ops.Extents{Functions: 3, Points: 5, Levels: 3}, branchRun{rows: 32, blocks: 2}},
			{1, 64, 2, 3, ops.Extents{Functions: 1, Points: 3, Levels: 50}, branchRun{rows: 64, blocks: 2}},
			{1, 64, 5, 1, ops.Extents{Functions: 1, Points: 7, Levels: 3}, branchRun{rows: 16, blocks: 2}},
			{1, 80, 4, 1, ops.Extents{Functions: 1, Points: 71, Levels: 1}, branchRun{rows: 64, blocks: 2}},
			{1, 128, 5, 1, ops.Extents{Functions: 1, Points: 3, Levels: 50}, branchRun{rows: 64, blocks: 2}},
			{1, 128, 3, 3, ops.Extents{Functions: 1, Points: 5, Levels: 3}, branchRun{rows: 32, blocks: 1}},
			{2, 16, 1, 1, ops.Extents{Functions: 1, Points: 1, Levels: 1}, branchRun{rows: 64, blocks: 1}},
			{2, 48, 3, 3, ops.Extents{Functions: 3, Points: 5, Levels: 3}, branchRun{rows: 16, blocks: 2}},
			{2, 64, 2, 9, ops.Extents{Functions: 1, Points: 3, Levels: 50}, branchRun{rows: 64, blocks: 2}},
			{2, 80, 2, 3, ops.Extents{Functions: 1, Points: 7, Levels: 3}, branchRun{rows: 32, blocks: 9, alone: true}},
			{1, 256, 2, 9, ops.Extents{Functions: 1, Points: 3, Levels: 3}, branchRun{rows: 16, blocks: 2}},
		} {
			b := cuda.BranchKernels{Precision: precision, Inputs: s.inputs, Width: s.width, Depth: s.depth, Outputs: s.outputs}
			t.Run(fmt.Sprintf("%+v %v %+v", b, s.e, s.run), func(t *testing.T) {
				c := newBranchCase(b, s.e)
				c.compare(t, c.run(newDevice(t), s.run), c.reference(rounding(precision)), tolerance(precision))
			})
		}
	}
}

// Compared with exact products, precisions of 11 bits lose about 2^-12 in every hidden layer,
// forward and backward, and a ReLU may switch. The root mean square of the difference must be below
// 2^-8 of a tensor's root mean square.
func TestBranchPrecision(t *testing.T) {
	for _, precision := range []string{"tf32", "f16"} {
		t.Run(precision, func(t *testing.T) {
			b := cuda.BranchKernels{Precision: precision, Inputs: 1, Width: 64, Depth: 5, Outputs: 3}
			c := newBranchCase(b, ops.Extents{Functions: 1, Points: 3, Levels: 20})
			how := stationaryRun{precision: precision, capability: 90, chunks: 2, blocks: 2}
			_, k := stationaryCase(1, 64, 5, 3, c.e, how)
			got := c.tensors(c.runStationary(newDevice(t), k, how))
			for name, w := range c.tensors(c.reference(rounding("f32"))) {
				var off, all float64
				for i, v := range w {
					if !math.IsNaN(v) {
						off += (got[name][i] - v) * (got[name][i] - v)
						all += v * v
					}
				}
				if !(math.Sqrt(off/all) <= 0x1p-8) {
					t.Errorf("%s is off by %g", name, math.Sqrt(off/all))
				}
			}
		})
	}
}

// Any order of threads and blocks gives the same bits.
func TestBranchOrder(t *testing.T) {
	for _, precision := range []string{"f32"} {
		t.Run(precision, func(t *testing.T) {
			c := newBranchCase(cuda.BranchKernels{Precision: precision, Inputs: 2, Width: 48, Depth: 3, Outputs: 3}, ops.Extents{Functions: 1, Points: 5, Levels: 9})
			d := newDevice(t)
			want := c.tensors(c.run(d, branchRun{rows: 16, blocks: 3}))
			for _, d.Driver = range d.orders {
				for name, v := range c.tensors(c.run(d, branchRun{rows: 16, blocks: 3})) {
					same := func(a, b float64) bool { return a == b || a != a && b != b }
					if !slices.EqualFunc(v, want[name], same) {
						t.Errorf("%s differs", name)
					}
				}
			}
		})
	}
}
