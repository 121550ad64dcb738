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
	Outputs   int    // columns of the result; 0: the last hidden layer has no ReLU and is the result
	MLP       bool   // its rows are not those of levels: it has kernels of its own
	Biased    bool   // the base is the bias of the first layer
}

// terms returns the columns of the first layer's weight, with the bias.
func (p Perceptron) terms() int {
	if p.Biased {
		return p.Inputs + 1
	}
	return p.Inputs
}

// mostTerms is the most terms of kernels of an MLP. Other branches have two.
const mostTerms = 8

// BranchKernels describes the kernels (kernels/branch_f16.cu, branch_f32.cu) for a perceptron on an
// architecture and its successors: their names, and the memory that they need.
type BranchKernels struct {
	Perceptron
	Capability int  // compute capability, as gpu.Device.Capability counts
	Pairs      bool // the kernels of branch_f16_pairs.cu, which take two layers a pass
	Resident   int  // layers whose weights the forward kernel has in shared memory at a time, at most
	Rows       int  // of a tile of the backward kernel
	Stages     int  // tiles in shared memory at a time: with 2, one is loaded while one is computed
	Chunks     int  // parts into which a run is divided, at most; sums over a part stay in registers
}

// Shape is what the kernels of one precision and width are compiled for: see BranchKernels.
type Shape struct {
	Precision                                 string
	Capability, Width, Resident, Rows, Stages int
	Pairs                                     bool
}

// Shapes holds a shape for each precision, architecture and width.
var Shapes = []Shape{
	{"f16", 75, 64, 4, 64, 2, false},
	{"f16", 75, 128, 1, 32, 1, false},
	{"f16", 80, 64, 8, 64, 2, false},
	{"f16", 80, 128, 4, 64, 2, false},
	{"f16", 86, 64, 8, 64, 2, false},
	{"f16", 86, 128, 2, 32, 2, false},
	{"f16", 90, 64, 8, 64, 2, false},
	{"f16", 90, 128, 6, 64, 2, false},
	{"f16", 90, 64, 20, 128, 1, true},
	{"f16", 90, 128, 5, 128, 1, true},
	{"f32", 75, 64, 2, 32, 2, false},
	{"f32", 75, 128, 1, 16, 1, false},
	{"f32", 80, 64, 8, 32, 2, false},
	{"f32", 80, 128, 2, 32, 2, false},
	{"f32", 86, 64, 4, 32, 2, false},
	{"f32", 86, 128, 1, 16, 1, false},
	{"f32", 90, 64, 8, 32, 2, false},
	{"f32", 90, 128, 3, 32, 2, false},
}

// Kernels returns the kernels of the newest architecture that the device supports and whose shared
// memory it has; Hopper's own if it has them and the weights of all layers fit. ok is false if there are none for the perceptron. A run has a chunk for each
// multiprocessor, so the last bits of a sum depend on the GPU's model, not on the run.
func Kernels(d gpu.Device, p Perceptron) (k BranchKernels, ok bool) {
	most, least := 2, 1
	if p.MLP {
		most, least = mostTerms, 0
	}
	if p.Inputs < 1 || p.terms() > most || p.Depth < 2 || p.Outputs < least || p.Outputs > 16 {
		return k, false
	}
	for _, s := range Shapes {
		n := BranchKernels{p, s.Capability, s.Pairs, min(s.Resident, p.Depth-1), s.Rows, s.Stages, max(1, d.Multiprocessors)}
		if s.Precision != p.Precision || s.Width != p.Width || s.Capability > d.Capability() || s.Pairs && (!d.Hopper || s.Resident < p.Depth-1) {
			continue
		}
		if max(n.ForwardShared(), n.BackwardShared()) <= d.SharedPerBlock {
			k, ok = n, true
		}
	}
	return k, ok
}

// layers returns the number of square layers.
func (k BranchKernels) layers() int { return k.Depth - 1 }

// planes returns the number of halves of a weight or hidden value.
func (k BranchKernels) planes() int {
	if k.Precision == "f16" {
		return 1
	}
	return 2
}

// eights returns the number of times eight outputs, as the tables of the output have them.
func (k BranchKernels) eights() int { return ceilDiv(k.Outputs, 8) }

// small reports whether the kernels have only the high halves of the weights in shared memory. Turing's 64
// KB are as much as both halves of a layer of width 128.
func (k BranchKernels) small() bool { return k.planes() > 1 && k.Width == 128 && k.Capability < 80 }

// held returns the halves of a weight that are in shared memory.
func (k BranchKernels) held() int {
	if k.small() {
		return 1
	}
	return k.planes()
}

// imageAlign are the bytes that images in shared memory may lose to their alignment, to 1024.
const imageAlign = 1008

// image returns the bytes of a layer's weights.
func (k BranchKernels) image() int { return 2 * k.Width * k.Width }

