package cuda

import (
	"github.com/acqnp/acqnp/internal/engine/plan"
)

func (c *compiler) setMean(u *plan.Unit) {
	in, out := u.In[0], u.Out[0]
	c.emit("set_mean", c.each(out), c.step, c.at(in), c.at(out), int(in.Space), out.Width)
}

func (c *compiler) setMeanGrad(u *plan.Unit) {
	grad, out := u.In[0], u.Out[0]
	c.emit("set_mean_grad", c.each(out), c.step, c.at(grad), c.at(out), int(out.Space), out.Width)
}
