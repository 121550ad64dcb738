package cuda

import (
	"github.com/acqnp/acqnp/internal/engine/analysis"
	"github.com/acqnp/acqnp/internal/models/ops"
)

func (c *compiler) columns(u *analysis.Unit) {
	t := c.elementTask(opColumns, u)
	t.k, t.stride = u.In[0].Width, u.Op.From
	c.put(byPiece, t)
}

func (c *compiler) join(u *analysis.Unit) {
	t := c.elementTask(opJoin, u)
	t.k = u.In[0].Width
	c.put(byPiece, t)
}

// ones adds a task that uses only the space of the input, not its values.
func (c *compiler) ones(u *analysis.Unit) {
	out := u.Out[0]
	c.put(byPiece, task{op: opOnes, s: int(out.Space), d: out.Width, out: c.at(out)})
}

func (c *compiler) add(u *analysis.Unit)          { c.put(byPiece, c.elementTask(opAdd, u)) }
func (c *compiler) sigmoid(u *analysis.Unit)      { c.put(byPiece, c.elementTask(opSigmoid, u)) }
func (c *compiler) sigmoidGrad(u *analysis.Unit)  { c.put(byPiece, c.elementTask(opSigmoidGrad, u)) }
func (c *compiler) uniformLevel(u *analysis.Unit) { c.put(byPiece, c.elementTask(opUniformLevel, u)) }
func (c *compiler) uniformLogit(u *analysis.Unit) { c.put(byPiece, c.elementTask(opUniformLogit, u)) }

// elementTask returns a task whose one or two inputs have the space of the result.
func (c *compiler) elementTask(op operation, u *analysis.Unit) task {
	out := u.Out[0]
	t := task{op: op, s: int(out.Space), d: out.Width, a: c.at(u.In[0]), out: c.at(out)}
	if len(u.In) > 1 {
		t.b = c.at(u.In[1])
	}
	t.local = present(t.a, t.b)
	return t
}

// addition adds a task that sums two gradients of one value, which may be a parameter.
func (c *compiler) addition(u *analysis.Unit) {
	out := u.Out[0]
	t := c.elementTask(opAdd, u)
	if out.Space <= ops.Scalar {
		t.k, t.stride, t.d = out.Width, c.strideOf(out), out.Rows*out.Width
	}
	c.put(byPiece, t)
}
