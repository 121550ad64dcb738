package main

import (
	"math"

	"github.com/acqnp/acqnp/internal/engine/cuda"
)

// A branch holds the sizes of a fused branch of width 128 in half precision: hidden layers, outputs
// and the columns of the level.
type branch struct {
	name                   string
	depth, outputs, inputs float64
}

// branches are those of ACQNP with the paper's sizes for lissajous.
var branches = []branch{{"ψ", 5, 1, 1}, {"decoder", 3, 3, 1}}

const (
	width    = 128
	levels   = 50                              // of a point
	rows     = 128 * 53 * levels               // of a step
	square   = width * width                   // weights of a layer
	products = square * 2 / (16 * 8 * 16 * 2.) // m16n8k16 of a row and layer
	row      = 2 * width                       // bytes of a row of a hidden layer
	trip     = 600                             // cycles of a read of the L2 or the memory
	barrier  = 60                              // cycles of a barrier
)

// stationary holds the kernels whose weights stay. Forward, a warp keeps 32 rows in registers from
// layer to layer. Backward, a block keeps a layer's weights in shared memory and the sums of its
// gradient in registers while all of its rows pass.
type stationary struct {
	chip
	branch
	shape
}

// A shape is how the kernels of an architecture divide the work: rows of a tile and its buffers
// backward, layers of weights in shared memory forward, and chunks of rows.
type shape struct{ r, stages, resident, chunks float64 }

// newStationary takes the engine's shape of half precision for the chip.
func newStationary(c chip, b branch) stationary {
	s := stationary{chip: c, branch: b}
	for _, of := range cuda.Shapes {
		if of.Precision == "f16" && of.Width == width && of.Capability <= c.capability {
			s.shape = shape{float64(of.Rows), float64(of.Stages), float64(of.Resident), float64(of.Chunks)}
		}
	}
	return s
}

func (s stationary) forward() kernel {
	hidden := s.depth - 1
	groups := math.Ceil(hidden / s.resident)
	layer := phase{products: products, shared: products * 128, instructions: 540. / 32, memory: row}
	bytes := s.l2 * 1e3 / (s.clock * s.multiprocessors) // of the L2 for a multiprocessor in a cycle
	ends := phase{                                      // the first layer, and the output, whose weights have two parts
		products: math.Ceil(s.outputs/8) * products / 8, instructions: 40 + 12*s.outputs,
		shared: 8*width + 2*row*math.Ceil(s.outputs/8),
		memory: 4*(1+s.outputs) + 4*width/float64(levels) + (groups-1)*row,
		// the first loads of a warp's rows, and of the weights of all layers
		latency: 2*trip/256. + hidden*2*square/bytes*s.multiprocessors/rows,
	}
	return kernel{name: "branch_forward, " + s.branch.name, phases: []phase{layer.times(hidden), ends}, prefetch: true}
}

func (s stationary) backward() kernel {
	hidden := s.depth - 1
	input := map[float64]float64{128: 192, 64: 256, 32: 384}[s.r]
	layer := phase{
		products: 2*products + products/32,
		shared:   products*(input+192) + 4*row, // both operands are written to a tile, the mask read, the result written
		// In the machine code for sm_90, a warp has 66 for 16 rows in the loop of dW, about 180 for 64 rows
		// of dX and 60 for the copy of a tile of 64 rows; 8 warps.
		instructions: 63,
		memory:       3 * row, // h and dz are read, dz is written
		latency:      2*barrier/s.r + 3*trip*s.chunks/rows,
	}
	if s.stages == 1 {
		layer.latency += trip / s.r
	}
	layers := layer.times(hidden)
	layers.memory -= 2 * row     // h_1 is computed again, its dz stays on the chip
	ends := s.read().plus(phase{ // the sums are written as they are read
		products: 0.24 * products, instructions: 60 + 10*s.outputs, shared: 6*row + 8*width,
		memory:  4*(2*s.outputs+2) + 8*width/float64(levels),
		latency: (4*barrier + 2*trip) / s.r,
	})
	return kernel{name: "branch_backward, " + s.branch.name, phases: []phase{layers, ends},
		chunks: s.chunks, prefetch: s.stages > 1, serial: s.stages == 1}
}

// reduce adds the chunks' sums.
func (s stationary) reduce() kernel {
	return kernel{name: "branch_reduce, " + s.branch.name, phases: []phase{s.read()}}
}

// read returns the phase that reads the chunks' sums, from the L2 or, if they do not fit, from memory.
func (s stationary) read() phase {
	ph := phase{l2: s.sums() / rows}
	if s.sums() > s.l2Size*1e6 {
		ph.memory = ph.l2
	}
	return ph
}

// sums returns the bytes of all chunks' gradients of the parameters. They are written once and read
// once.
func (s stationary) sums() float64 {
	hidden := s.depth - 1
	return 4 * s.chunks * (hidden*square + width*(s.inputs+hidden+s.outputs) + s.outputs)
}
