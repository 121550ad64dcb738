//go:build simt || gpu

package kernels

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/acqnp/acqnp/internal/engine/cuda"
	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/kernels/gpu"
)

// branchRun runs the branch kernels on a case.
type branchRun struct {
	precision  string
	capability int  // whose shape is used
	pairs      bool // Hopper's own kernels
	chunks     int
	blocks     int
	alone      bool // without a gradient of the levels
}

// branchCaseFor returns a case and its kernels, with the shape of a compute capability.
func branchCaseFor(inputs, width, depth, outputs int, e ops.Extents, how branchRun) (*branchCase, cuda.BranchKernels) {
	p := cuda.Perceptron{Precision: how.precision, Inputs: inputs, Width: width, Depth: depth, Outputs: outputs}
	return newBranchCase(p, ops.Row, ops.Point, e), kernelsFor(p, how)
}

// kernelsFor returns kernels with the shape of a compute capability.
func kernelsFor(p cuda.Perceptron, how branchRun) cuda.BranchKernels {
	shared := map[int]int{75: 64 << 10, 80: 163 << 10, 86: 99 << 10, 89: 99 << 10, 90: 227 << 10}[how.capability]
	k, ok := cuda.Kernels(gpu.Device{Major: how.capability / 10, Minor: how.capability % 10, SharedPerBlock: shared, Hopper: how.pairs}, p)
	if !ok || k.Capability != how.capability || k.Pairs != how.pairs {
		panic(fmt.Sprintf("no kernels for %+v", p))
	}
	k.Chunks = how.chunks
	return k
}

// device memory of a case.
type branchMemory struct {
	e, flat, layout, base, level, grad, more, weights, vectors, out gpu.Ptr
	s, above                                                        int32
}

func (c *branchCase) branchMemory(d *device, k cuda.BranchKernels) branchMemory {
	m := branchMemory{
		e:    d.upload(raw([]int32{int32(c.e.Groups), int32(c.e.Context), int32(c.e.Points), int32(c.e.Levels)})),
		flat: d.upload(raw(c.flat)), layout: d.upload(raw(c.layout)), base: d.upload(raw(c.base)), level: d.upload(raw(c.level)),
		grad: d.upload(raw(c.gradient())), weights: d.alloc(k.WeightBytes()), vectors: d.alloc(4 * k.Vectors()), out: d.alloc(4 * c.e.Rows(c.s) * c.columns()),
	}
	m.s, m.above = int32(c.s), int32(c.above)
	if c.Biased {
		m.base = 0
	}
	if c.more != nil {
		m.more = d.upload(raw(c.more))
	}
	task := d.taskOf("branch_pack", []any{m.flat, m.layout, m.weights, m.vectors, int32(c.above), int32(k.Inputs), int32(k.Outputs), int32(k.Depth)})
	d.launch(k.Pack(), gpu.Line(2, cuda.BranchThreads, 0), d.upload(raw(task)))
	return m
}

// gradient returns what the backward kernel reads: the gradient of the result, or of its mean.
func (c *branchCase) gradient() []float32 {
	if c.mean != nil {
		return c.mean
	}
	return c.grad
}

func (m branchMemory) forward(d *device, k cuda.BranchKernels, blocks int, hidden gpu.Ptr, keep bool) {
	d.t.Helper()
	kept := int32(0)
	if keep {
		kept = 1
	}
	parts := int32(k.Resident)
	if k.Pairs {
		parts = int32(k.Chunks)
	}
	args := []any{m.e, m.base, m.level, m.weights, m.vectors, hidden, m.out, parts, kept, int32(k.Inputs), int32(k.Depth), int32(k.Outputs)}
	if k.MLP {
		args = append(args, m.s, m.above)
	}
	d.launch(k.Forward(), gpu.Line(blocks, k.ForwardThreads(), k.ForwardShared()), args...)
}