// ForwardShared returns the dynamic shared memory of the forward kernel in bytes.
func (k BranchKernels) ForwardShared() int {
	if k.Pairs {
		rows := 2 * 64 * k.Width // of a warpgroup, on their way to memory
		return imageAlign + k.layers()*k.image() + 3*rows + 16 + 32*k.Width*k.eights() + 4*(k.Width*(k.Inputs+k.layers())+16)
	}
	return 2*k.Width*(k.Resident*k.held()*k.Width+16*k.eights()) + 4*(k.Width*(k.terms()+k.layers())+16)
}

// BackwardShared returns the dynamic shared memory of the backward kernel in bytes.
func (k BranchKernels) BackwardShared() int {
	if k.Pairs {
		tables := 2 * k.Rows * (24 + 16*k.eights() + 8) // a row's slots of its level and gradients
		return imageAlign + 2*k.image() + 4*2*k.Rows*k.Width + 288 + tables + 4*(k.Width*(11+k.Outputs)+128+3*k.Rows)
	}
	levels, terms := 2, 2
	if k.MLP {
		levels, terms = 8, mostTerms
	}
	row := 2*(2*k.planes()*k.Width+24+16*max(1, k.eights())+8) + 4*(1+levels) // dz and h, slots of its level and gradients; its point and level
	bases := 4 * (2 + k.Rows/64) * k.Width
	return 2*k.held()*k.Width*k.Width + k.Stages*(k.Rows*row+bases) + 4*(k.Width*(2*terms+1+k.Outputs)+136)
}

// Pack and Forward return the names of the kernels that pack the parameters and compute the perceptron.
func (k BranchKernels) Pack() string    { return k.kernel("pack") }
func (k BranchKernels) Forward() string { return k.kernel("forward") }

// kernel returns the name of a kernel without what follows the width.
func (k BranchKernels) kernel(does string) string {
	form := k.Precision
	switch {
	case k.Pairs:
		form += "_pairs"
	case k.small():
		form += "s"
	}
	group := "branch"
	if k.MLP && does != "pack" {
		group = "mlp"
	}
	return fmt.Sprintf("%s_%s_%s_%d", group, does, form, k.Width)
}

// A Pass is a launch of the gradient: a kernel, and the lowest square layer that it computes.
type Pass struct {
	Kernel string
	Layer  int
}

// Backward returns the launches that compute the gradient.
func (k BranchKernels) Backward() []Pass {
	name, layers := k.kernel("backward"), k.layers()
	switch {
	case !k.Pairs:
		return []Pass{{fmt.Sprintf("%sx%d", name, k.Rows), 0}}
	case layers == 1:
		return []Pass{{name + "_only", 0}}
	case layers == 2:
		return []Pass{{name + "_whole", 0}}
	}
	passes := []Pass{{name + "_top", layers - 2}}
	for layer := layers - 4; layer > 0; layer -= 2 {
		passes = append(passes, Pass{name + "_middle", layer})
	}
	if layers%2 == 1 {
		return append(passes, Pass{name + "_last", 0})
	}
	return append(passes, Pass{name + "_bottom", 0})
}

// WeightBytes returns the size of the packed weights in bytes.
func (k BranchKernels) WeightBytes() int {
	copies := 2 // W and its transpose
	if k.Pairs {
		copies = 1
	}
	return 2 * (copies*k.layers()*k.planes()*k.Width*k.Width + 16*k.Width*(2*k.eights()+1))
}

// Vectors and Partials return the floats of the packed vectors and of a chunk's sums.
func (k BranchKernels) Vectors() int {
	return k.Width*(k.terms()+k.layers()+k.Outputs) + k.Outputs
}
func (k BranchKernels) Partials() int { return k.layers()*k.Width*k.Width + (k.Vectors()+3)/4*4 }

// HiddenBytes returns the size of the hidden values that the forward kernel writes for at most so many
// points and levels. For a backward pass (keep) these are all layers but the first, and in fp32 a scale for
// each tile of the backward kernel; or with Pairs the inputs of all passes but the last, in tiles of each
// chunk; otherwise only the values that pass from one group of resident layers to the next.
func (k BranchKernels) HiddenBytes(points, levels int, keep bool) int {
	row, rows := 2*k.planes()*k.Width, points*levels
	switch {
	case k.Pairs && keep:
		chunk := max(ceilDiv(points, k.Chunks)*levels, chunkRows+levels-1)
		return row * (len(k.Backward()) - 1) * k.Chunks * ceilDiv(chunk, k.Rows) * k.Rows
	case keep:
		return row*k.layers()*rows + 4*(k.planes()-1)*(rows/k.Rows+k.Chunks)
	case k.Resident < k.layers():
		return row * rows
	}
	return 0
}

// chunkRows is CHUNK_ROWS of kernels/branch.h.
const chunkRows = 128

// pairThreads is the block size of the forward kernel with Pairs.
const pairThreads = 384

// ForwardThreads returns the block size of the forward kernel.
func (k BranchKernels) ForwardThreads() int {
	if k.Pairs {
		return pairThreads
	}
	return BranchThreads
}
