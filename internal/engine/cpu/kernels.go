package cpu

import (
	"fmt"

	"github.com/acqnp/acqnp/internal/engine/analysis"
	"github.com/acqnp/acqnp/internal/models/ops"
)

// makeKernel makes the kernel of a unit.
func (c *compiler) makeKernel(u *analysis.Unit) (kernel, error) {
	if u.Op == nil {
		return c.addition(u), nil
	}
	if c.inHalves(u) {
		return c.halfKernel(u), nil
	}
	build := map[ops.Kind]func(*analysis.Unit) kernel{
		ops.Linear:          c.linear,
		ops.LinearGrad:      c.linearGrad,
		ops.SetMean:         c.setMean,
		ops.SetMeanGrad:     c.setMeanGrad,
		ops.Add:             c.sum,
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
	if build == nil {
		return nil, fmt.Errorf("cpu: no kernel for %v", u.Op)
	}
	return build(u), nil
}
