package cuda

import (
	"fmt"

	"github.com/acqnp/acqnp/internal/engine/gpu"
	"github.com/acqnp/acqnp/internal/models/ops"
)

// Shape is the shape of the weight-stationary kernels (kernels/branch_f16.cu, branch_tf32.cu) for one
// width, on an architecture and its successors.
type Shape struct {
	Precision  string // "f16" or "tf32"
	Capability int    // compute capability, as gpu.Device.Capability counts
	Width      int    // of the hidden layers
	Resident   int    // layers whose weights the forward kernel has in shared memory at a time, at most
	Rows       int    // of a tile of the backward kernel
	Stages     int    // tiles in shared memory at a time: with 2, one is loaded while one is computed
	Chunks     int    // parts into which a run is divided, at most; sums over a part stay in registers
}

// Shapes holds a shape for each architecture and width. Chunks is no more than the number of
// multiprocessors of the architecture's usual GPUs, or a multiple of it (75: T4 40; 80: A100 108;
// 86: A10 72, A40 84; 89: L4 58, 4090 128, L40S 142; 90: H100 and H200 132). It is also small enough
// that the chunks' sums add less than 0.1 GB of reads and writes to a step of ACQNP.
var Shapes = []Shape{
	{Precision: "f16", Capability: 75, Width: 64, Resident: 4, Rows: 64, Stages: 2, Chunks: 120},
	{Precision: "f16", Capability: 75, Width: 128, Resident: 1, Rows: 32, Stages: 1, Chunks: 120},
	{Precision: "f16", Capability: 80, Width: 64, Resident: 8, Rows: 64, Stages: 2, Chunks: 108},
	{Precision: "f16", Capability: 80, Width: 128, Resident: 4, Rows: 64, Stages: 2, Chunks: 108},
	{Precision: "f16", Capability: 86, Width: 64, Resident: 8, Rows: 64, Stages: 2, Chunks: 72},
	{Precision: "f16", Capability: 86, Width: 128, Resident: 2, Rows: 32, Stages: 2, Chunks: 72},
	{Precision: "f16", Capability: 89, Width: 64, Resident: 8, Rows: 64, Stages: 2, Chunks: 116},
	{Precision: "f16", Capability: 89, Width: 128, Resident: 2, Rows: 32, Stages: 2, Chunks: 116},
	{Precision: "f16", Capability: 90, Width: 64, Resident: 8, Rows: 64, Stages: 2, Chunks: 124},
	{Precision: "f16", Capability: 90, Width: 128, Resident: 6, Rows: 64, Stages: 2, Chunks: 124},
	{Precision: "tf32", Capability: 80, Width: 64, Resident: 8, Rows: 32, Stages: 2, Chunks: 108},
	{Precision: "tf32", Capability: 80, Width: 128, Resident: 2, Rows: 32, Stages: 2, Chunks: 108},
	{Precision: "tf32", Capability: 86, Width: 64, Resident: 4, Rows: 32, Stages: 2, Chunks: 72},
	{Precision: "tf32", Capability: 86, Width: 128, Resident: 1, Rows: 16, Stages: 1, Chunks: 72},
	{Precision: "tf32", Capability: 89, Width: 64, Resident: 4, Rows: 32, Stages: 2, Chunks: 116},
	{Precision: "tf32", Capability: 89, Width: 128, Resident: 1, Rows: 16, Stages: 1, Chunks: 116},
	{Precision: "tf32", Capability: 90, Width: 64, Resident: 8, Rows: 32, Stages: 2, Chunks: 124},
	{Precision: "tf32", Capability: 90, Width: 128, Resident: 3, Rows: 32, Stages: 2, Chunks: 124},
}

// StationaryKernels describes the weight-stationary kernels for a multilayer perceptron of one
// shape, in half precision or tf32.
type StationaryKernels struct {
	Shape
	Inputs  int // columns of the level: 1, or 2 for [τ, u]
	Depth   int // hidden layers
	Outputs int // columns of the result
}

// Stationary returns the kernels of the newest architecture that the device supports and whose shared
// memory it has. ok is false if there are none for the perceptron.
func Stationary(d gpu.Device, b BranchKernels) (k StationaryKernels, ok bool) {
	if b.Inputs < 1 || b.Inputs > 2 || b.Depth < 2 || b.Outputs < 1 || b.Outputs > 16 {
		return k, false
	}
	for _, s := range Shapes {
		s.Resident = min(s.Resident, b.Depth-1)
		n := StationaryKernels{Shape: s, Inputs: b.Inputs, Depth: b.Depth, Outputs: b.Outputs}
		if s.Precision == b.Precision && s.Width == b.Width && s.Capability <= d.Capability() && max(n.ForwardShared(), n.BackwardShared()) <= d.SharedPerBlock {
			k, ok = n, true
		}
	}
	return k, ok
}

// layers returns the number of square layers.
func (k StationaryKernels) layers() int { return k.Depth - 1 }

// element returns the bytes of a weight or hidden value.
func (k StationaryKernels) element() int {
	if k.Precision == "f16" {
		return 2
	}
	return 4
}

