package cuda

import (
	"fmt"
	"slices"

	"github.com/acqnp/acqnp/internal/engine/analysis"
	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/kernels/gpu"
)

// threads is the block size of kernels with a thread for each element or row.
const threads = 256

// grid returns the shape of a launch over n pieces of work at capacity, perBlock of them per block.
// If that is more blocks than a launch may have, each block takes more work.
func (c *compiler) grid(n, perBlock, threads int) gpu.Dims {
	return gpu.Line(max(1, min((n+perBlock-1)/perBlock, c.blocks)), threads, 0)
}

// warpEach returns the shape of a launch with a warp for each of n rows, or heads of rows.
func (c *compiler) warpEach(n int) gpu.Dims { return c.grid(n, 4, 128) }

// region returns the memory of a value; the zero region, a null pointer, for nil.
func (c *compiler) region(v *analysis.Value) region {
	if v == nil {
		return region{}
	}
	return c.where[v]
}

// lower adds the steps of an item.
func (c *compiler) lower(it *item) error {
	switch {
	case it.forward != nil:
		c.branchForward(it.forward)
	case it.backward != nil:
		c.branchBackward(it.backward)
	case len(it.units) == 2 && it.units[0].Op == nil:
		c.setMeanGradOfSum(it.units[0], it.units[1])
	case len(it.units) == 2:
		c.mixtureGradAnd(it.units[1], it.units[0].Out[0])
	default:
		return c.emitUnit(it.units[0])
	}
	return nil
}

// kernels maps the kinds that are not declared by an element to the method that adds the steps of a
// unit, and Ones. The arguments of a launch are in the order of the kernel's parameters: the step, inputs,
// results, spaces and widths.
var kernels = map[ops.Kind]func(*compiler, *analysis.Unit){
	ops.Linear:          (*compiler).linear,
	ops.LinearGrad:      (*compiler).linearGrad,
	ops.Ones:            (*compiler).ones,
	ops.LayerNorm:       (*compiler).layerNorm,
	ops.LayerNormGrad:   (*compiler).layerNormGrad,
	ops.Attention:       (*compiler).attention,
	ops.AttentionGrad:   (*compiler).attentionGrad,
	ops.EnsembleAddGrad: (*compiler).ensembleAddGrad,
	ops.GaussianLik:     (*compiler).gaussian,
	ops.GaussianLikGrad: (*compiler).gaussianGrad,
	ops.MixtureLik:      (*compiler).mixture,
	ops.MixtureLikGrad:  (*compiler).mixtureGrad,
	ops.LogMeanExp:      (*compiler).logMeanExp,
	ops.NegMean:         (*compiler).negMean,
}

// emitUnit adds the steps of a unit.
func (c *compiler) emitUnit(u *analysis.Unit) error {
	if u.Op == nil {
		c.addition(u)
		return nil
	}
	emit := kernels[u.Op.Kind]
	if emit == nil && u.Op.Kind.Element() != "" {
		emit = (*compiler).element
	}
	if emit == nil {
		return fmt.Errorf("cuda: no kernel for %v", u.Op)
	}
	if u.Op.Kind != ops.Linear && u.Op.Kind != ops.LinearGrad && slices.ContainsFunc(slices.Concat(u.In, u.Outs()), c.apart) {
		return fmt.Errorf("cuda: %v reads or writes a part of a weight", u.Op)
	}
	emit(c, u)
	return nil
}

// apart reports whether the rows of a value are not contiguous.
func (c *compiler) apart(v *analysis.Value) bool { return v.Rows > 1 && c.strideOf(v) != v.Width }

// strideOf returns the distance between the rows of a value.
func (c *compiler) strideOf(v *analysis.Value) int {
	if n, known := c.strides[v]; known {
		return n
	}
	return v.Width
}

// flag returns a bool as kernels take it: 1 or 0.
func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}
