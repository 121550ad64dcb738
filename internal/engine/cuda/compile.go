package cuda

import (
	"errors"
	"slices"

	"github.com/acqnp/acqnp/internal/engine/analysis"
	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/kernels/gpu"
)

// compiler turns a graph into steps, lets steps share launches, and plans which regions can use the
// same memory at different times.
type compiler struct {
	memory
	source   *ops.Graph // the graph
	device   gpu.Device
	check    *PairCheck
	doubted  bool // the check has found that the kernels for sm_90a differ
	blocks   int  // the most blocks of a launch
	branches []*branch
	missed   int // branches without fused kernels
	asked    Precision
	scaled   bool // the loss is multiplied by the loss scale
	levels   bool // the levels are drawn on the device
	items    []*item
	steps    []*step // of the items, before they share launches
	where    map[*analysis.Value]region
	strides  map[*analysis.Value]int // of weights and their gradients: the distance between rows
	step     region                  // struct Step: the extents, and what else changes from step to step; then the inputs
	uploaded int                     // the length of step and all inputs, in float32s
	params   region                  // the flat parameter vector
	grads    region                  // the flat gradient vector; no memory if the graph has none
	n        int                     // length of both
	cost     region                  // no memory if the graph has none
	inputs   map[string]region
	outputs  map[string]region
	tables   []table
	training region // struct Training; no memory unless in a trainer
	launches []*launch
}

// stepBytes is the size of struct Step of kernels/extents.h.
const stepBytes = 32

// levelsInput is the name of the input of quantile levels.
const levelsInput = "u"

// compile turns a graph into launches on a device, for evaluation or for training.
func compile(d gpu.Driver, g *ops.Graph, o Options, training bool) (*compiler, error) {
	a, err := analysis.Analyse(g)
	if err != nil {
		return nil, err
	}
	c := &compiler{source: g, device: d.Device(), check: o.Check, asked: o.Precision, where: map[*analysis.Value]region{}, strides: map[*analysis.Value]int{}, inputs: map[string]region{}, outputs: map[string]region{}}
	c.sides, c.distance = 1, map[*analysis.Buffer]int{}
	if training {
		c.sides = 2
	}
	c.blocks = blocksPerMultiprocessor * max(1, c.device.Multiprocessors)
	c.device.Hopper = c.device.Hopper && !o.NoPairs
	if o.Fused {
		if err := c.findBranches(a); err != nil {
			return nil, err
		}
	}
	c.scaled = training && c.asked == FP16
	if c.items = order(c.cut(a)); c.items == nil {
		return nil, errors.New("cuda: a fused branch reads a value that depends on its own result")
	}
	c.levels = o.DrawLevels != nil && slices.ContainsFunc(g.Inputs, func(in ops.Input) bool { return in.Name == levelsInput })
	if training {
		c.training = c.keep(trainingBytes / 4)
	}
	weights := c.keepLeaves(a)
	gradients, err := c.keepResults(a)
	if err != nil {
		return nil, err
	}
	if err := c.reserveValues(); err != nil {
		return nil, err
	}
	c.copyBlocks("load_blocks", weights, c.params, weights.at)
	c.packBranches()
	c.drawLevels(o)
	for _, it := range c.items {
		if err := c.lower(it); err != nil {
			return nil, err
		}
	}
	c.copyBlocks("store_blocks", gradients, gradients.at, c.grads)
	return c, nil
}

// finish lets the steps share launches and plans when memory is in use.
func (c *compiler) finish() {
	c.steps = lanes(c.steps)
	schedule(c.steps)
	for _, g := range groups(c.steps) {
		c.launches = append(c.launches, c.together(g))
	}
	c.memory.live(c.steps)
}

// Precision returns the precision of the matrix products: that of the options if a branch has fused
// kernels in it, otherwise FP32.
func (c *compiler) Precision() Precision { return c.asked }

// Unfused reports whether the graph has a branch for which there are no fused kernels, on this device or
// for its widths.
func (c *compiler) Unfused() bool { return c.missed > 0 }

// Pairs reports whether branches run on Hopper's own instructions.
func (c *compiler) Pairs() bool {
	return slices.ContainsFunc(c.branches, func(b *branch) bool { return b.BranchKernels.Pairs })
}

// Doubted reports whether branches do not run on Hopper's own instructions because Options.Check has found
// that their kernels differ from the others.
func (c *compiler) Doubted() bool { return c.doubted }

// cut groups the units into items: those of the branches, one for each pair of units that one kernel
// computes, and one for every other unit.
func (c *compiler) cut(a *analysis.Analysis) []*item {
	within := map[*analysis.Unit]bool{}
	var items []*item
	for _, b := range c.branches {
		for _, it := range b.items() {
			items = append(items, it)
			for _, u := range it.units {
				within[u] = true
			}
		}
	}
	for _, u := range a.Units {
		if within[u] {
			continue
		}
		it := itemOf(u)
		if next := partner(u); next != nil && !within[next] {
			it, within[next] = pairOf(u, next), true
		}
		items = append(items, it)
	}
	return items
}

// drawLevels adds the task that draws the levels, if the device draws them.
func (c *compiler) drawLevels(o Options) {
	if !c.levels {
		return
	}
	seed, stream := o.DrawLevels.Key()
	c.put(byPiece, task{op: drawLevels, s: int(ops.Row), seed: seed, stream: uint32(stream),
		out: c.inputs[levelsInput]})
}
