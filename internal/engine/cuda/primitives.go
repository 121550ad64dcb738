package cuda

import (
	"math"

	"github.com/acqnp/acqnp/internal/engine/analysis"
)

func (c *compiler) mul(u *analysis.Unit)      { c.put(byPiece, c.elementTask(opMul, u)) }
func (c *compiler) exp(u *analysis.Unit)      { c.put(byPiece, c.elementTask(opExp, u)) }
func (c *compiler) log(u *analysis.Unit)      { c.put(byPiece, c.elementTask(opLog, u)) }
func (c *compiler) softplus(u *analysis.Unit) { c.put(byPiece, c.elementTask(opSoftplus, u)) }
func (c *compiler) positive(u *analysis.Unit) { c.put(byPiece, c.elementTask(opPositive, u)) }

// affine adds a task. Its field stride holds the bits of the shift, as a float32.
func (c *compiler) affine(u *analysis.Unit) {
	t := c.elementTask(opAffine, u)
	t.number, t.stride = u.Op.Scale, int(math.Float32bits(float32(u.Op.Shift)))
	c.put(byPiece, t)
}

func (c *compiler) pad(u *analysis.Unit) {
	t := c.elementTask(opPadColumns, u)
	t.k, t.stride = u.In[0].Width, u.Op.From
	c.put(byPiece, t)
}

func (c *compiler) spread(u *analysis.Unit)    { c.resize(opSpread, u) }
func (c *compiler) sum(u *analysis.Unit)       { c.resize(opSum, u) }
func (c *compiler) logSumExp(u *analysis.Unit) { c.resize(opLogSumExp, u) }

// resize adds a task whose result differs from its input in columns or in space.
func (c *compiler) resize(op operation, u *analysis.Unit) {
	in, out := u.In[0], u.Out[0]
	t := task{op: op, s: int(out.Space), other: int(in.Space), k: in.Width, d: out.Width, a: c.at(in), out: c.at(out)}
	if in.Space == out.Space {
		t.local = present(t.a)
	}
	c.put(byPiece, t)
}
