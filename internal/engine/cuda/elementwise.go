package cuda

import (
	"github.com/acqnp/acqnp/internal/engine/plan"
	"github.com/acqnp/acqnp/internal/ops"
)

func (c *compiler) columns(u *plan.Unit) {
	in, out := u.In[0], u.Out[0]
	c.emit("columns", c.each(out), c.step, c.at(in), c.at(out), int(out.Space), in.Width, u.Op.From, out.Width)
}

func (c *compiler) join(u *plan.Unit) {
	a, b, out := u.In[0], u.In[1], u.Out[0]
	c.emit("join", c.each(out), c.step, c.at(a), c.at(b), c.at(out), int(out.Space), a.Width, b.Width)
}

// ones launches a kernel that does not read the input: only its space matters.
func (c *compiler) ones(u *plan.Unit) {
	out := u.Out[0]
	c.emit("ones", c.each(out), c.step, c.at(out), int(out.Space), out.Width)
}

func (c *compiler) add(u *plan.Unit)          { c.elementwise(u, "add") }
func (c *compiler) sigmoid(u *plan.Unit)      { c.elementwise(u, "sigmoid") }
func (c *compiler) sigmoidGrad(u *plan.Unit)  { c.elementwise(u, "sigmoid_grad") }
func (c *compiler) uniformLevel(u *plan.Unit) { c.elementwise(u, "uniform_level") }
func (c *compiler) uniformLogit(u *plan.Unit) { c.elementwise(u, "uniform_logit") }

// elementwise launches a kernel whose inputs and result have one space and one width.
func (c *compiler) elementwise(u *plan.Unit, kernel string) {
	out := u.Out[0]
	args := []any{c.step}
	for _, v := range u.In {
		args = append(args, c.at(v))
	}
	c.emit(kernel, c.each(out), append(args, c.at(out), int(out.Space), out.Width)...)
}

// addition adds two gradients of one value, which may be a parameter's.
func (c *compiler) addition(u *plan.Unit) {
	out := u.Out[0]
	c.emit("add", c.each(out), c.step, c.at(u.In[0]), c.at(u.In[1]), c.at(out), int(out.Space), flatWidth(out))
}

// flatWidth returns the columns of a value as the kernels see it: a parameter counts as one row.
func flatWidth(v *plan.Value) int {
	if v.Space <= ops.Scalar {
		return v.Rows * v.Width
	}
	return v.Width
}
