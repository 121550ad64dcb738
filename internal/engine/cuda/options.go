// Package cuda runs graphs on a GPU. New and NewTrainer compile a graph once, at its capacity, to a
// list of kernel launches, usually one or two for each unit (plan.Unit). The launches are captured
// as one CUDA graph, which a run replays. Kernels read the extents from the device's memory, so the
// same launches serve any extents within the capacity.
//
// An item is a unit or half of a branch; launches are ordered by item. A branch is a multilayer
// perceptron over the levels of all points, which fused kernels (kernels/branch.cu) can compute as
// a whole. A region is a part of the device's memory, which gets its address after all regions are
// planned.
//
// The package uses the device only through gpu.Driver, so it also runs on the emulator
// (kernels/emulator).
package cuda

import "github.com/acqnp/acqnp/internal/random"

// Precision is the precision of the matrix products in fused branches. Everything else is float32.
type Precision int

// The precisions, and the compute capability that each needs.
const (
	FP32 Precision = iota // any
	TF32                  // 8.0: 10 bits of significand, float32's range
	FP16                  // 7.5: 10 bits of significand, with loss scaling
)

func (p Precision) String() string { return [...]string{FP32: "fp32", TF32: "tf32", FP16: "fp16"}[p] }

// Options say how to run a graph. The zero value runs every operation with its own kernels, in
// float32.
type Options struct {
	Precision   Precision         // of fused branches; an error if the device lacks it
	Fused       bool              // run branches by fused kernels if there are kernels for their widths
	WeightDecay float64           // of a Trainer's Adam: an L2 penalty
	DrawLevels  *random.Generator // a Trainer draws the levels from it on the device; if nil they are an input
}
