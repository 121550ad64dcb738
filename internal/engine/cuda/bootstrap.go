package cuda

import (
	"github.com/acqnp/acqnp/internal/engine/plan"
	"github.com/acqnp/acqnp/internal/ops"
)

func (c *compiler) ensembleAdd(u *plan.Unit) {
	a, e, out := u.In[0], u.In[1], u.Out[0]
	c.emit("ensemble_add", c.each(out), c.step, c.at(a), c.at(e), c.at(out), int(a.Space), out.Width, flag(u.Op.ReLU))
}

func (c *compiler) ensembleAddGrad(u *plan.Unit) {
	grad, result := u.In[0], u.In[1]
	above := map[ops.Space]ops.Space{ops.Row: ops.Point, ops.Resample: ops.Context}[grad.Space]
	for part, kernel := range [...]string{ops.PointGrad: "ensemble_add_grad_point", ops.EnsembleGrad: "ensemble_add_grad_level"} {
		if out := u.Out[part]; out != nil {
			c.emit(kernel, c.each(out), c.step, c.at(grad), c.at(result), c.at(out), int(above), out.Width, flag(u.Op.ReLU))
		}
	}
}

func (c *compiler) gather(u *plan.Unit) {
	values, index, out := u.In[0], u.In[1], u.Out[0]
	c.emit("gather", c.each(out), c.step, c.at(values), c.at(index), c.at(out), int(values.Space), out.Width)
}

func (c *compiler) residual(u *plan.Unit) {
	decoded, y, out := u.In[0], u.In[1], u.Out[0]
	c.emit("residual", c.each(out), c.step, c.at(decoded), c.at(y), c.at(out), out.Width, float32(u.Op.Floor))
}

func (c *compiler) perturb(u *plan.Unit) {
	decoded, residuals, means, out := u.In[0], u.In[1], u.In[2], u.Out[0]
	c.emit("perturb", c.each(out), c.step, c.at(decoded), c.at(residuals), c.at(means), c.at(out), out.Width, float32(u.Op.Floor))
}
