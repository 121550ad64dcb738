package cuda

import (
	"github.com/acqnp/acqnp/internal/engine/analysis"
	"github.com/acqnp/acqnp/internal/models/ops"
)

func (c *compiler) gaussian(u *analysis.Unit) {
	decoded, y, out := u.In[0], u.In[1], u.Out[0]
	t := task{op: gaussian, s: int(out.Space), other: int(y.Space), k: y.Width, d: 1, floor: u.Op.Floor, a: c.region(decoded), b: c.region(y), out: c.region(out)}
	t.local = present(t.a)
	c.put(byPiece, t)
}

func (c *compiler) gaussianGrad(u *analysis.Unit) {
	grad, decoded, y, out := u.In[0], u.In[1], u.In[2], u.Out[0]
	t := task{op: gaussianGrad, s: int(out.Space), other: int(y.Space), k: y.Width, d: 1, floor: u.Op.Floor,
		a: c.region(grad), b: c.region(decoded), c: c.region(y), out: c.region(out)}
	t.local = present(t.a, t.b)
	c.put(byPiece, t)
}

func (c *compiler) mixture(u *analysis.Unit) {
	components, z, y, out := u.In[0], u.In[1], u.In[2], u.Out[0]
	c.emit("mixture", c.warpEach(out.Rows), c.step, c.region(components), c.region(z), c.region(y), written{c.region(out)}, y.Width, float32(u.Op.Floor), flag(u.Op.Natural))
}

func (c *compiler) mixtureGrad(u *analysis.Unit) { c.mixtureGradAnd(u, nil) }

// mixtureGradAnd launches the kernel of the gradient. The kernel also writes the likelihood to ll,
// unless ll is nil.
func (c *compiler) mixtureGradAnd(u *analysis.Unit, ll *analysis.Value) {
	grad, components, z, y := u.In[0], u.In[1], u.In[2], u.In[3]
	c.emit("mixture_grad", c.warpEach(grad.Rows), c.step, c.region(grad), c.region(components), c.region(z), c.region(y),
		written{c.region(u.Out[ops.ComponentsGrad])}, written{c.region(u.Out[ops.LogitGrad])}, written{c.region(ll)}, y.Width, float32(u.Op.Floor), flag(u.Op.Natural))
}

func (c *compiler) logMeanExp(u *analysis.Unit) {
	ll, out := u.In[0], u.Out[0]
	c.emit("log_mean_exp", c.warpEach(out.Rows), c.step, c.region(ll), written{c.region(out)})
}

// negMean adds a task for one or two inputs.
func (c *compiler) negMean(u *analysis.Unit) {
	t := task{op: negMean, s: int(u.In[0].Space), d: 1, k: 1, a: c.region(u.In[0]), out: c.region(u.Out[0])}
	if len(u.In) > 1 {
		t.other, t.b = int(u.In[1].Space), c.region(u.In[1])
	}
	c.put(bySums, t)
}
