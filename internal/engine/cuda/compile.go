package cuda

import (
	"errors"
	"fmt"

	"github.com/acqnp/acqnp/internal/engine/plan"
	"github.com/acqnp/acqnp/internal/gpu"
	"github.com/acqnp/acqnp/internal/ops"
)

// compiler turns a graph into launches, ordered so that values are needed for a short time, and
// plans memory by these times.
type compiler struct {
	memory
	of       *ops.Graph // the graph
	device   gpu.Device
	blocks   int // the most blocks of a launch
	branches []*branch
	scaled   bool // the loss is multiplied by the loss scale
	levels   bool // the levels are drawn on the device
	items    []*item
	now      int // the item that launches are being added for
	where    map[*plan.Value]region
	step     region // struct Step: the extents, and what else changes from step to step
	params   region // the flat parameter vector
	grads    region // the flat gradient vector; no memory if the graph has none
	n        int    // length of both
	cost     region // no memory if the graph has none
	inputs   map[string]region
	outputs  map[string]region
	tables   []table
	training region // struct Training; no memory unless in a trainer
	launches []launch
}

// stepBytes is the size of struct Step of kernels/extents.h.
const stepBytes = 32

// levelsInput is the name of the input of quantile levels.
const levelsInput = "u"

// compile turns a graph into launches on a device, for evaluation or for training.
func compile(d gpu.Driver, g *ops.Graph, o Options, training bool) (*compiler, error) {
	a, err := plan.Analyse(g)
	if err != nil {
		return nil, err
	}
	c := &compiler{of: g, device: d.Device(), where: map[*plan.Value]region{}, inputs: map[string]region{}, outputs: map[string]region{}}
	c.blocks = blocksPerMultiprocessor * max(1, c.device.Multiprocessors)
	if o.Fused {
		c.branches = findBranches(c.device, a, g, o.Precision)
	}
	if err := c.checkPrecision(o.Precision); err != nil {
		return nil, err
	}
	c.scaled = training && o.Precision == FP16 && len(c.branches) > 0
	if c.items = order(c.cut(a)); c.items == nil {
		return nil, errors.New("cuda: a fused branch reads a value that depends on its own result")
	}
	c.last = len(c.items)
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
	for _, b := range c.branches {
		c.packBranch(b)
	}
	c.drawLevels(o)
	for c.now = range c.items {
		if err := c.lower(c.items[c.now]); err != nil {
			return nil, err
		}
	}
	c.copyBlocks("store_blocks", gradients, gradients.at, c.grads)
	return c, nil
}

// checkPrecision returns an error if a fused branch would need a precision that the device lacks.
func (c *compiler) checkPrecision(p Precision) error {
	needs := map[Precision]int{TF32: 80, FP16: 75}[p]
	if d := c.device; len(c.branches) > 0 && d.Capability() < needs {
		return fmt.Errorf("cuda: %v needs compute capability %d.%d, and %s has %d.%d", p, needs/10, needs%10, d.Name, d.Major, d.Minor)
	}
	return nil
}

// cut groups the units into items: those of the branches, and one item for every other unit.
func (c *compiler) cut(a *plan.Analysis) []*item {
	within := map[*plan.Unit]bool{}
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
		if !within[u] {
			items = append(items, itemOf(u))
		}
	}
	return items
}

// drawLevels adds the launch that draws the levels, if the options ask for it and the graph has
// levels.
func (c *compiler) drawLevels(o Options) {
	u, quantile := c.inputs[levelsInput]
	if !quantile || o.DrawLevels == nil {
		return
	}
	c.levels = true
	seed, stream := o.DrawLevels.Key()
	c.emit("levels", c.over(c.of.Capacity.Rows(ops.Row), 4*threads, threads), c.step, u, uint32(seed), uint32(seed>>32), uint32(stream))
}
