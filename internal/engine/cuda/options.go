// Package cuda runs graphs on a GPU. A graph is compiled once, at its capacity, to a list of kernel
// launches, one or two for each unit (plan.Unit). The launches are captured as one CUDA graph, and
// a run replays that: kernels read the extents from the device's memory, so it serves any within
// the capacity.
//
// An item is what the order of launches is made of: a unit, or half of a branch. A branch is the
// multilayer perceptron over the levels of all points, which fused kernels (kernels/branch.cu) can
// compute as a whole. A region is memory on the device, whose address is known once all regions
// are.
//
// The package uses the device only through gpu.Driver, so it also runs on the emulator
// (kernels/emulator).
package cuda

import "github.com/acqnp/acqnp/internal/random"

// Precision is that of the matrix products in fused branches. All else is float32.
type Precision int

// The precisions, and the compute capability that each needs.
const (
	FP32 Precision = iota // any
	TF32                  // 8.0: 10 bits of significand, float32's range
	FP16                  // 7.5: 10 bits of significand, with loss scaling
)

func (p Precision) String() string { return [...]string{FP32: "fp32", TF32: "tf32", FP16: "fp16"}[p] }

// Options say how to run a graph. The zero value runs every operation by itself, in float32.
type Options struct {
	Precision   Precision         // of fused branches
	Fused       bool              // run branches by fused kernels where their widths allow
	WeightDecay float64           // of a Trainer's Adam: an L2 penalty
	DrawLevels  *random.Generator // a Trainer draws the levels from it on the device; nil: they are an input
}
