//go:build simt || gpu

package kernels

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/acqnp/acqnp/internal/engine/cuda"
	"github.com/acqnp/acqnp/internal/models/ops"
)

// mlpCase returns a case of the kernels of an MLP. A base that is a parameter is the bias of the first
// layer.
func mlpCase(inputs, width, depth, outputs int, s, above ops.Space, e ops.Extents, how branchRun) (*branchCase, cuda.BranchKernels) {
	p := cuda.Perceptron{Precision: how.precision, Inputs: inputs, Width: width, Depth: depth, Outputs: outputs, MLP: true, Biased: above == ops.Parameter}
	return newBranchCase(p, s, above, e), kernelsFor(p, how)
}

// TestMLP compares the kernels of an MLP with the float64 reference: encoders, whose result has the width of
// a hidden layer, and decoders, with a base for each group, for each row and for some rows.
func TestMLP(t *testing.T) {
	for _, s := range []struct {
		inputs, width, depth, outputs int
		space, above                  ops.Space
		e                             ops.Extents
		how                           branchRun
	}{
		{3, 64, 3, 0, ops.Context, ops.Parameter, ops.Extents{Groups: 3, Context: 23, Points: 2}, branchRun{capability: 90, chunks: 3, blocks: 2}},
		{7, 64, 2, 0, ops.Context, ops.Parameter, ops.Extents{Groups: 1, Context: 1, Points: 2}, branchRun{capability: 80, chunks: 3, blocks: 2}},
		{1, 64, 3, 4, ops.Point, ops.Group, ops.Extents{Groups: 5, Context: 2, Points: 53}, branchRun{capability: 86, chunks: 4, blocks: 3}},
		{5, 64, 2, 16, ops.Point, ops.Point, ops.Extents{Groups: 2, Context: 2, Points: 37}, branchRun{capability: 90, chunks: 2, blocks: 1}},
		{2, 64, 4, 0, ops.Resample, ops.Context, ops.Extents{Groups: 2, Context: 3, Points: 2, Levels: 7}, branchRun{capability: 90, chunks: 2, blocks: 1}},
		{3, 128, 4, 0, ops.Context, ops.Parameter, ops.Extents{Groups: 2, Context: 41}, branchRun{capability: 90, chunks: 8, blocks: 5}},
		{3, 128, 3, 0, ops.Context, ops.Parameter, ops.Extents{Groups: 2, Context: 23}, branchRun{capability: 86, chunks: 2, blocks: 1}},
		{1, 128, 3, 4, ops.Point, ops.Group, ops.Extents{Groups: 3, Points: 33}, branchRun{capability: 80, chunks: 3, blocks: 2}},
	} {
		t.Run(fmt.Sprintf("%+v", s), func(t *testing.T) {
			s.how.precision = "f32"
			c, k := mlpCase(s.inputs, s.width, s.depth, s.outputs, s.space, s.above, s.e, s.how)
			c.avoidKinks(t, rounding("f32"))
			c.compare(t, c.run(newDevice(t), k, s.how), c.reference(rounding("f32")), tolerance("f32"))
		})
	}
}

// The gradient of the mean over each group's rows need not be written for every row.
func TestMLPOfAMean(t *testing.T) {
	how := branchRun{precision: "f32", capability: 90, chunks: 3, blocks: 2}
	c, k := mlpCase(3, 64, 3, 0, ops.Context, ops.Parameter, ops.Extents{Groups: 3, Context: 21}, how)
	c.ofMean()
	for _, sums := range c.inputsOfReLUs(rounding("f32")) {
		// A float32 sum of some hundred numbers and a float64 sum differ by less.
		if slices.ContainsFunc(sums, func(v float64) bool { return math.Abs(v) < 1e-6 }) {
			t.Fatal("an input of a ReLU is too close to 0; take other numbers")
		}
	}
	c.compare(t, c.run(newDevice(t), k, how), c.reference(rounding("f32")), tolerance("f32"))
}

// Any grid and any order of threads and blocks give the same bits.
func TestMLPAtAnyGrid(t *testing.T) {
	for _, outputs := range []int{0, 3} {
		how := branchRun{precision: "f32", capability: 90, chunks: 5, blocks: 1}
		s, above := ops.Context, ops.Parameter
		if outputs > 0 {
			s, above = ops.Point, ops.Group
		}
		c, k := mlpCase(3, 64, 3, outputs, s, above, ops.Extents{Groups: 4, Context: 37, Points: 35}, how)
		d := newDevice(t)
		want := c.tensors(c.run(d, k, how))
		for i, blocks := range []int{2, 3, 7} {
			d.Driver = d.orders[i]
			how.blocks = blocks
			for name, v := range c.tensors(c.run(d, k, how)) {
				same := func(a, b float64) bool { return a == b || a != a && b != b }
				if !slices.EqualFunc(v, want[name], same) {
					t.Errorf("%d outputs: %s differs with %d blocks", outputs, name, blocks)
				}
			}
		}
	}
}
