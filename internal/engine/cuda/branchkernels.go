package cuda

import (
	"fmt"

	"github.com/acqnp/acqnp/kernels/gpu"
)

// BranchThreads is the block size of a branch's kernels.
const BranchThreads = 256

// A Perceptron is the multilayer perceptron of a branch, and the precision of its products.
type Perceptron struct {
	Precision string // "f32" or "f16", as in the names of the kernels
	Inputs    int    // columns of the level: 1, or 2 for [τ, u]
	Width     int    // of every hidden layer
	Depth     int    // hidden layers
	Outputs   int    // columns of the result
}

// BranchKernels describes the kernels (kernels/branch_f16.cu, branch_f32.cu) for a perceptron on an
// architecture and its successors: their names, and the memory that they need.
type BranchKernels struct {
	Perceptron
	Capability int // compute capability, as gpu.Device.Capability counts
	Resident   int // layers whose weights the forward kernel has in shared memory at a time, at most
	Rows       int // of a tile of the backward kernel
	Stages     int // tiles in shared memory at a time: with 2, one is loaded while one is computed
	Chunks     int // parts into which a run is divided, at most; sums over a part stay in registers
}

// Shape is what the kernels of one precision and width are compiled for: see BranchKernels.
type Shape struct {
	Precision                                 string
	Capability, Width, Resident, Rows, Stages int
}

// Shapes holds a shape for each precision, architecture and width. fp32 needs the matrix unit's tf32,
// which Turing (75) lacks.
var Shapes = []Shape{
	{"f16", 75, 64, 4, 64, 2},
	{"f16", 75, 128, 1, 32, 1},
	{"f16", 80, 64, 8, 64, 2},
	{"f16", 80, 128, 4, 64, 2},
	{"f16", 86, 64, 8, 64, 2},
	{"f16", 86, 128, 2, 32, 2},
	{"f16", 90, 64, 8, 64, 2},
	{"f16", 90, 128, 6, 64, 2},
	{"f32", 80, 64, 8, 32, 2},
	{"f32", 80, 128, 2, 32, 2},
	{"f32", 86, 64, 4, 32, 2},
	{"f32", 86, 128, 1, 16, 1},
	{"f32", 90, 64, 8, 32, 2},
	{"f32", 90, 128, 3, 32, 2},
}

// Kernels returns the kernels of the newest architecture that the device supports and whose shared
// memory it has. ok is false if there are none for the perceptron. A run has a chunk for each
// multiprocessor, so the last bits of a sum depend on the GPU's model, not on the run.
func Kernels(d gpu.Device, p Perceptron) (k BranchKernels, ok bool) {
	if p.Inputs < 1 || p.Inputs > 2 || p.Depth < 2 || p.Outputs < 1 || p.Outputs > 16 {
		return k, false
	}
	for _, s := range Shapes {
		n := BranchKernels{p, s.Capability, min(s.Resident, p.Depth-1), s.Rows, s.Stages, max(1, d.Multiprocessors)}
		if s.Precision == p.Precision && s.Width == p.Width && s.Capability <= d.Capability() && max(n.ForwardShared(), n.BackwardShared()) <= d.SharedPerBlock {
			k, ok = n, true
		}
	}
	return k, ok
}

// layers returns the number of square layers.
func (k BranchKernels) layers() int { return k.Depth - 1 }

// element returns the bytes of a weight or hidden value.
func (k BranchKernels) element() int {
	if k.Precision == "f16" {
		return 2
	}
	return 4
}

// eights returns the number of times eight outputs, as the tables of the output have them.
func (k BranchKernels) eights() int { return ceilDiv(k.Outputs, 8) }

// ForwardShared returns the dynamic shared memory of the forward kernel in bytes.
func (k BranchKernels) ForwardShared() int {
	return k.element()*k.Width*(k.Resident*k.Width+16*k.eights()) + 4*(k.Width*(k.Inputs+k.layers())+16)
}

// BackwardShared returns the dynamic shared memory of the backward kernel in bytes.
func (k BranchKernels) BackwardShared() int {
	row := k.element()*(2*k.Width+24+16*k.eights()+8) + 4*3 // dz and h, slots of its level and gradients; its point and level
	bases := 4 * (2 + k.Rows/64) * k.Width
	return k.element()*k.Width*k.Width + k.Stages*(k.Rows*row+bases) + 4*(k.Width*(5+k.Outputs)+128)
}

// Pack, Forward and Backward return the names of the kernels that pack the parameters and compute the
// perceptron and its gradient.
func (k BranchKernels) Pack() string {
	return fmt.Sprintf("branch_pack_%s_%d", k.Precision, k.Width)
}
func (k BranchKernels) Forward() string {
	return fmt.Sprintf("branch_forward_%s_%d", k.Precision, k.Width)
}
func (k BranchKernels) Backward() string {
	return fmt.Sprintf("branch_backward_%s_%dx%d", k.Precision, k.Width, k.Rows)
}

// WeightBytes returns the size of the packed weights in bytes.
func (k BranchKernels) WeightBytes() int {
	return k.element() * (2*k.layers()*k.Width*k.Width + 16*k.Width*(2*k.eights()+1))
}

// Vectors and Partials return the floats of the packed vectors and of a chunk's sums.
func (k BranchKernels) Vectors() int {
	return k.Width*(k.Inputs+k.layers()+k.Outputs) + k.Outputs
}
func (k BranchKernels) Partials() int { return k.layers()*k.Width*k.Width + (k.Vectors()+3)/4*4 }

// HiddenBytes returns the size of the hidden values that the forward kernel writes for a number of
// rows. For a backward pass (keep) these are all layers but the first; otherwise only the values
// that pass from one group of resident layers to the next.
func (k BranchKernels) HiddenBytes(rows int, keep bool) int {
	switch {
	case keep:
		return k.element() * k.layers() * rows * k.Width
	case k.Resident < k.layers():
		return k.element() * rows * k.Width
	}
	return 0
}
