package cuda

import (
	"github.com/acqnp/acqnp/internal/engine/plan"
	"github.com/acqnp/acqnp/internal/ops"
)

// normColumns is the number of columns that a block of layer_norm_grad_slices sums at a time.
const normColumns = 32

func (c *compiler) layerNorm(u *plan.Unit) {
	x, gain, shift, out := u.In[0], u.In[1], u.In[2], u.Out[0]
	c.emit("layer_norm", c.warpEach(out.Rows), c.step, c.at(x), c.at(gain), c.at(shift), c.at(out), int(out.Space), out.Width)
}

// layerNormGrad launches a kernel for the input's gradient, which also writes the moments of every
// row. Two more kernels read them and sum the gradients of gain and shift: the first over slices of
// rows, the second over the slices.
func (c *compiler) layerNormGrad(u *plan.Unit) {
	grad, x, gain := u.In[0], u.In[1], u.In[2]
	dgain, dshift := u.Out[ops.GainGrad], u.Out[ops.ShiftGrad]
	s, d := int(x.Space), x.Width
	moments := c.reserveScratch(2 * x.Rows)
	c.emit("layer_norm_grad", c.warpEach(x.Rows), c.step, c.at(grad), c.at(x), c.at(gain), c.at(u.Out[ops.NormInGrad]),
		moments, s, d)
	if dgain == nil && dshift == nil {
		return
	}
	to := c.at(dgain)
	if dgain == nil {
		to = c.reserveScratch(d)
	}
	n := slicesOf(x.Rows)
	partial := c.reserveScratch(n * 2 * d)
	c.emit("layer_norm_grad_slices", c.eachTile(n*ceilDiv(d, normColumns)), c.step, c.at(grad), c.at(x), moments, partial, s, d)
	c.emit("weight_grad_sum", c.over(2*d, sumsPerBlock, linearThreads), c.step, partial, to, c.at(dshift), s, 1, d)
}
