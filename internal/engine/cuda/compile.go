package cuda

import (
	"errors"
	"fmt"

	G "gorgonia.org/gorgonia"

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
	consts   []constant
	packed   []block // of weights that do not lie together in the flat vector
	tables   []table
	training region // struct Training; nothing but in a trainer
	launches []launch
}

// constant is a leaf that has a value of its own.
type constant struct {
	at   region
	data []float32
}

// stepBytes is the size of struct Step of kernels/extents.h.
const stepBytes = 32

// levelsInput is the input of quantile levels.
const levelsInput = "u"

// maxElements is the largest matrix that the kernels count the elements of.
const maxElements = 1<<31 - 1

// compile lowers a graph for a device, for evaluation or for training.
func compile(d gpu.Driver, g *ops.Graph, o Options, training bool) (*compiler, error) {
	a, err := plan.Analyse(g)
	if err != nil {
		return nil, err
	}
	c := &compiler{of: g, device: d.Device(), where: map[*plan.Value]region{}, inputs: map[string]region{}, outputs: map[string]region{}}
	c.blocks = blocksPerMultiprocessor * max(1, c.device.Multiprocessors)
	if err := c.check(a); err != nil {
		return nil, err
	}
	if o.Fused {
		c.branches = findBranches(d, a, g, o.Precision)
	}
	c.scaled = training && o.Precision == FP16 && len(c.branches) > 0
	if c.items = order(c.cut(a)); c.items == nil {
		return nil, errors.New("cuda: the graph's operations wait for each other")
	}
	c.last = len(c.items)
	if training {
		c.training = c.keep(trainingBytes / 4)
	}
	c.keepLeaves(a)
	elsewhere := c.keepResults(a)
	c.reserveValues()
	c.prepareRun(o)
	for c.now = range c.items {
		if err := c.lower(c.items[c.now]); err != nil {
			return nil, err
		}
	}
	c.copyBlocks("store_blocks", elsewhere, everything, c.grads)
	return c, nil
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

// prepareRun adds the launches that come first: parameters are packed and levels drawn.
func (c *compiler) prepareRun(o Options) {
	c.copyBlocks("load_blocks", c.packed, c.params, everything)
	for _, b := range c.branches {
		c.packBranch(b)
	}
	c.makeLevels(o)
}

// check refuses matrices that the kernels cannot count.
func (c *compiler) check(a *plan.Analysis) error {
	for _, v := range a.Values {
		if v.Width > 0 && v.Rows > maxElements/v.Width {
			return fmt.Errorf("cuda: %d rows of %d numbers at %v: more than the device's kernels count; use a smaller batch or fewer levels",
				v.Rows, v.Width, c.of.Capacity)
		}
	}
	return nil
}

// keepLeaves gives inputs, parameters and constants their memory.
func (c *compiler) keepLeaves(a *plan.Analysis) {
	g := c.of
	for _, t := range g.Tensors {
		c.n += t.Size()
	}
	c.step = c.keep(stepBytes / 4)
	c.params = c.keep(c.n)
	for _, in := range g.Inputs {
		v := a.Values[in.Node]
		c.where[v] = c.keep(v.Rows * v.Width)
		c.inputs[in.Name] = c.where[v]
	}
	for _, b := range g.Blocks {
		v := a.Values[b.Node]
		c.where[v] = c.params.plus(b.Offset)
		if !contiguous(b) {
			c.where[v] = c.keep(b.Rows * b.Cols)
			c.packed = append(c.packed, block{b, c.where[v]})
		}
	}
	for _, it := range c.items {
		for _, u := range it.units {
			if c.scaled && u.Op != nil && u.Op.Kind == ops.NegMeanGrad && u.In[0].Made == nil {
				c.where[u.In[0]] = c.training.plus(scaleAt) // in place of 1
			}
			c.keepConstants(u.In)
		}
	}
}

func (c *compiler) keepConstants(vs []*plan.Value) {
	for _, v := range vs {
		if _, placed := c.where[v]; placed || v.Made != nil {
			continue
		}
		c.consts = append(c.consts, constant{c.keepValue(v), numbers(v.Node.Value())})
	}
}

// numbers reads a constant of the graph.
func numbers(v G.Value) []float32 {
	switch x := v.Data().(type) {
	case []float32:
		return x
	case float32:
		return []float32{x}
	case float64:
		return []float32{float32(x)}
	}
	return nil
}

// keepResults gives outputs and gradients memory that lasts until they are read. Gradients of blocks that are contiguous
// in the flat vector are made in their place there; the others are returned, to be stored.
func (c *compiler) keepResults(a *plan.Analysis) (elsewhere []block) {
	g := c.of
	if g.Grads != nil {
		c.grads = c.keep(c.n)
	}
	for i, n := range g.Grads {
		v, b := a.Values[n], g.Blocks[i]
		if c.madeByBranch(v) {
			continue
		}
		if _, placed := c.where[v]; !placed && contiguous(b) {
			c.where[v] = c.grads.plus(b.Offset)
			continue
		}
		elsewhere = append(elsewhere, block{b, c.keepValue(v)})
	}
	for _, o := range g.Outputs {
		c.outputs[o.Name] = c.keepValue(a.Values[o.Node])
	}
	if g.Grads != nil {
		c.cost = c.keepValue(a.Values[g.Cost])
	}
	return elsewhere
}

func (c *compiler) madeByBranch(v *plan.Value) bool {
	for _, b := range c.branches {
		if b.makes(v) {
			return true
		}
	}
	return false
}

// keepValue is the place of a value that lasts, whoever asked for it first.
func (c *compiler) keepValue(v *plan.Value) region {
	if _, placed := c.where[v]; !placed {
		c.where[v] = c.keep(v.Rows * v.Width)
	}
	return c.where[v]
}

// contiguous reports whether the block's elements lie together in the flat vector, in order.
func contiguous(b ops.Block) bool { return b.Rows == 1 || b.Stride == b.Cols && b.Panel == 0 }

// reserveValues gives every other value memory from the item that makes it to the last that reads it.
func (c *compiler) reserveValues() {
	last := map[*plan.Value]int{}
	for i, it := range c.items {
		for _, v := range append(it.in, it.out...) {
			last[v] = i
		}
	}
	for i, it := range c.items {
		for _, v := range it.out {
			if _, placed := c.where[v]; !placed {
				c.where[v] = c.reserve(v.Rows*v.Width, i, last[v])
			}
		}
	}
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
