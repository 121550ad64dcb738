// Package cuda runs graphs on a GPU. New and NewTrainer compile a graph once, at its capacity, to
// kernel launches. A run replays them as one CUDA graph, in which launches that do not depend on
// each other may run at the same time. Kernels read the extents from the device's memory, so the
// same launches serve any extents within the capacity.
//
// An item is a unit (analysis.Unit), two of them, or half of a branch. A branch is a multilayer
// perceptron over the levels of all points, or of the points or the context alone, which fused kernels
// (kernels/branch.h) can compute as a whole. Each item becomes a few steps. A step is a launch of its
// own, or a lane: tasks that run one after another on the same rows. Lanes of the same kind that do not
// depend on each other share a launch. A region is a part of the device's memory, which gets its
// address after all regions are planned.
//
// The package uses the device only through gpu.Driver, so it also runs on the emulator
// (kernels/emulator).
package cuda

import "github.com/acqnp/acqnp/internal/random"

// Precision is the precision of the matrix products in fused branches over levels. Everything else is
// float32.
type Precision int

// The precisions, and the compute capability that each needs.
const (
	FP32 Precision = iota // any; fused as Shapes says
	FP16                  // 7.5: 10 bits of significand, with loss scaling
)

func (p Precision) String() string { return [...]string{FP32: "fp32", FP16: "fp16"}[p] }

// Options say how to run a graph. The zero value runs every operation with its own kernels, in
// float32.
type Options struct {
	Precision   Precision         // of fused branches
	Fused       bool              // run branches by fused kernels if there are kernels for their widths
	WeightDecay float64           // of a Trainer's Adam: an L2 penalty
	Synchronous bool              // wait for each launch, without a graph, so that an error names its kernel
	NoPairs     bool              // run branches without the kernels for sm_90a
	NoEarly     bool              // start no launch before the one before it has ended
	Check       *PairCheck        // what decides whether the kernels for sm_90a are used; nil: they are
	DrawLevels  *random.Generator // a Trainer draws the levels from it on the device; if nil, they are an input
}
