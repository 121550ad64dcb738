package cuda

import (
	"fmt"
	"slices"

	"github.com/acqnp/acqnp/internal/engine/plan"
	"github.com/acqnp/acqnp/internal/ops"
)

// keepLeaves plans the memory of inputs, parameters and constants. It returns the packed copies of
// the weights that are not contiguous in the flat vector.
func (c *compiler) keepLeaves(a *plan.Analysis) *packed {
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
	weights := c.keepPacked(g.Blocks)
	for _, b := range g.Blocks {
		c.where[a.Values[b.Node]] = weights.of(b, c.params)
	}
	for _, it := range c.items {
		for _, u := range it.units {
			if c.scaled && u.Op != nil && u.Op.Kind == ops.NegMeanGrad && u.In[0].Made == nil {
				c.where[u.In[0]] = c.training.plus(scaleAt) // in place of 1
			}
			c.keepConstants(u.In)
		}
	}
	return weights
}

// keepConstants plans the memory of constants among the values.
func (c *compiler) keepConstants(vs []*plan.Value) {
	for _, v := range vs {
		if _, placed := c.where[v]; placed || v.Made != nil {
			continue
		}
		c.where[v] = c.keepTable(bytesOf(plan.Constant(v)))
	}
}

// keepResults plans the memory of outputs and gradients, which are kept for the whole run.
// Gradients of contiguous blocks are computed in the flat vector. It returns the packed memory of
// the others, which store_blocks copies there.
func (c *compiler) keepResults(a *plan.Analysis) (*packed, error) {
	g, gradients := c.of, &packed{}
	if g.Grads != nil {
		c.grads = c.keep(c.n)
		gradients = c.keepPacked(slices.DeleteFunc(slices.Clone(g.Blocks), c.madeByBranch))
	}
	for i, n := range g.Grads {
		v, b := a.Values[n], g.Blocks[i]
		if c.madeByBranch(b) {
			continue
		}
		if _, placed := c.where[v]; placed {
			return nil, fmt.Errorf("cuda: %s shares its gradient with another parameter", b.Name)
		}
		c.where[v] = gradients.of(b, c.grads)
	}
	for _, o := range g.Outputs {
		c.outputs[o.Name] = c.keepValue(a.Values[o.Node])
	}
	if g.Grads != nil {
		c.cost = c.keepValue(a.Values[g.Cost])
	}
	return gradients, nil
}

// madeByBranch reports whether a fused kernel writes the block's gradient to the flat vector
// itself.
func (c *compiler) madeByBranch(block ops.Block) bool {
	return slices.ContainsFunc(c.branches, func(b *branch) bool {
		return b.grads != nil && slices.ContainsFunc(b.blocks, func(own ops.Block) bool { return own.Node == block.Node })
	})
}

// keepValue returns the memory of a value that is kept for the whole run. The first call for a
// value reserves it.
func (c *compiler) keepValue(v *plan.Value) region {
	if _, placed := c.where[v]; !placed {
		c.where[v] = c.keep(v.Rows * v.Width)
	}
	return c.where[v]
}

// maxElements is the most elements of a matrix: kernels count them in int32.
const maxElements = 1<<31 - 1

// reserveValues plans the memory of every other value, from the item that computes it to the last
// item that reads it. A matrix of more than maxElements is an error.
func (c *compiler) reserveValues() error {
	last := map[*plan.Value]int{}
	for i, it := range c.items {
		for _, v := range slices.Concat(it.in, it.out) {
			last[v] = i
		}
	}
	for i, it := range c.items {
		for _, v := range it.out {
			if v.Rows > maxElements/v.Width {
				return fmt.Errorf("cuda: a matrix of %d by %d numbers at %v has more than 2^31 numbers; use a smaller batch or fewer levels",
					v.Rows, v.Width, c.of.Capacity)
			}
			if _, placed := c.where[v]; !placed {
				c.where[v] = c.reserve(v.Rows*v.Width, i, last[v])
			}
		}
	}
	return nil
}
