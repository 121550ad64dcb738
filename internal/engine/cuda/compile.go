package cuda

import (
	"errors"
	"fmt"

	"github.com/acqnp/acqnp/internal/engine/plan"
	"github.com/acqnp/acqnp/internal/gpu"
	"github.com/acqnp/acqnp/internal/ops"
)

// compiler turns a graph into launches: every unit becomes one kernel call or two, in an order that lets values go early,
// on memory that is planned by how long each value is needed.
type compiler struct {
	memory
	of       *ops.Graph
	device   gpu.Device
	blocks   int // of a launch, at most
	branches []*branch
	scaled   bool // the loss is, by training's scale
	levels   bool // quantile levels are made on the device
	items    []*item
	now      int // the item being lowered
	where    map[*plan.Value]region
	step     region // struct Step: the extents and what else a step has of its own
	params   region // the flat parameter vector
	grads    region // the flat gradient vector; nothing where the graph has none
	n        int    // length of both
	cost     region // nothing where the graph has none
	inputs   map[string]region
	outputs  map[string]region
	tables   []table
	training region // struct Training; nothing but in a trainer
	launches []launch
}

// stepBytes is the size of struct Step of kernels/extents.h.
const stepBytes = 32

// levelsInput is the input of quantile levels.
const levelsInput = "u"

// compile lowers a graph for a device, for evaluation or for training.
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
		return nil, errors.New("cuda: the graph's operations wait for each other")
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
	c.makeLevels(o)
	for c.now = range c.items {
		if err := c.lower(c.items[c.now]); err != nil {
			return nil, err
		}
	}
	c.copyBlocks("store_blocks", gradients, gradients.at, c.grads)
	return c, nil
}

// checkPrecision refuses a precision that the fused branch would need and the device has not.
func (c *compiler) checkPrecision(p Precision) error {
	needs := map[Precision]int{TF32: 80, FP16: 75}[p]
	if d := c.device; len(c.branches) > 0 && d.Capability() < needs {
		return fmt.Errorf("cuda: %v needs compute capability %d.%d, and %s has %d.%d", p, needs/10, needs%10, d.Name, d.Major, d.Minor)
	}
	return nil
}

// cut makes items of the units: the branches, and every unit outside them by itself.
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

// makeLevels adds the launch that draws the quantile levels, where the options and the graph have any.
func (c *compiler) makeLevels(o Options) {
	u, quantile := c.inputs[levelsInput]
	if !quantile || o.Levels == nil {
		return
	}
	c.levels = true
	seed, stream := o.Levels.Key()
	c.emit("levels", c.over(c.of.Capacity.Rows(ops.Row), 4*threads, threads), c.step, u, uint32(seed), uint32(seed>>32), uint32(stream))
}
