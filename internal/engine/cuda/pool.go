package cuda

import (
	"github.com/acqnp/acqnp/internal/engine/analysis"
)

func (c *compiler) setMean(u *analysis.Unit) {
	in, out := u.In[0], u.Out[0]
	c.put(byPiece, task{op: opSetMean, s: int(out.Space), other: int(in.Space), d: out.Width, a: c.at(in), out: c.at(out)})
}

func (c *compiler) setMeanGrad(u *analysis.Unit) {
	grad, out := u.In[0], u.Out[0]
	c.put(byPiece, task{op: opSetMeanGrad, s: int(out.Space), d: out.Width, a: c.at(grad), out: c.at(out)})
}

// setMeanGradOfSum adds one task for a sum of two gradients and the mean's gradient that reads it.
func (c *compiler) setMeanGradOfSum(sum, u *analysis.Unit) {
	out := u.Out[0]
	c.put(byPiece, task{op: opSetMeanGrad, s: int(out.Space), d: out.Width, a: c.at(sum.In[0]), b: c.at(sum.In[1]), out: c.at(out)})
}
