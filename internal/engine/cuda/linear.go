package cuda

import (
	"github.com/acqnp/acqnp/internal/engine/analysis"
	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/kernels/gpu"
)

// Constants of the kernels of linear.cu, chain.cu and weights.cu: the threads of a block, the rows and
// columns of the result's tile that a block computes at a time, the most slices of rows over which a
// weight's gradient is summed (for more than manyRows rows, and for fewer), and the elements of the
// gradient for which a block adds the slices' sums.
const (
	linearThreads = 128
	tileRows      = 32
	tileColumns   = 64
	maxSlices     = 256
	fewSlices     = 64
	sumsPerBlock  = 16
)

// tiles returns the number of tiles of a result [m, n].
func tiles(m, n int) int { return ceilDiv(m, tileRows) * ceilDiv(n, tileColumns) }

// slicesOf returns the number of slices into which rows are divided.
func slicesOf(rows int) int {
	if rows > manyRows {
		return maxSlices // a run of fewer rows has fewer slices
	}
	return min(fewSlices, ceilDiv(rows, tileRows))
}

func ceilDiv(a, b int) int { return (a + b - 1) / b }

// eachTile returns the shape of a launch with a block for each of n tiles.
func (c *compiler) eachTile(n int) gpu.Dims { return c.grid(n, 1, linearThreads) }

// linear adds a task, or a launch if there are many rows.
func (c *compiler) linear(u *analysis.Unit) {
	base, in, w, out := u.In[0], u.In[1], u.In[2], u.Out[0]
	if out.Rows > manyRows {
		c.emit("linear", c.eachTile(tiles(out.Rows, out.Width)), c.step, c.region(base), c.region(in), c.region(w), written{c.region(out)},
			int(out.Space), int(base.Space), in.Width, out.Width, flag(u.Op.ReLU), c.strideOf(w))
		return
	}
	t := task{op: linear, s: int(out.Space), other: int(base.Space), k: in.Width, d: out.Width, relu: u.Op.ReLU, stride: c.strideOf(w),
		a: c.region(base), b: c.region(in), c: c.region(w), out: c.region(out)}
	t.local = present(t.b)
	if base.Space == out.Space {
		t.local = present(t.a, t.b)
	}
	c.put(byRows, t)
}

// linearGrad adds steps for the parts of a layer's gradient that the graph asks for. The tasks of
// the weight's gradient also compute that of the bias.
func (c *compiler) linearGrad(u *analysis.Unit) {
	grad, in := u.In[0], u.In[2]
	base, dx, dw := u.Out[ops.BaseGrad], u.Out[ops.InGrad], u.Out[ops.WeightGrad]
	if dx != nil {
		c.inGrad(u)
	}
	bias := base != nil && base.Space == ops.Parameter
	if base != nil && !bias {
		t := task{op: baseGrad, s: int(base.Space), other: int(in.Space), d: grad.Width, relu: u.Op.ReLU, a: c.region(grad), b: c.masked(u), out: c.region(base)}
		if base.Space == in.Space {
			t.local = present(t.a, t.b)
		}
		c.put(byPiece, t)
	}
	if dw == nil && !bias {
		return
	}
	var dbase region
	if bias {
		dbase = c.region(base)
	}
	s, k, d := int(in.Space), in.Width, grad.Width
	partial := c.reserve(slicesOf(in.Rows) * d * (k + 1))
	c.put(bySlices, task{op: weightGrad, s: s, k: k, d: d, relu: u.Op.ReLU, a: c.region(grad), b: c.masked(u), c: c.region(in), out: partial})
	sum := task{op: weightGradSum, s: s, k: k, d: d, stride: k, a: partial, out: c.region(dw), more: dbase}
	if dw != nil {
		sum.stride = c.strideOf(dw)
	}
	c.put(bySums, sum)
}

// masked returns the result of the layer whose gradient u is, if the layer has a ReLU. Otherwise the
// gradient does not depend on the result, and masked returns the zero region.
func (c *compiler) masked(u *analysis.Unit) region {
	if !u.Op.ReLU {
		return region{}
	}
	return c.region(u.In[1])
}

// inGrad adds the step for the gradient of a layer's input.
func (c *compiler) inGrad(u *analysis.Unit) {
	grad, in, w, dx := u.In[0], u.In[2], u.In[3], u.Out[ops.InGrad]
	if in.Rows > manyRows {
		c.emit("in_grad", c.eachTile(tiles(in.Rows, in.Width)), c.step, c.region(grad), c.masked(u), c.region(w), written{c.region(dx)},
			int(in.Space), in.Width, grad.Width, flag(u.Op.ReLU), c.strideOf(w))
		return
	}
	t := task{op: inGrad, s: int(in.Space), k: in.Width, d: grad.Width, relu: u.Op.ReLU, stride: c.strideOf(w),
		a: c.region(grad), b: c.masked(u), c: c.region(w), out: c.region(dx)}
	t.local = present(t.a, t.b)
	c.put(byRows, t)
}
