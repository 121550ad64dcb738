package cuda

import (
	"github.com/acqnp/acqnp/internal/engine/analysis"
	"github.com/acqnp/acqnp/internal/models/ops"
)

func (c *compiler) attention(u *analysis.Unit) {
	q, k, v, out := u.In[0], u.In[1], u.In[2], u.Out[0]
	c.emit("attention", c.warpEach(out.Rows*u.Op.Heads), c.step, c.region(q), c.region(k), c.region(v), c.ranges(u.In[3:]), written{c.region(out)},
		int(out.Space), int(k.Space), out.Width, u.Op.Heads)
}

// ranges returns the memory of an attention's ranges, which are the last of its inputs, or null.
func (c *compiler) ranges(last []*analysis.Value) region {
	if len(last) == 0 {
		return region{}
	}
	return c.region(last[0])
}

// attentionGrad launches a kernel that computes the queries' gradient and stores two sums for every
// query and head. A second kernel reads the sums and computes the gradients of keys and values, if
// the graph asks for one of them.
func (c *compiler) attentionGrad(u *analysis.Unit) {
	grad, result, q, k, v := u.In[0], u.In[1], u.In[2], u.In[3], u.In[4]
	dk, dv := u.Out[ops.KeyGrad], u.Out[ops.ValueGrad]
	s, t, d, heads := int(q.Space), int(k.Space), result.Width, u.Op.Heads
	ranges := c.ranges(u.In[5:])
	sums := c.reserve(q.Rows * heads * 2)
	c.emit("attention_grad_query", c.warpEach(q.Rows*heads), c.step, c.region(grad), c.region(result), c.region(q), c.region(k), c.region(v), ranges,
		written{c.region(u.Out[ops.QueryGrad])}, written{sums}, s, t, d, heads)
	if dk != nil || dv != nil {
		c.emit("attention_grad_key", c.warpEach(k.Rows*heads), c.step, c.region(grad), c.region(q), c.region(k), c.region(v), ranges, sums,
			written{c.region(dk)}, written{c.region(dv)}, s, t, d, heads)
	}
}
