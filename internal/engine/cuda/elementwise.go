package cuda

import (
	"github.com/acqnp/acqnp/internal/engine/analysis"
	"github.com/acqnp/acqnp/internal/models/ops"
)

// element adds the task of an operation that is declared by an element.
func (c *compiler) element(u *analysis.Unit) { c.put(byPiece, c.elementTask(u)) }

// elementTask returns the task of an operation that is declared by an element. A row of the result
// reads the same row of inputs in its space, unless the operation reads across rows.
func (c *compiler) elementTask(u *analysis.Unit) task {
	o, out := u.Op, u.Out[0]
	t := task{op: operation(o.Kind), s: int(out.Space), other: int(out.Space), k: u.In[0].Width, d: out.Width, relu: o.ReLU,
		from: o.From, scale: o.Scale, shift: o.Shift, floor: o.Floor, out: c.region(out)}
	for i, at := range []*region{&t.a, &t.b, &t.c}[:len(u.In)] {
		in := u.In[i]
		*at = c.region(in)
		if in.Space == out.Space && !o.Across() {
			t.local = append(t.local, *at)
		}
		if in.Space != out.Space && t.other == t.s {
			t.other = int(in.Space)
		}
	}
	return t
}

// ones adds a task that uses only the space of the input, not its values.
func (c *compiler) ones(u *analysis.Unit) {
	t := c.elementTask(u)
	t.a, t.local = region{}, nil
	c.put(byPiece, t)
}

// addition adds a task that sums two gradients of one value, which may be a parameter.
func (c *compiler) addition(u *analysis.Unit) {
	a, b, out := u.In[0], u.In[1], u.Out[0]
	t := task{op: add, s: int(out.Space), d: out.Width, a: c.region(a), b: c.region(b), out: c.region(out)}
	t.local = present(t.a, t.b)
	if out.Space <= ops.Scalar {
		t.k, t.stride, t.d = out.Width, c.strideOf(out), out.Rows*out.Width
	}
	c.put(byPiece, t)
}

// setMeanGradOfSum adds one task for a sum of two gradients and the mean's gradient that reads it.
func (c *compiler) setMeanGradOfSum(sum, u *analysis.Unit) {
	t := c.elementTask(u)
	t.a, t.b = c.region(sum.In[0]), c.region(sum.In[1])
	c.put(byPiece, t)
}

func (c *compiler) ensembleAddGrad(u *analysis.Unit) {
	grad, result := u.In[0], u.In[1]
	above := map[ops.Space]ops.Space{ops.Row: ops.Point, ops.Resample: ops.Context}[grad.Space]
	for part, op := range [...]operation{ops.PointGrad: pointGrad, ops.EnsembleGrad: levelGrad} {
		if out := u.Out[part]; out != nil {
			c.put(byPiece, task{op: op, s: int(out.Space), other: int(above), d: out.Width, relu: u.Op.ReLU, a: c.region(grad), b: c.region(result), out: c.region(out)})
		}
	}
}