func (c *branchCase) run(d *device, k cuda.BranchKernels, how branchRun) branchResult {
	d.t.Helper()
	if k.Pairs && !d.Device().Hopper {
		d.t.Skip("the device does not run the kernels for sm_90a")
	}
	if k.ForwardShared() > d.Device().SharedPerBlock || k.BackwardShared() > d.Device().SharedPerBlock {
		d.t.Skip("too little shared memory")
	}
	points, rows := c.e.Rows(c.above), c.e.Rows(c.s)
	floats := func(n int) gpu.Ptr { return d.upload(raw(slices.Repeat([]float32{float32(math.NaN())}, n))) }
	m := c.branchMemory(d, k)
	hidden, partials := d.alloc(max(4, k.HiddenBytes(points, rows/points, true))), floats(min(k.Chunks, rows)*k.Partials())
	gradBase, flatGrad, gradLevel := floats(points*c.Width), floats(len(c.flat)), gpu.Ptr(0)
	if !how.alone && !c.MLP {
		gradLevel = floats(rows * c.Inputs)
	}
	m.forward(d, k, how.blocks, hidden, true)
	for _, pass := range k.Backward() {
		from := int32(k.Stages)
		if k.Pairs {
			from = int32(pass.Layer)
		}
		args := []any{m.e, m.base, m.level, m.weights, m.vectors, m.grad, hidden, gradBase, gradLevel, partials, from, int32(k.Chunks),
			int32(k.Inputs), int32(k.Depth), int32(k.Outputs)}
		if k.MLP {
			args = append(args, m.s, m.above, int32(min(1, len(c.mean))), m.more)
		}
		d.launch(pass.Kernel, gpu.Line(how.blocks, cuda.BranchThreads, k.BackwardShared()), args...)
	}
	task := d.taskOf("branch_sum", []any{partials, m.layout, flatGrad, m.s, m.above, int32(k.Inputs), int32(k.Outputs),
		int32(k.Depth), int32(k.Chunks)})
	d.launchTask(task, 3, m.e)
	r := branchResult{out: doubles(download[float32](d, m.out, rows*c.columns())), flat: doubles(download[float32](d, flatGrad, len(c.flat)))}
	if !c.Biased {
		r.gradBase = doubles(download[float32](d, gradBase, points*c.Width))
	}
	if gradLevel != 0 {
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
// relative to the largest number of a tensor. fp32 has 2e-5, the bound of all its kernels. In half precision a float32 sum and a float64 sum sometimes round a hidden
// number to different neighbours of 11 bits. They differ by 2^-10 of the number, and its share of a sum
// is small.
func tolerance(precision string) float64 {
	if precision == "f32" {
		return 2e-5
	}
	return 0x1p-10
}

// TestBranch compares the kernels with a reference that rounds where they do. The sizes are odd:
// one point, points that end in the middle of a tile or span several, more points in a tile than
// one product takes, chunks that are not full, blocks without a chunk.
func TestBranch(t *testing.T) {
	for _, s := range []struct {
		inputs, width, depth, outputs int
		e                             ops.Extents
		how                           branchRun
	}{
		{1, 64, 2, 1, ops.Extents{Groups: 1, Points: 1, Levels: 1}, branchRun{precision: "f16", capability: 90, chunks: 4, blocks: 2}},
		{1, 64, 3, 3, ops.Extents{Groups: 2, Points: 3, Levels: 50}, branchRun{precision: "f16", capability: 90, chunks: 4, blocks: 1}},
		{2, 64, 2, 9, ops.Extents{Groups: 1, Points: 70, Levels: 3}, branchRun{precision: "f16", capability: 75, chunks: 2, blocks: 3}},
		{1, 64, 3, 16, ops.Extents{Groups: 1, Points: 6, Levels: 3}, branchRun{precision: "f16", capability: 80, chunks: 1, blocks: 1, alone: true}},
		{1, 128, 2, 3, ops.Extents{Groups: 1, Points: 71, Levels: 1}, branchRun{precision: "f16", capability: 90, chunks: 8, blocks: 2}},
		{1, 128, 4, 1, ops.Extents{Groups: 1, Points: 3, Levels: 50}, branchRun{precision: "f16", capability: 86, chunks: 2, blocks: 2}},
		{2, 128, 3, 9, ops.Extents{Groups: 1, Points: 5, Levels: 13}, branchRun{precision: "f16", capability: 75, chunks: 8, blocks: 2}},
		{1, 64, 2, 3, ops.Extents{Groups: 1, Points: 1, Levels: 1}, branchRun{precision: "f32", capability: 75, chunks: 4, blocks: 2}},
		{2, 64, 3, 9, ops.Extents{Groups: 1, Points: 3, Levels: 50}, branchRun{precision: "f32", capability: 80, chunks: 2, blocks: 2}},
		{1, 64, 4, 16, ops.Extents{Groups: 1, Points: 31, Levels: 9}, branchRun{precision: "f32", capability: 75, chunks: 3, blocks: 2}},
		{1, 64, 2, 1, ops.Extents{Groups: 1, Points: 71, Levels: 1}, branchRun{precision: "f32", capability: 86, chunks: 4, blocks: 1, alone: true}},
		{1, 128, 4, 1, ops.Extents{Groups: 1, Points: 3, Levels: 50}, branchRun{precision: "f32", capability: 86, chunks: 2, blocks: 2}},
		{2, 128, 3, 3, ops.Extents{Groups: 1, Points: 5, Levels: 13}, branchRun{precision: "f32", capability: 90, chunks: 8, blocks: 2}},
		{1, 128, 3, 9, ops.Extents{Groups: 2, Points: 3, Levels: 25}, branchRun{precision: "f32", capability: 75, chunks: 2, blocks: 1}},
		{1, 64, 2, 1, ops.Extents{Groups: 1, Points: 1, Levels: 1}, branchRun{precision: "f16", capability: 90, pairs: true, chunks: 4, blocks: 2}},
		{2, 64, 3, 9, ops.Extents{Groups: 1, Points: 70, Levels: 3}, branchRun{precision: "f16", capability: 90, pairs: true, chunks: 2, blocks: 3}},
		{1, 64, 4, 16, ops.Extents{Groups: 1, Points: 6, Levels: 53}, branchRun{precision: "f16", capability: 90, pairs: true, chunks: 1, blocks: 1, alone: true}},
		{2, 64, 7, 2, ops.Extents{Groups: 2, Points: 3, Levels: 50}, branchRun{precision: "f16", capability: 90, pairs: true, chunks: 2, blocks: 2}},
		{1, 128, 2, 3, ops.Extents{Groups: 1, Points: 71, Levels: 1}, branchRun{precision: "f16", capability: 90, pairs: true, chunks: 8, blocks: 2}},
		{2, 128, 3, 16, ops.Extents{Groups: 1, Points: 5, Levels: 13}, branchRun{precision: "f16", capability: 90, pairs: true, chunks: 8, blocks: 2}},
		{1, 128, 4, 1, ops.Extents{Groups: 1, Points: 3, Levels: 50}, branchRun{precision: "f16", capability: 90, pairs: true, chunks: 2, blocks: 2}},
		{2, 128, 6, 9, ops.Extents{Groups: 1, Points: 5, Levels: 80}, branchRun{precision: "f16", capability: 90, pairs: true, chunks: 1, blocks: 1}},
	} {
		t.Run(fmt.Sprintf("%+v", s), func(t *testing.T) {
			c, k := branchCaseFor(s.inputs, s.width, s.depth, s.outputs, s.e, s.how)
			c.avoidKinks(t, rounding(s.how.precision))
			c.compare(t, c.run(newDevice(t), k, s.how), c.reference(rounding(s.how.precision)), tolerance(s.how.precision))
		})
	}
}

// TestBranchPrecision compares with exact products. The root mean square of the difference must be below a
// bound of a tensor's root mean square. Half precision loses about 2^-12 in every hidden layer, forward and
// backward, and a ReLU may switch. In fp32 a model of three products of halves loses 7e-7 in hidden values and
// 9e-7 in gradients.
func TestBranchPrecision(t *testing.T) {
	for precision, bound := range map[string]float64{"f16": 0x1p-8, "f32": 1e-6} {
		how := branchRun{precision: precision, capability: 90, chunks: 2, blocks: 2}
		c, k := branchCaseFor(1, 64, 5, 3, ops.Extents{Groups: 1, Points: 3, Levels: 20}, how)
		got := c.tensors(c.run(newDevice(t), k, how))
		for name, w := range c.tensors(c.reference(rounding("f32"))) {
			var off, all float64
			for i, v := range w {
				if !math.IsNaN(v) {
					off += (got[name][i] - v) * (got[name][i] - v)
					all += v * v
				}
			}
			if !(math.Sqrt(off/all) <= bound) {
				t.Errorf("%s: %s is off by %g", precision, name, math.Sqrt(off/all))
			}
			t.Logf("%s: %s is off by %.2g", precision, name, math.Sqrt(off/all))
		}
	}
}

// TestBranchRealSizes has ψ's and the decoder's sizes of the paper's ACQNP, several tiles for
// each block, and the shapes of all architectures.
func TestBranchRealSizes(t *testing.T) {
	for _, how := range []branchRun{
		{precision: "f16", capability: 80}, {precision: "f16", capability: 75}, {precision: "f16", capability: 86},
		{precision: "f16", capability: 90}, {precision: "f16", capability: 90, pairs: true}, {precision: "f32", capability: 75},
		{precision: "f32", capability: 80}, {precision: "f32", capability: 86}, {precision: "f32", capability: 90},
	} {
		how.chunks, how.blocks = 3, 2
		for _, s := range []struct{ inputs, depth, outputs int }{{1, 5, 1}, {1, 3, 3}, {2, 3, 3}} {
			t.Run(fmt.Sprint(how.precision, how.capability, how.pairs, s), func(t *testing.T) {
				c, k := branchCaseFor(s.inputs, 128, s.depth, s.outputs, ops.Extents{Groups: 2, Points: 7, Levels: 50}, how)
				c.avoidKinks(t, rounding(how.precision))
				c.compare(t, c.run(newDevice(t), k, how), c.reference(rounding(how.precision)), tolerance(how.precision))
			})
		}
	}
}

// TestBranchOfManyRows sums over as many rows as a chunk has on a GPU. The matrix unit truncates, so a
// sum that it carries through all rows drifts: over 4000 rows of like sign by 5e-5 of itself. The bound is
// that of 4000 roundings of a sum that grows, 2^-24 of it each, in random directions: 2e-6.
func TestBranchOfManyRows(t *testing.T) {
	how := branchRun{precision: "f32", capability: 90, chunks: 1, blocks: 1}
	c, k := branchCaseFor(1, 64, 2, 1, ops.Extents{Groups: 1, Points: 40, Levels: 100}, how)
	for i, v := range c.grad {
		c.grad[i] = float32(math.Abs(float64(v)))
	}
	c.avoidKinks(t, rounding("f32"))
	c.compare(t, c.run(newDevice(t), k, how), c.reference(rounding("f32")), 2e-6)
}

// scale multiplies hidden values and output gradients of a case by powers of two, so the case stays
// the same but for its size: what is near a kink of a ReLU stays as near.
func (c *branchCase) scale(hidden, grad float64) {
	times := func(x []float32, by float64) {
		for i := range x {
			x[i] *= float32(by)
		}
	}
	times(c.base, hidden)
	for _, l := range c.layers() {
		if l.bias >= 0 {
			times(c.flat[l.bias:][:l.out], hidden)
		} else {
			times(c.flat[l.weight:][:(l.out-1)*l.stride+l.in], hidden)
		}
	}
	times(c.grad, grad)
}

// TestBranchOfAnySize has hidden values and gradients that a half cannot hold, in fp32: they must be as exact
// as others, relative to the largest of a tensor.
func TestBranchOfAnySize(t *testing.T) {
	how := branchRun{precision: "f32", capability: 86, chunks: 2, blocks: 2}
	for _, s := range []struct{ hidden, grad float64 }{
		{0x1p13, 1}, {0x1p-12, 1}, {1, 0x1p-60}, {1, 0x1p40}, {0x1p13, 0x1p-80}, {0x1p-12, 0x1p60}, {1, 0},
	} {
		c, k := branchCaseFor(2, 128, 4, 3, ops.Extents{Groups: 1, Points: 5, Levels: 13}, how)
		c.avoidKinks(t, rounding("f32"))
		c.scale(s.hidden, s.grad)
		t.Run(fmt.Sprintf("%g %g", s.hidden, s.grad), func(t *testing.T) {
			c.compare(t, c.run(newDevice(t), k, how), c.reference(rounding("f32")), tolerance("f32"))
		})
	}
}

// TestBranchKeepsSmallGradients gives a point gradients that are 2^-24 of those of the other points in its
// tile. They are as exact as the others, relative to themselves.
func TestBranchKeepsSmallGradients(t *testing.T) {
	how := branchRun{precision: "f32", capability: 90, chunks: 1, blocks: 1}
	c, k := branchCaseFor(1, 64, 4, 2, ops.Extents{Groups: 1, Points: 5, Levels: 6}, how)
	c.avoidKinks(t, rounding("f32"))
	small := c.grad[2*6*2:][:6*2]
	for i := range small {
		small[i] *= 0x1p-24
	}
	got, want := c.run(newDevice(t), k, how).gradBase[2*64:][:64], c.reference(rounding("f32")).gradBase[2*64:][:64]
	largest := 0.0
	for _, v := range want {
		largest = max(largest, math.Abs(v))
	}
	if largest == 0 || largest > 1e-5 {
		t.Fatalf("the point's largest gradient is %g", largest)
	}
	for i, v := range want {
		if !(math.Abs(got[i]-v) <= tolerance("f32")*largest) {
			t.Errorf("%d: %g, want %g", i, got[i], v)
		}
	}
}

// TestBranchBeyondHalves has hidden values above the limit of fp32's halves, 262,000. They must not become
// finite numbers that are wrong.
func TestBranchBeyondHalves(t *testing.T) {
	how := branchRun{precision: "f32", capability: 90, chunks: 1, blocks: 1}
	c, k := branchCaseFor(1, 64, 3, 1, ops.Extents{Groups: 1, Points: 1, Levels: 3}, how)
	c.scale(0x1p20, 1)
	r := c.run(newDevice(t), k, how)
	if slices.ContainsFunc(r.out, func(v float64) bool { return !math.IsNaN(v) }) || !slices.ContainsFunc(c.tensors(r)["weight of layer 3"], math.IsNaN) {
		t.Errorf("results %g", r.out)
	}
}

// Any grid and any order of threads and blocks give the same bits.
func TestBranchAtAnyGrid(t *testing.T) {
	for _, how := range []branchRun{{precision: "f16", capability: 90}, {precision: "f16", capability: 90, pairs: true}, {precision: "f32", capability: 90}} {
		how.chunks, how.blocks = 3, 1
		c, k := branchCaseFor(2, 64, 3, 3, ops.Extents{Groups: 1, Points: 31, Levels: 9}, how)
		d := newDevice(t)
		want := c.tensors(c.run(d, k, how))
		for i, blocks := range []int{2, 3, 5} {
			d.Driver = d.orders[i]
			how.blocks = blocks
			for name, v := range c.tensors(c.run(d, k, how)) {
				same := func(a, b float64) bool { return a == b || a != a && b != b }
				if !slices.EqualFunc(v, want[name], same) {
					t.Errorf("%+v: %s differs", how, name)
				}
			}
		}
	}
}

// Without a backward pass, hidden values are only written where one group of resident layers hands
// them to the next. The output has the same bits.
func TestBranchEvaluation(t *testing.T) {
	e := ops.Extents{Groups: 1, Points: 3, Levels: 15}
	var want []float32
	for _, capability := range []int{90, 86, 75} {
		c, k := branchCaseFor(1, 128, 4, 3, e, branchRun{precision: "f16", capability: capability, chunks: 1})
		d := newDevice(t)
		if k.ForwardShared() > d.Device().SharedPerBlock {
			continue
		}
		m := c.branchMemory(d, k)
		hidden := gpu.Ptr(0)
		if n := k.HiddenBytes(e.Rows(ops.Point), e.Levels, false); n > 0 {
			hidden = d.alloc(n)
		}
		m.forward(d, k, 2, hidden, false)
		got := download[float32](d, m.out, e.Rows(ops.Row)*c.Outputs)
		if want == nil {
			want = got
			c.compare(t, branchResult{out: doubles(got), flat: c.reference(rounding("f16")).flat}, c.reference(rounding("f16")), tolerance("f16"))
		}
		if !slices.Equal(got, want) {
			t.Errorf("capability %d: output differs", capability)
		}
	}
}

// A NaN among the parameters must pass through the ReLUs, so that the step is not applied.
func TestBranchNaN(t *testing.T) {
	for _, pairs := range []bool{false, true} {
		how := branchRun{precision: "f16", capability: 90, pairs: pairs, chunks: 1, blocks: 1}
		c, k := branchCaseFor(1, 64, 3, 1, ops.Extents{Groups: 1, Points: 1, Levels: 3}, how)
		c.flat[c.layout[2]+5] = float32(math.NaN())
		r := c.run(newDevice(t), k, how)
		if !slices.ContainsFunc(r.out, math.IsNaN) || !slices.ContainsFunc(c.tensors(r)["weight of layer 3"], math.IsNaN) {
			t.Errorf("pairs %v: results %g of NaN weights", pairs, r.out)
		}
	}
}

// enlarge multiplies the gradient of hidden layer l, from 1 on, by a power of two, and the layer by its
// inverse. All other hidden layers and their gradients stay the same.
func (c *branchCase) enlarge(l int, by float32) {
	times := func(x []float32, by float32) {
		for i := range x {
			x[i] *= by
		}
	}
	layers := c.layers()
	matrix := func(l branchLayer) []float32 { return c.flat[l.weight:][:(l.out-1)*l.stride+l.in] }
	times(matrix(layers[l-1]), 1/by)
	if l == 1 {
		times(c.base, 1/by)
	} else {
		times(c.flat[layers[l-1].bias:][:c.Width], 1/by)
	}
	times(matrix(layers[l]), by)
}

// TestBranchOverflow has gradients that are too large for a half in one hidden layer alone. The gradient of
// the weights below it must not be finite, so that the loss scale falls; without the enlarged layer it is.
func TestBranchOverflow(t *testing.T) {
	finite := func(v []float64) bool {
		return !slices.ContainsFunc(v, func(x float64) bool { return x-x != 0 })
	}
	for _, how := range []branchRun{{capability: 75}, {capability: 90}, {capability: 90, pairs: true}} {
		how.precision, how.chunks, how.blocks = "f16", 1, 1
		for _, s := range []struct{ width, depth int }{{64, 2}, {64, 3}, {64, 4}, {64, 5}, {64, 6}, {128, 3}} {
			if !how.pairs && s.depth != 3 {
				continue
			}
			for l := range s.depth + 1 {
				c, k := branchCaseFor(1, s.width, s.depth, 1, ops.Extents{Groups: 1, Points: 1, Levels: 9}, how)
				c.scale(1, 0x1p12)
				below := c.layers()[max(l-1, 0)]
				if l > 0 {
					c.enlarge(l, 0x1p9)
				}
				r, of := c.run(newDevice(t), k, how), []float64(nil)
				for row := range below.out { // the gaps between rows have NaNs
					of = append(of, r.flat[below.weight+row*below.stride:][:below.in]...)
				}
				if finite(of) != (l == 0) || !finite(r.out) {
					t.Errorf("%+v, %+v: gradients beyond halves in hidden layer %d (0: none), and that of the weights is finite: %v", how, s, l, finite(of))
				}
			}
		}
	}
}

// TestBranchFarImages has hidden images 8 GB apart, more than 32 bits of bytes or of halves count: as many
// as a chunk for each of half a million multiprocessors would need. Only those of the rows are used.
func TestBranchFarImages(t *testing.T) {
	how := branchRun{precision: "f16", capability: 90, pairs: true, chunks: 1 << 19, blocks: 2}
	c, k := branchCaseFor(1, 64, 6, 1, ops.Extents{Groups: 1, Points: 300, Levels: 1}, how)
	d := newDevice(t)
	if n := k.HiddenBytes(300, 1, true); n != 2<<33 || uint64(n) > d.Device().Memory/2 {
		t.Skipf("%d bytes of hidden images, on a device with %d", n, d.Device().Memory)
	}
	c.avoidKinks(t, rounding("f16"))
	c.compare(t, c.run(d, k, how), c.reference(rounding("f16")), tolerance("f16"))
}
