package cuda

import (
	"fmt"

	"github.com/acqnp/acqnp/internal/engine/plan"
	"github.com/acqnp/acqnp/internal/gpu"
	"github.com/acqnp/acqnp/internal/ops"
)

// threads is the block size of kernels with a thread for each element or row.
const threads = 256

// emit adds a launch.
func (c *compiler) emit(kernel string, d gpu.Dims, args ...any) {
	c.launches = append(c.launches, launch{kernel, d, args})
}

// over returns the shape of a launch over n pieces of work at capacity, perBlock of them per block.
// If that is more blocks than a launch may have, each block takes more work.
func (c *compiler) over(n, perBlock, threads int) gpu.Dims {
	return gpu.Line(max(1, min((n+perBlock-1)/perBlock, c.blocks)), threads, 0)
}

// each returns the shape of a launch with a thread for each element of a value.
func (c *compiler) each(v *plan.Value) gpu.Dims { return c.over(v.Rows*v.Width, threads, threads) }

// warpEach returns the shape of a launch with a warp for each of n rows, or heads of rows.
func (c *compiler) warpEach(n int) gpu.Dims { return c.over(n, 4, 128) }

// at returns the memory of a value; the zero region, a null pointer, for nil.
func (c *compiler) at(v *plan.Value) region {
	if v == nil {
		return region{}
	}
	return c.where[v]
}

// lower adds the launches of an item.
func (c *compiler) lower(it *item) error {
	switch {
	case it.forward != nil:
		c.branchForward(it.forward)
	case it.backward != nil:
		c.branchBackward(it.backward)
	default:
		return c.emitUnit(it.units[0])
	}
	return nil
}

// emitUnit adds the launches of a unit. Their arguments are in the order of the kernel's table: the
// step, inputs, results, spaces and widths.
func (c *compiler) emitUnit(u *plan.Unit) error {
	if u.Op == nil {
		c.addition(u)
		return nil
	}
	emit := map[ops.Kind]func(*plan.Unit){
		ops.Linear:          c.linear,
		ops.LinearGrad:      c.linearGrad,
		ops.SetMean:         c.setMean,
		ops.SetMeanGrad:     c.setMeanGrad,
		ops.Add:             c.add,
		ops.Join:            c.join,
		ops.Columns:         c.columns,
		ops.Ones:            c.ones,
		ops.Sigmoid:         c.sigmoid,
		ops.SigmoidGrad:     c.sigmoidGrad,
		ops.UniformLevel:    c.uniformLevel,
		ops.UniformLogit:    c.uniformLogit,
		ops.LayerNorm:       c.layerNorm,
		ops.LayerNormGrad:   c.layerNormGrad,
		ops.Attention:       c.attention,
		ops.AttentionGrad:   c.attentionGrad,
		ops.EnsembleAdd:     c.ensembleAdd,
		ops.EnsembleAddGrad: c.ensembleAddGrad,
		ops.Gather:          c.gather,
		ops.Residual:        c.residual,
		ops.Perturb:         c.perturb,
		ops.GaussianLik:     c.gaussian,
		ops.GaussianLikGrad: c.gaussianGrad,
		ops.MixtureLik:      c.mixture,
		ops.MixtureLikGrad:  c.mixtureGrad,
		ops.LogMeanExp:      c.logMeanExp,
		ops.LogMeanExpGrad:  c.logMeanExpGrad,
		ops.NegMean:         c.negMean,
		ops.NegMeanGrad:     c.negMeanGrad,
	}[u.Op.Kind]
	if emit == nil {
		return fmt.Errorf("cuda: no kernel for %v", u.Op)
	}
	emit(u)
	return nil
}

// flag returns a bool as kernels take it: 1 or 0.
func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}