// ForwardShared returns the dynamic shared memory of the forward kernel in bytes.
func (k StationaryKernels) ForwardShared() int {
	return k.element()*k.Resident*k.Width*k.Width + 4*k.Width*(k.Inputs+k.layers())
}

// BackwardShared returns the dynamic shared memory of the backward kernel in bytes.
func (k StationaryKernels) BackwardShared() int {
	tile := 2*k.Width + 16*ceilDiv(k.Outputs, 8) + 8 // elements of a row of dz and h, and of its output gradients
	return k.element()*(k.Width*k.Width+48*k.Rows+k.Stages*k.Rows*tile) + 8*k.Rows + 4*(k.Width*(3+k.Outputs)+128)
}

// Pack, Forward, Backward and Reduce return the names of the kernels that pack the parameters,
// compute the perceptron and its gradient, and add the chunks' sums.
func (k StationaryKernels) Pack() string {
	return fmt.Sprintf("branch_pack_%s_%d", k.Precision, k.Width)
}
func (k StationaryKernels) Forward() string {
	return fmt.Sprintf("branch_forward_%s_%d", k.Precision, k.Width)
}
func (k StationaryKernels) Backward() string {
	return fmt.Sprintf("branch_backward_%s_%dx%d", k.Precision, k.Width, k.Rows)
}
func (k StationaryKernels) Reduce() string { return "branch_reduce_chunks" }

// WeightBytes returns the size of the packed weights in bytes.
func (k StationaryKernels) WeightBytes() int {
	return k.element() * (2*k.layers()*k.Width*k.Width + 16*k.Width*(2*ceilDiv(k.Outputs, 8)+1))
}

// Vectors and Partials return the floats of the packed vectors and of a chunk's sums.
func (k StationaryKernels) Vectors() int {
	return k.Width*(k.Inputs+k.layers()+k.Outputs) + k.Outputs
}
func (k StationaryKernels) Partials() int { return k.layers()*k.Width*k.Width + roundUp(k.Vectors()) }

// HiddenBytes returns the size of the hidden values that the forward kernel writes for a number of
// rows. For a backward pass (keep) these are all layers but the first; otherwise only the values
// that pass from one group of resident layers to the next.
func (k StationaryKernels) HiddenBytes(rows int, keep bool) int {
	switch {
	case keep:
		return k.element() * k.layers() * rows * k.Width
	case k.Resident < k.layers():
		return k.element() * rows * k.Width
	}
	return 0
}

// persistent returns the shape of a launch with a block on each multiprocessor, at most n. The
// registers of the kernels allow no second one. Results have the same bits for any grid.
func (c *compiler) persistent(n, shared int) gpu.Dims {
	return gpu.Line(max(1, min(n, c.device.Multiprocessors)), BranchThreads, shared)
}

// packStationary reserves memory for a branch's packed parameters and hidden values, and adds the
// launch that packs the parameters. b.layout must be set.
func (c *compiler) packStationary(b *branch) {
	k := b.stationary
	b.weights, b.vectors = c.keep(ceilDiv(k.WeightBytes(), 4)), c.keep(k.Vectors())
	if n := k.HiddenBytes(b.layers[0].Out[0].Rows, b.grads != nil); n > 0 {
		b.hidden = c.keep(ceilDiv(n, 4))
	}
	c.emit(k.Pack(), c.over(2*k.Partials(), BranchThreads, BranchThreads), c.params, b.layout, written{b.weights}, written{b.vectors},
		k.Inputs, k.Depth, k.Outputs)
}

// stationaryForward adds the launch of a branch's forward kernel.
func (c *compiler) stationaryForward(b *branch) {
	k, first, out := b.stationary, b.layers[0], b.layers[b.Depth].Out[0]
	c.emit(k.Forward(), c.persistent(out.Rows, k.ForwardShared()), c.step, c.at(first.In[0]), c.at(first.In[1]), b.weights,
		b.vectors, written{b.hidden}, written{c.at(out)}, k.Resident, flag(b.grads != nil), k.Inputs, k.Depth, k.Outputs)
}

// stationaryBackward adds the two launches of a branch's gradient. The first writes the sums of every
// chunk. The second adds them.
func (c *compiler) stationaryBackward(b *branch) {
	k, first, begin, end := b.stationary, b.layers[0], b.grads[b.Depth], b.grads[0]
	partials := c.reserve(k.Chunks * k.Partials())
	c.emit(k.Backward(), c.persistent(k.Chunks, k.BackwardShared()), c.step, c.at(first.In[0]), c.at(first.In[1]), b.weights,
		b.vectors, c.at(begin.In[0]), written{b.hidden}, written{c.at(end.Out[ops.BaseGrad])}, written{c.at(end.Out[ops.InGrad])},
		written{partials}, k.Stages, k.Chunks, k.Inputs, k.Depth, k.Outputs)
	c.emit(k.Reduce(), c.over(k.Partials(), BranchThreads, BranchThreads), c.step, partials, k.Chunks, b.layout, written{c.grads},
		k.Inputs, k.Width, k.Depth, k.Outputs)
}
