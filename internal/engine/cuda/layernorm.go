package cuda

import (
	"github.com/acqnp/acqnp/internal/engine/analysis"
	"github.com/acqnp/acqnp/internal/models/ops"
)

// normColumns is the number of columns that a block of layer_norm_grad_slices sums at a time.
const normColumns = 32

func (c *compiler) layerNorm(u *analysis.Unit) {
	x, gain, shift, out := u.In[0], u.In[1], u.In[2], u.Out[0]
	t := task{op: layerNorm, s: int(out.Space), d: out.Width, a: c.region(x), b: c.region(gain), c: c.region(shift), out: c.region(out)}
	t.local = present(t.a)
	c.put(byRows, t)
}

// layerNormGrad adds a task for the input's gradient, which also writes the moments of every row.
// A kernel reads them and sums the gradients of gain and shift over each slice of rows. A second
// task adds the slices' sums.
func (c *compiler) layerNormGrad(u *analysis.Unit) {
	grad, x, gain := u.In[0], u.In[1], u.In[2]
	dgain, dshift := u.Out[ops.GainGrad], u.Out[ops.ShiftGrad]
	s, d := int(x.Space), x.Width
	moments := c.reserve(2 * x.Rows)
	t := task{op: layerNormGrad, s: s, d: d, a: c.region(grad), b: c.region(x), c: c.region(gain), out: c.region(u.Out[ops.NormInGrad]), more: moments}
	t.local = present(t.a, t.b)
	c.put(byRows, t)
	if dgain == nil && dshift == nil {
		return
	}
	n := slicesOf(x.Rows)
	partial := c.reserve(n * 2 * d)
	c.emit("layer_norm_grad_slices", c.eachTile(n*ceilDiv(d, normColumns)), c.step, c.region(grad), c.region(x), moments, written{partial}, s, d)
	c.put(bySums, task{op: weightGradSum, s: s, k: 1, d: d, stride: 1, a: partial, out: c.region(dgain), more: c.region(dshift)})
}
