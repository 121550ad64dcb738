package cuda

import (
	"fmt"
	"slices"

	"github.com/acqnp/acqnp/internal/engine/analysis"
	"github.com/acqnp/acqnp/internal/models/ops"
)

// keepLeaves plans the memory of inputs, parameters and constants. It returns the packed copies of
// the weights that lie in strips of the flat vector.
func (c *compiler) keepLeaves(a *analysis.Analysis) *packed {
	g := c.source
	c.n = ops.NumParams(g.Tensors)
	c.params = c.keep(c.n)
	c.keepInputs(a)
	weights := c.keepPacked(g.Blocks)
	for _, b := range g.Blocks {
		c.where[a.Values[b.Node]] = weights.region(b, c.params)
		c.strides[a.Values[b.Node]] = stride(b)
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

// keepInputs plans one region for struct Step and all inputs, in their order, so that one copy can
// upload them. Levels that are drawn on the device come last.
func (c *compiler) keepInputs(a *analysis.Analysis) {
	n := analysis.Align(stepBytes / 4)
	for _, in := range c.source.Inputs {
		c.inputs[in.Name] = region{offset: n}
		if in.Name == levelsInput && c.levels {
			c.inputs[in.Name] = c.keep(c.source.Capacity.Rows(in.Space) * in.Width)
			continue
		}
		n += analysis.Align(c.source.Capacity.Rows(in.Space) * in.Width)
	}
	c.step, c.uploaded = c.keepEach(n), n
	for _, in := range c.source.Inputs {
		r := c.inputs[in.Name]
		if r.buffer == nil {
			r.buffer = c.step.buffer
		}
		c.inputs[in.Name], c.where[a.Values[in.Node]] = r, r
	}
}

// keepConstants plans the memory of constants among the values.
func (c *compiler) keepConstants(vs []*analysis.Value) {
	for _, v := range vs {
		if _, placed := c.where[v]; placed || v.Made != nil {
			continue
		}
		c.where[v] = c.keepTable(bytesOf(analysis.Constant(v)))
	}
}

// keepResults plans the memory of outputs and gradients, which are kept for the whole run.
// Gradients are computed in the flat vector, except those of blocks in strips. It returns the packed
// memory of the latter, which store_blocks copies to the flat vector.
func (c *compiler) keepResults(a *analysis.Analysis) (*packed, error) {
	g, gradients := c.source, &packed{}
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
		c.where[v] = gradients.region(b, c.grads)
		c.strides[v] = stride(b)
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
		own := func(own ops.Block) bool { return own.Node == block.Node }
		return b.grads != nil && (b.Biased && own(*b.bias) || slices.ContainsFunc(b.blocks, own))
	})
}

// keepValue returns the memory of a value that is kept for the whole run. The first call for a
// value reserves it.
func (c *compiler) keepValue(v *analysis.Value) region {
	if _, placed := c.where[v]; !placed {
		c.where[v] = c.keep(v.Rows * v.Width)
	}
	return c.where[v]
}

// maxElements is the most elements of a matrix: kernels count them in int32.
const maxElements = 1<<31 - 1

// reserveValues plans the memory of every other value. A matrix of more than maxElements is an error.
func (c *compiler) reserveValues() error {
	for _, it := range c.items {
		for _, v := range it.out {
			if v.Rows > maxElements/v.Width {
				return fmt.Errorf("cuda: a matrix of %d by %d numbers at %v has more than 2^31 numbers; use a smaller batch or fewer levels",
					v.Rows, v.Width, c.source.Capacity)
			}
			if _, placed := c.where[v]; !placed {
				c.where[v] = c.reserve(v.Rows * v.Width)
			}
		}
	}
	return nil
}
