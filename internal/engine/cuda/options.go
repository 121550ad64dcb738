// Package cuda runs graphs on a GPU: compiled once at capacity, memory planned by lifetimes, every operation one kernel
// launch or two, and all launches of a run captured as one graph that serves any extents within the capacity. It knows
// the device by gpu.Driver alone, so the same engine runs on a GPU and on the kernels' emulation on the host.
package cuda

import "github.com/acqnp/acqnp/internal/random"

// Precision is that of the matrix products of the fused quantile branch; all else is float32.
type Precision int

// The precisions, and the compute capability that each needs.
const (
	FP32 Precision = iota // any
	TF32                  // 8.0: 10 bits of significand, float32's range
	FP16                  // 7.5: 10 bits of significand, with loss scaling
)

func (p Precision) String() string { return [...]string{"fp32", "tf32", "fp16"}[p] }

// Options say how a graph is run. The zero value runs every operation by itself in float32.
type Options struct {
	Precision   Precision         // of the fused branch
	Fused       bool              // take the quantile branch in one kernel where its widths allow
	WeightDecay float64           // of a Trainer's Adam: an L2 penalty
	Levels      *random.Generator // makes a Trainer's quantile levels on the device; nil where they are an input
}
