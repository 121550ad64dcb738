package cpu

import (
	"github.com/acqnp/acqnp/internal/engine/plan"
	"github.com/acqnp/acqnp/internal/ops"
	"github.com/acqnp/acqnp/internal/simd"
)

// weight is a block of the flat vector, packed at the start of every run for both directions.
type weight struct {
	block         ops.Block
	out, in       int
	rows          []float32 // [out, in]
	forward, back *simd.Packed
	turned        bool // back is made
}

func (w *weight) run(params []float32) {
	ops.LoadBlock(w.rows, params, w.block)
	for i, v := range w.rows {
		w.rows[i] = flush(v)
	}
	w.forward.Pack(w.rows, 1, w.in)
	if w.back != nil {
		w.back.Pack(w.rows, w.in, 1)
	}
}

func (c *compiler) weight(v *plan.Value) *weight {
	if w := c.weights[v]; w != nil {
		return w
	}
	b := c.blocks[v]
	w := &weight{block: b, out: b.Rows, in: b.Cols, rows: c.floats(b.Rows * b.Cols), forward: c.packed(b.Cols, b.Rows)}
	c.weights[v] = w
	c.p.weights = append(c.p.weights, w)
	return w
}

// linear is act(base↑ + in·Wᵀ).
func (c *compiler) linear(u *plan.Unit) kernel {
	base, in, out, w := c.in(u.In[0]), c.in(u.In[1]), c.out(u.Out[0]), c.weight(u.In[2])
	l := c.join(w, cold{forward: w.forward})
	mode := simd.Overwrite
	if u.Op.ReLU {
		mode = simd.ReLU
	}
	switch base.space {
	case ops.Parameter:
		return func(wk *worker, t *tile) {
			w.forward.MultiplyBias(out.rows(t), in.at(wk, t), in.stride, base.data, 0, out.at(wk, t), out.stride, mode, l.duringLast(wk, t))
		}
	case out.space:
		return func(wk *worker, t *tile) {
			w.forward.MultiplyBias(out.rows(t), in.at(wk, t), in.stride, base.at(wk, t), base.stride, out.at(wk, t), out.stride, mode,
				l.duringLast(wk, t))
		}
	}
	return func(wk *worker, t *tile) {
		x, y, above, ahead := in.at(wk, t), out.at(wk, t), base.at(wk, t), l.duringLast(wk, t)
		groups(t, out.space, base.space, func(k, i, j int) {
			w.forward.MultiplyBias(j-i, x[i*in.stride:], in.stride, above[k*base.stride:], 0, y[i*out.stride:], out.stride, mode, ahead)
		})
	}
}

// accumulate is dW[out, in] += gᵀ·x, with dW packed; a weight narrow on the side of its input goes by way of its
// transpose in column.
func (w *weight) accumulate(m int, g []float32, ldg int, x []float32, ldx int, dw, column []float32, ahead *simd.Ahead) {
	if w.in >= narrow {
		simd.TransposeMultiply(m, w.out, w.in, g, ldg, x, ldx, dw, w.in, ahead)
		return
	}
	column = column[:w.in*w.out]
	clear(column)
	simd.TransposeMultiply(m, w.in, w.out, x, ldx, g, ldg, column, w.out, nil)
	for c := range w.in {
		for j := range w.out {
			dw[j*w.in+c] += column[c*w.out+j]
		}
	}
}

// narrow is the width below which a weight's gradient is summed transposed.
const narrow = 16

