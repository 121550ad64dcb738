package cuda

import (
	"github.com/acqnp/acqnp/internal/engine/plan"
	"github.com/acqnp/acqnp/internal/gpu"
	"github.com/acqnp/acqnp/internal/ops"
)

// Constants of kernels/linear.cu: the threads of a block, the tile of a product's result that a
// block computes at a time, the most slices of rows by which a weight's gradient is summed, and the
// sums over slices that a block adds.
const (
	linearThreads = 128
	tileRows      = 32
	tileColumns   = 64
	maxSlices     = 256
	sumsPerBlock  = 16
)

// tiles returns the number of tiles of a result [m, n].
func tiles(m, n int) int { return ceilDiv(m, tileRows) * ceilDiv(n, tileColumns) }

// slicesOf returns the number of slices into which rows are divided.
func slicesOf(rows int) int { return min(maxSlices, ceilDiv(rows, tileRows)) }

func ceilDiv(a, b int) int { return (a + b - 1) / b }

// eachTile returns the shape of a launch with a block for each of n tiles.
func (c *compiler) eachTile(n int) gpu.Dims { return c.over(n, 1, linearThreads) }

func (c *compiler) linear(u *plan.Unit) {
	base, in, w, out := u.In[0], u.In[1], u.In[2], u.Out[0]
	c.emit("linear", c.eachTile(tiles(out.Rows, out.Width)), c.step, c.at(base), c.at(in), c.at(w), c.at(out),
		int(out.Space), int(base.Space), in.Width, out.Width, flag(u.Op.ReLU))
}

// linearGrad launches a kernel for each part of a layer's gradient that the graph asks for. The
// gradient of a bias comes with the weight's.
func (c *compiler) linearGrad(u *plan.Unit) {
	grad, result, in, w := u.In[0], u.In[1], u.In[2], u.In[3]
	base, dx, dw := u.Out[ops.BaseGrad], u.Out[ops.InGrad], u.Out[ops.WeightGrad]
	s, k, d, relu := int(in.Space), in.Width, grad.Width, flag(u.Op.ReLU)
	if dx != nil {
		c.emit("in_grad", c.eachTile(tiles(in.Rows, k)), c.step, c.at(grad), c.at(result), c.at(w), c.at(dx), s, k, d, relu)
	}
	bias := base != nil && base.Space == ops.Parameter
	if base != nil && !bias {
		c.emit("base_grad", c.over(base.Rows*d, linearThreads, linearThreads), c.step, c.at(grad), c.at(result), c.at(base), s, int(base.Space), d, relu)
	}
	if dw == nil && !bias {
		return
	}
	to, dbase := c.at(dw), region{}
	if dw == nil {
		to = c.reserveScratch(d * k)
	}
	if bias {
		dbase = c.at(base)
	}
	n := slicesOf(in.Rows)
	partial := c.reserveScratch(n * d * (k + 1))
	c.emit("weight_grad", c.eachTile(n*tiles(d, k)), c.step, c.at(grad), c.at(result), c.at(in), partial, s, k, d, relu)
	c.emit("weight_grad_sum", c.over(d*(k+1), sumsPerBlock, linearThreads), c.step, partial, to, dbase, s, k, d)
}

// reserveScratch reserves n numbers for the item whose launches are being added.
func (c *compiler) reserveScratch(n int) region { return c.reserve(n, c.now, c.now) }
