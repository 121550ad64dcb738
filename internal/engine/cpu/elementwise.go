package cpu

import (
	"github.com/acqnp/acqnp/internal/engine/analysis"
	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/internal/simd"
)

func (c *compiler) add(u *analysis.Unit) kernel {
	a, b, out := c.reads(u.In[0]), c.reads(u.In[1]), c.writes(u.Out[0])
	return func(w *worker, t *tile) {
		simd.Add(out.rows(t), out.width, a.matrix(w, t), b.matrix(w, t), out.matrix(w, t))
	}
}

func (c *compiler) join(u *analysis.Unit) kernel {
	a, b, out := c.reads(u.In[0]), c.reads(u.In[1]), c.writes(u.Out[0])
	return func(w *worker, t *tile) {
		y := out.slice(w, t)
		copyColumns(y, out.width, a.slice(w, t), a.width, a.width)
		copyColumns(y[a.width:], out.width, b.slice(w, t), b.width, b.width)
	}
}

// copyColumns copies n columns of the rows of x, fromStride apart, to those of y, toStride apart. x
// and y begin at the first of the columns.
func copyColumns(y []float32, toStride int, x []float32, fromStride, n int) {
	if n == 1 { // a level: a call of copy for each takes longer than the layer that reads it
		for at := 0; len(x) > 0; at += toStride {
			y[at] = x[0]
			x = x[min(fromStride, len(x)):]
		}
		return
	}
	for at := 0; len(x) > 0; at += toStride {
		copy(y[at:at+n], x)
		x = x[min(fromStride, len(x)):]
	}
}

func (c *compiler) ones(u *analysis.Unit) kernel {
	out := c.writes(u.Out[0])
	return func(w *worker, t *tile) {
		y := out.slice(w, t)
		for i := range y {
			y[i] = 1
		}
	}
}

func (c *compiler) columns(u *analysis.Unit) kernel {
	in, out := c.reads(u.In[0]), c.writes(u.Out[0])
	from := u.Op.From
	return func(w *worker, t *tile) {
		copyColumns(out.slice(w, t), out.width, in.slice(w, t)[from:], in.width, out.width)
	}
}

// elements makes the kernel of an operation whose declaration has a row kernel.
func (c *compiler) elements(u *analysis.Unit, row ops.RowKernel) kernel {
	a, out := c.reads(u.In[0]), c.writes(u.Out[0])
	if len(u.In) == 1 {
		return func(w *worker, t *tile) { row(out.slice(w, t), a.slice(w, t), nil) }
	}
	b := c.reads(u.In[1])
	return func(w *worker, t *tile) { row(out.slice(w, t), a.slice(w, t), b.slice(w, t)) }
}

// addition adds two gradients of one value.
func (c *compiler) addition(u *analysis.Unit) kernel {
	a, b, out := c.reads(u.In[0]), c.reads(u.In[1]), c.writes(u.Out[0])
	if a.space == ops.Parameter { // a whole matrix [rows, width], while span returns one row
		n := u.Out[0].Rows * u.Out[0].Width
		return func(*worker, *tile) {
			simd.Add(1, n, simd.Rows(a.data, n), simd.Rows(b.data, n), simd.Rows(out.data, n))
		}
	}
	return c.add(u)
}
