package cuda

import (
	"github.com/acqnp/acqnp/internal/engine/plan"
	"github.com/acqnp/acqnp/internal/gpu"
	"github.com/acqnp/acqnp/internal/ops"
)

func (c *compiler) gaussian(u *plan.Unit) {
	decoded, y, out := u.In[0], u.In[1], u.Out[0]
	c.emit("gaussian", c.eachRow(out), c.step, c.at(decoded), c.at(y), c.at(out), int(out.Space), int(y.Space), y.Width, float32(u.Op.Floor))
}

func (c *compiler) gaussianGrad(u *plan.Unit) {
	grad, decoded, y, out := u.In[0], u.In[1], u.In[2], u.Out[0]
	c.emit("gaussian_grad", c.eachRow(out), c.step, c.at(grad), c.at(decoded), c.at(y), c.at(out),
		int(out.Space), int(y.Space), y.Width, float32(u.Op.Floor))
}

func (c *compiler) mixture(u *plan.Unit) {
	components, z, y, out := u.In[0], u.In[1], u.In[2], u.Out[0]
	c.emit("mixture", c.warpEach(out.Rows), c.step, c.at(components), c.at(z), c.at(y), c.at(out), y.Width, float32(u.Op.Floor))
}

func (c *compiler) mixtureGrad(u *plan.Unit) {
	grad, components, z, y := u.In[0], u.In[1], u.In[2], u.In[3]
	c.emit("mixture_grad", c.warpEach(grad.Rows), c.step, c.at(grad), c.at(components), c.at(z), c.at(y),
		c.at(u.Out[ops.ComponentsGrad]), c.at(u.Out[ops.LogitGrad]), y.Width, float32(u.Op.Floor))
}

func (c *compiler) logMeanExp(u *plan.Unit) {
	ll, out := u.In[0], u.Out[0]
	c.emit("log_mean_exp", c.warpEach(out.Rows), c.step, c.at(ll), c.at(out))
}

func (c *compiler) logMeanExpGrad(u *plan.Unit) {
	grad, ll, result, out := u.In[0], u.In[1], u.In[2], u.Out[0]
	c.emit("log_mean_exp_grad", c.eachRow(out), c.step, c.at(grad), c.at(ll), c.at(result), c.at(out))
}

// negMean launches a kernel for each input. The first overwrites the result, the others add to it.
func (c *compiler) negMean(u *plan.Unit) {
	for i, v := range u.In {
		c.emit("neg_mean", gpu.Line(1, threads, 0), c.step, c.at(v), c.at(u.Out[0]), int(v.Space), min(i, 1))
	}
}

func (c *compiler) negMeanGrad(u *plan.Unit) {
	grad, out := u.In[0], u.Out[0]
	c.emit("neg_mean_grad", c.each(out), c.step, c.at(grad), c.at(out), int(out.Space))
}

// eachRow returns the shape of a launch with a thread for each row of a value.
func (c *compiler) eachRow(v *plan.Value) gpu.Dims { return c.over(v.Rows, threads, threads) }