// linearGrad makes the parts of a linear layer's gradient from the gradient behind its ReLU: one that its maker has
// masked already, or a masked copy.
func (c *compiler) linearGrad(u *plan.Unit) kernel {
	grad, result, in, w := c.in(u.In[0]), c.in(u.In[1]), c.in(u.In[2]), c.weight(u.In[3])
	base, dx, dw := c.out(u.Out[ops.BaseGrad]), c.out(u.Out[ops.InGrad]), c.out(u.Out[ops.WeightGrad])
	relu := u.Op.ReLU && !c.masked[u.In[0]]
	c.widest = max(c.widest, w.out)
	maskNext := false
	if dx != nil {
		maskNext = masks(u)
		c.masked[u.Out[ops.InGrad]] = maskNext
		if !w.turned {
			w.turned, w.back = true, c.packed(w.out, w.in)
		}
	}
	l := c.join(w, cold{back: w.back, in: in, dw: dw})
	duringWeights := l.duringLast
	if dx != nil {
		duringWeights = l.duringFirst
	}
	return func(wk *worker, t *tile) {
		g, ldg, m := grad.at(wk, t), grad.stride, grad.rows(t)
		if relu {
			g, ldg = mask(wk.masked, g, grad, result.at(wk, t), result, m), w.out
		}
		if base != nil {
			collect(t, base.at(wk, t), base, g, grad.space, ldg)
		}
		if dw != nil {
			w.accumulate(m, g, ldg, in.at(wk, t), in.stride, dw.at(wk, t), wk.column, duringWeights(wk, t))
		}
		switch {
		case dx == nil:
		case maskNext:
			w.back.MultiplyMasked(m, g, ldg, in.at(wk, t), in.stride, dx.at(wk, t), dx.stride, simd.Overwrite, l.duringLast(wk, t))
		default:
			w.back.Multiply(m, g, ldg, dx.at(wk, t), dx.stride, simd.Overwrite, l.duringLast(wk, t))
		}
	}
}

// masks reports whether the gradient by u's input goes to nothing but the layer that made that input with a ReLU, so that
// its mask is at hand here; that layer then need not mask again.
func masks(u *plan.Unit) bool {
	dx := u.Out[ops.InGrad]
	if dx == nil || len(dx.Users) != 1 || dx.Result {
		return false
	}
	next := dx.Users[0]
	return next.Op != nil && next.Op.Kind == ops.LinearGrad && next.Op.ReLU && next.In[0] == dx && next.In[1] == u.In[2]
}

// groups calls f for every run of rows [i, j) of a tile's child space that belongs to row k of the ancestor's.
func groups(t *tile, child, ancestor ops.Space, f func(k, i, j int)) {
	lo, hi := t.span(child)
	first, _ := t.span(ancestor)
	ratio := t.e.Ratio(child, ancestor)
	for i := lo; i < hi; {
		k := i / ratio
		j := min(hi, (k+1)*ratio)
		f(k-first, i-lo, j-lo)
		i = j
	}
}

// spread copies every row of base to the rows of y below it.
func spread(t *tile, y []float32, space ops.Space, base []float32, above ops.Space, d int) {
	groups(t, space, above, func(k, i, j int) {
		row := base[k*d : (k+1)*d]
		for ; i < j; i++ {
			copy(y[i*d:(i+1)*d], row)
		}
	})
}

// collect sums the rows of g, ldg apart, into the rows above them; a sum over tiles goes on, any other starts from zero.
func collect(t *tile, dst []float32, o *operand, g []float32, space ops.Space, ldg int) {
	d := o.width
	if o.sum == nil {
		clear(dst)
	}
	groups(t, space, o.space, func(k, i, j int) {
		simd.SumRows(dst[k*o.stride:][:d], g[i*ldg:], j-i, d, ldg)
	})
}

func rectify(y []float32) {
	for i, v := range y {
		if v < 0 {
			y[i] = 0
		}
	}
}

// mask is m rows of g where the ReLU let its input through, 0 elsewhere, packed.
func mask(dst, g []float32, grad *operand, result []float32, of *operand, m int) []float32 {
	d := grad.width
	for i := range m {
		y, row := result[i*of.stride:][:d], dst[i*d:(i+1)*d]
		for j, v := range g[i*grad.stride:][:d] {
			if y[j] == 0 {
				v = 0
			}
			row[j] = v
		}
	}
	return dst
}
