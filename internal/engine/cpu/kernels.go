package cpu

import (
	"fmt"

	"github.com/acqnp/acqnp/internal/engine/analysis"
	"github.com/acqnp/acqnp/internal/models/ops"
)

// maker makes the kernel of a unit of one kind.
type maker struct {
	build  func(*compiler, *analysis.Unit) kernel
	byRows bool // the kernel reads and writes matrices with any stride
}

// kernels has a maker for every kind of package ops whose declaration has no row kernel.
var kernels = map[ops.Kind]maker{
	ops.Linear:          {(*compiler).linear, true},
	ops.LinearGrad:      {(*compiler).linearGrad, true},
	ops.SetMean:         {(*compiler).setMean, false},
	ops.SetMeanGrad:     {(*compiler).setMeanGrad, false},
	ops.Add:             {(*compiler).add, true},
	ops.Join:            {(*compiler).join, false},
	ops.Columns:         {(*compiler).columns, false},
	ops.Ones:            {(*compiler).ones, false},
	ops.Pad:             {(*compiler).pad, false},
	ops.Spread:          {(*compiler).spread, false},
	ops.Sum:             {(*compiler).sum, false},
	ops.LogSumExp:       {(*compiler).logSumExp, false},
	ops.LayerNorm:       {(*compiler).layerNorm, true},
	ops.LayerNormGrad:   {(*compiler).layerNormGrad, true},
	ops.Attention:       {(*compiler).attention, true},
	ops.AttentionGrad:   {(*compiler).attentionGrad, true},
	ops.EnsembleAdd:     {(*compiler).ensembleAdd, false},
	ops.EnsembleAddGrad: {(*compiler).ensembleAddGrad, false},
	ops.Gather:          {(*compiler).gather, false},
	ops.Residual:        {(*compiler).residual, false},
	ops.Perturb:         {(*compiler).perturb, false},
	ops.GaussianLik:     {(*compiler).gaussian, false},
	ops.GaussianLikGrad: {(*compiler).gaussianGrad, false},
	ops.MixtureLik:      {(*compiler).mixture, false},
	ops.MixtureLikGrad:  {(*compiler).mixtureGrad, false},
	ops.LogMeanExp:      {(*compiler).logMeanExp, false},
	ops.LogMeanExpGrad:  {(*compiler).logMeanExpGrad, false},
	ops.NegMean:         {(*compiler).negMean, false},
	ops.NegMeanGrad:     {(*compiler).negMeanGrad, false},
}

// makeKernel makes the kernel of a unit.
func (c *compiler) makeKernel(u *analysis.Unit) (kernel, error) {
	if u.Op == nil {
		return c.addition(u), nil
	}
	if row := u.Op.Row(); row != nil {
		return c.elements(u, row), nil
	}
	m, ok := kernels[u.Op.Kind]
	if !ok {
		return nil, fmt.Errorf("cpu: no kernel for %v", u.Op)
	}
	return m.build(c, u), nil
}

// byRows reports whether a unit's kernel reads and writes matrices with any stride.
func byRows(u *analysis.Unit) bool { return u.Op == nil || kernels[u.Op.Kind].byRows }
