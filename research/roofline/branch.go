package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/acqnp/acqnp/internal/engine/cuda"
)

// A branch holds the sizes of a fused branch of width 128: hidden layers, outputs and the columns of
// the level, and whether the level has a gradient.
type branch struct {
	name                   string
	depth, outputs, inputs float64
	levels                 bool
}

// branches are those of ACQNP with the paper's sizes for lissajous. The decoder's level is ψ's output.
var branches = []branch{{"ψ", 5, 1, 1, false}, {"decoder", 3, 3, 1, true}}

const (
	width   = 128
	threads = 256                    // of a block
	levels  = 50                     // of a point
	points  = 128 * 53               // of a step
	rows    = points * levels        // of a step
	square  = float64(width * width) // weights of a layer
)

// stationary holds the kernels whose weights stay. Forward, a warp keeps a tile of rows in registers
// from layer to layer. Backward, a block keeps a layer's weights in shared memory and the sums of
// its gradient in registers while all of its rows pass.
type stationary struct {
	chip
	branch
	cuda.Shape
	element float64 // bytes of a hidden value
	chunks  float64 // parts of the rows, one for each multiprocessor
	parts   map[string]counted
}

// shapeOf returns the engine's shape of a precision for the chip. ok is false if there is none.
func shapeOf(c chip, precision string) (shape cuda.Shape, ok bool) {
	for _, of := range cuda.Shapes {
		if of.Precision == precision && of.Width == width && !of.Pairs && of.Capability <= c.capability {
			shape, ok = of, true
		}
	}
	return shape, ok
}

// newStationary returns the kernels of a shape, with the counts of their machine code.
func newStationary(c chip, b branch, shape cuda.Shape, counts []counted) (*stationary, error) {
	s := &stationary{chip: c, branch: b, Shape: shape, element: float64(2 * splits[shape.Precision].planes), chunks: c.multiprocessors, parts: map[string]counted{}}
	k := cuda.BranchKernels{Perceptron: cuda.Perceptron{Precision: s.Precision, Width: width}, Capability: s.Shape.Capability, Rows: s.Rows}
	for kernel, names := range map[string][]string{
		k.Forward():            {"first", "layer", "output"},
		k.Backward()[0].Kernel: {"top", "middle", "bottom", "bottom+levels", "chunk"},
	} {
		for _, name := range names {
			i := slices.IndexFunc(counts, func(c counted) bool { return c.kernel == kernel && c.sm == s.code && c.name == name })
			if i < 0 {
				return nil, fmt.Errorf("found no count of %s, part %s, for sm_%d: record the counts again", kernel, name, s.code)
			}
			s.parts[name] = counts[i]
		}
	}
	return s, nil
}

func (s *stationary) forward() kernel {
	hidden := s.depth - 1
	groups := math.Ceil(hidden / math.Min(float64(s.Resident), hidden))
	eights := math.Ceil(s.outputs / 8)
	first := s.parts["first"]
	tiles := math.Ceil(rows / float64(first.rows))
	rounds := tiles / (s.multiprocessors * warps)
	last := math.Ceil(rounds - math.Floor(rounds)) // some warps have one tile more than others
	row := s.element * width * rows
	return kernel{name: "branch_forward, " + s.branch.name, phases: []phase{
		// Reads base and levels, and the layers' weights before.
		{name: "first layer", warp: first.effort, passes: math.Floor(rounds), last: last,
			memory: 4*s.inputs*rows + 4*width*points + (groups-1)*row, l2: hidden * square * s.element * s.multiprocessors},
		{name: "layers", warp: s.parts["layer"].effort, passes: hidden * math.Floor(rounds), last: hidden * last, memory: hidden * row},
		{name: "output", warp: s.parts["output"].effort, passes: eights * math.Floor(rounds), last: eights * last, memory: 4 * s.outputs * rows},
	}}
}

func (s *stationary) backward() kernel {
	chunk := math.Ceil(points / s.chunks) // points
	chunks := math.Ceil(points / chunk)
	rounds := math.Ceil(chunks / s.multiprocessors) // a multiprocessor takes whole chunks
	tiles := rounds * math.Ceil(chunk*levels/float64(s.Rows))
	hidden, row := s.depth-1, s.element*width*rows
	bottom := "bottom"
	if s.levels {
		bottom = "bottom+levels"
	}
	return kernel{name: "branch_backward, " + s.branch.name, serial: s.Stages == 1, phases: []phase{
		// Each square layer reads h and dz and writes dz, but h_1 is computed again, dz of the last
		// layer made from h and the output's gradient, and dz_1 stays on the chip.
		{name: "last layer", warp: s.parts["top"].effort, passes: tiles, memory: 3*row + 4*s.outputs*rows},
		{name: "middle layers", warp: s.parts["middle"].effort, passes: (hidden - 2) * tiles, memory: (hidden - 2) * 3 * row},
		{name: "first layers", warp: s.parts[bottom].effort, passes: tiles, memory: row + 4*(s.outputs+2*s.inputs)*rows + 8*width*points},
		// The chunk's weights and its first tile are waited for, its sums are written.
		{name: "chunks", warp: s.parts["chunk"].effort, passes: rounds * hidden, wait: s.of(memoryTrip),
			l2: s.sums() + chunks*hidden*square*s.element, memory: s.spilled()},
	}}
}

// reduce adds the chunks' sums.
func (s *stationary) reduce() kernel {
	return kernel{name: "branch_reduce, " + s.branch.name, phases: []phase{{l2: s.sums(), memory: s.spilled()}}}
}

// sums returns the bytes of all chunks' gradients of the parameters. They are written once and read
// once. spilled returns those that the L2 does not hold.
func (s *stationary) sums() float64 {
	hidden := s.depth - 1
	return 4 * s.chunks * (hidden*square + width*(s.inputs+hidden+s.outputs) + s.outputs)
}
func (s *stationary) spilled() float64 {
	if s.sums() > s.of(l2Size)*1e6 {
		return s.sums()
	}
	return 0
}
