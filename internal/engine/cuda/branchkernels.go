package cuda

import "fmt"

// BranchKernels describes the kernels of kernels/branch.cu for a multilayer perceptron of one
// shape: their names and the memory that they need.
type BranchKernels struct {
	Precision string // "f32"; "f16" and "tf32" have other kernels, see StationaryKernels
	Inputs    int    // columns of the level: 1, or 2 for [τ, u]
	Width     int    // of every hidden layer: a multiple of 16, at most 256
	Depth     int    // hidden layers, at least 1
	Outputs   int    // columns of the result
}

// BranchThreads is the block size of these kernels.
const BranchThreads = 256

// Supported reports whether there are kernels for the shape.
func (b BranchKernels) Supported() bool {
	return b.Precision == "f32" && (b.Inputs == 1 || b.Inputs == 2) && b.Width > 0 && b.Width <= 256 && b.Width%16 == 0 && b.Depth > 0 && b.Outputs > 0
}

// Constants of weights and activations in shared memory: the bytes of an element, the elements that
// pad a row, and the columns of a panel. A panel is the part of a weight that is loaded at a time.
const (
	elementBytes = 4
	padElements  = 4
	panelColumns = 32
)

// Rows returns the number of rows of the largest tile that fits a block's shared memory, given in
// bytes. ok is false if none fits.
func (b BranchKernels) Rows(backward bool, sharedPerBlock int) (rows int, ok bool) {
	for _, rows := range b.Tiles() {
		if b.Shared(rows, backward) <= sharedPerBlock {
			return rows, true
		}
	}
	return 0, false
}

// Tiles returns the numbers of rows of the tiles for which there are kernels, the largest first.
func (b BranchKernels) Tiles() []int {
	return []int{64, 32, 16}
}

// Shared returns the dynamic shared memory, in bytes, of the forward or backward kernel with tiles
// of the given number of rows.
func (b BranchKernels) Shared(rows int, backward bool) int {
	layers := 2
	if backward {
		layers = b.Depth
	}
	panels := max(panelColumns*(b.Width+padElements), b.Width*(panelColumns+padElements))
	return elementBytes*(layers*rows*(b.Width+padElements)+2*panels) + 4*roundUp(b.Vectors()) + 4*rows*(1+b.Inputs+b.Outputs)
}

// roundUp returns the next multiple of 4.
func roundUp(n int) int { return (n + 3) / 4 * 4 }

// Pack returns the name of the kernel that packs the parameters.
func (b BranchKernels) Pack() string { return "branch_pack_" + b.Precision }

// Forward returns the name of the forward kernel with tiles of the given number of rows.
func (b BranchKernels) Forward(rows int) string {
	return fmt.Sprintf("branch_forward_%s_%d", b.Precision, rows)
}

// Backward returns the name of the gradient's kernel with tiles of the given number of rows.
func (b BranchKernels) Backward(rows int) string {
	return fmt.Sprintf("branch_backward_%s_%d", b.Precision, rows)
}

// Reduce returns the name of the kernel that adds the blocks' sums.
func (b BranchKernels) Reduce() string { return "branch_reduce" }

// WeightBytes returns the size of the packed weights in bytes. It is at least 4, because memory of
// size 0 cannot be allocated.
func (b BranchKernels) WeightBytes() int {
	return max(4, elementBytes*(b.Depth-1)*b.Width*b.Width)
}

// Vectors returns the number of floats of the packed vectors.
func (b BranchKernels) Vectors() int { return b.Width*(b.Inputs+b.Depth-1+b.Outputs) + b.Outputs }

// Partials returns the number of sums, as floats, that each block of the backward kernel writes.
func (b BranchKernels) Partials() int { return (b.Depth-1)*b.Width*b.Width + roundUp(b.Vectors()) }
