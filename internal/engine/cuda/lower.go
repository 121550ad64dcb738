package cuda

import (
	"fmt"

	"github.com/acqnp/acqnp/internal/engine/plan"
	"github.com/acqnp/acqnp/internal/gpu"
	"github.com/acqnp/acqnp/internal/ops"
)

// threads is the block size of the kernels that take elements or rows one by one.
const threads = 256

// emit adds a launch.
func (c *compiler) emit(kernel string, d gpu.Dims, args ...any) {
	c.launches = append(c.launches, launch{kernel, d, args})
}

// over is a launch of n pieces of work at capacity, so many to a block; larger ones walk them with a stride.
func (c *compiler) over(n, perBlock, threads int) gpu.Dims {
	return gpu.Line(max(1, min((n+perBlock-1)/perBlock, c.blocks)), threads, 0)
}

// each is a launch over the elements of a value, a thread each.
func (c *compiler) each(v *plan.Value) gpu.Dims { return c.over(v.Rows*v.Width, threads, threads) }

// at is where values lie; nothing for nil.
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
		return c.unit(it.units[0])
	}
	return nil
}

// unit adds the launches of a unit: in the order of its kernel's table, the extents, inputs, results, spaces and widths.
func (c *compiler) unit(u *plan.Unit) error {
	if u.Op == nil {
		out := u.Out[0]
		c.emit("add", c.each(out), c.step, c.at(u.In[0]), c.at(u.In[1]), c.at(out), int(out.Space), flatWidth(out))
		return nil
	}
	switch u.Op.Kind {
	case ops.Linear:
		c.linear(u)
	case ops.LinearGrad:
		c.linearGrad(u)
	case ops.Attention:
		c.attention(u)
	case ops.AttentionGrad:
		c.attentionGrad(u)
	case ops.Sigmoid, ops.UniformLevel, ops.UniformLogit:
		c.elementwise(u, map[ops.Kind]string{ops.Sigmoid: "sigmoid", ops.UniformLevel: "uniform_level", ops.UniformLogit: "uniform_logit"}[u.Op.Kind])
	case ops.SigmoidGrad:
		c.elementwise(u, "sigmoid_grad")
	case ops.Columns:
		in, out := u.In[0], u.Out[0]
		c.emit("columns", c.each(out), c.step, c.at(in), c.at(out), int(out.Space), in.Width, u.Op.From, out.Width)
	case ops.SetMean:
		c.emit("set_mean", c.each(u.Out[0]), c.step, c.at(u.In[0]), c.at(u.Out[0]), int(u.In[0].Space), u.Out[0].Width)
	case ops.SetMeanGrad:
		c.emit("set_mean_grad", c.each(u.Out[0]), c.step, c.at(u.In[0]), c.at(u.Out[0]), int(u.Out[0].Space), u.Out[0].Width)
	case ops.EnsembleAdd, ops.EnsembleAddGrad, ops.Gather, ops.Residual, ops.Perturb:
		c.bootstrap(u)
	case ops.GaussianLik, ops.GaussianLikGrad, ops.MixtureLik, ops.MixtureLikGrad, ops.LogMeanExp, ops.LogMeanExpGrad,
		ops.NegMean, ops.NegMeanGrad:
		c.likelihood(u)
	default:
		return fmt.Errorf("cuda: no kernel for %v", u.Op)
	}
	return nil
}

// elementwise: inputs, then the result, all of one space and width.
func (c *compiler) elementwise(u *plan.Unit, kernel string) {
	out := u.Out[0]
	args := []any{c.step}
	for _, v := range u.In {
		args = append(args, c.at(v))
	}
	c.emit(kernel, c.each(out), append(args, c.at(out), int(out.Space), out.Width)...)
}

// flatWidth is the width of a value whose rows are those of its space: a parameter is one row.
func flatWidth(v *plan.Value) int {
	if v.Space <= ops.Scalar {
		return v.Rows * v.Width
	}
	return v.Width
}

// bootstrap lowers the bootstrapping model's operations.
func (c *compiler) bootstrap(u *plan.Unit) {
	in, out := u.In, u.Out[0]
	switch u.Op.Kind {
	case ops.EnsembleAdd:
		c.emit("ensemble_add", c.each(out), c.step, c.at(in[0]), c.at(in[1]), c.at(out), int(in[0].Space), out.Width, flag(u.Op.ReLU))
	case ops.EnsembleAddGrad:
		above := map[ops.Space]ops.Space{ops.Row: ops.Point, ops.Resample: ops.Context}[in[0].Space]
		for part, kernel := range [...]string{ops.PointGrad: "ensemble_add_grad_point", ops.EnsembleGrad: "ensemble_add_grad_level"} {
			if v := u.Out[part]; v != nil {
				c.emit(kernel, c.each(v), c.step, c.at(in[0]), c.at(in[1]), c.at(v), int(above), v.Width, flag(u.Op.ReLU))
			}
		}
	case ops.Gather:
		c.emit("gather", c.each(out), c.step, c.at(in[0]), c.at(in[1]), c.at(out), int(in[0].Space), out.Width)
	case ops.Residual:
		c.emit("residual", c.each(out), c.step, c.at(in[0]), c.at(in[1]), c.at(out), out.Width)
	case ops.Perturb:
		c.emit("perturb", c.each(out), c.step, c.at(in[0]), c.at(in[1]), c.at(in[2]), c.at(out), out.Width)
	}
}

func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}

// likelihood lowers the likelihoods and the cost.
func (c *compiler) likelihood(u *plan.Unit) {
	in, out := u.In, u.Out[0]
	switch u.Op.Kind {
	case ops.GaussianLik:
		c.emit("gaussian", c.over(out.Rows, threads, threads), c.step, c.at(in[0]), c.at(in[1]), c.at(out), int(out.Space), int(in[1].Space), in[1].Width)
	case ops.GaussianLikGrad:
		c.emit("gaussian_grad", c.over(out.Rows, threads, threads), c.step, c.at(in[0]), c.at(in[1]), c.at(in[2]), c.at(out),
			int(out.Space), int(in[2].Space), in[2].Width)
	case ops.MixtureLik:
		c.emit("mixture", c.points(out.Rows), c.step, c.at(in[0]), c.at(in[1]), c.at(in[2]), c.at(out), in[2].Width)
	case ops.MixtureLikGrad:
		c.emit("mixture_grad", c.points(in[0].Rows), c.step, c.at(in[0]), c.at(in[1]), c.at(in[2]), c.at(in[3]),
			c.at(u.Out[ops.ComponentsGrad]), c.at(u.Out[ops.LogitGrad]), in[3].Width)
	case ops.LogMeanExp:
		c.emit("log_mean_exp", c.points(out.Rows), c.step, c.at(in[0]), c.at(out))
	case ops.LogMeanExpGrad:
		c.emit("log_mean_exp_grad", c.over(out.Rows, threads, threads), c.step, c.at(in[0]), c.at(in[1]), c.at(in[2]), c.at(out))
	case ops.NegMean:
		for i, v := range in {
			c.emit("neg_mean", gpu.Line(1, threads, 0), c.step, c.at(v), c.at(out), int(v.Space), min(i, 1))
		}
	case ops.NegMeanGrad:
		c.emit("neg_mean_grad", c.each(out), c.step, c.at(in[0]), c.at(out), int(out.Space))
	}
}

// points is a launch over points, a warp each.
func (c *compiler) points(n int) gpu.Dims { return c.over(n, 4, 128) }
