package cpu

import (
	"github.com/acqnp/acqnp/internal/engine/plan"
	"github.com/acqnp/acqnp/internal/ops"
	"github.com/acqnp/acqnp/internal/simd"
)

// weight is a layer's weight, a block of the flat vector. It is packed at the start of every run.
type weight struct {
	block   ops.Block
	out, in int
	rows    []float32    // [out, in]
	forward *simd.Packed // [in, out], for in·Wᵀ
	back    *simd.Packed // [out, in], for gradient·W; nil where no layer needs the gradient by its input
}

// pack reads the weight from the flat vector and packs it.
func (w *weight) pack(params []float32) {
	ops.LoadBlock(w.rows, params, w.block)
	for i, v := range w.rows {
		w.rows[i] = flush(v)
	}
	w.forward.Pack(w.rows, 1, w.in)
	if w.back != nil {
		w.back.Pack(w.rows, w.in, 1)
	}
}

// makeWeights makes the weights of all layers.
func (c *compiler) makeWeights() {
	for _, s := range c.stages {
		for _, u := range s.units {
			v := weightOf(u)
			if v == nil {
				continue
			}
			w := c.weights[v]
			if w == nil {
				b := c.blocks[v]
				w = &weight{block: b, out: b.Rows, in: b.Cols, rows: c.floats(b.Rows * b.Cols), forward: c.packed(b.Cols, b.Rows)}
				c.weights[v] = w
				c.p.weights = append(c.p.weights, w)
			}
			if u.Op.Kind == ops.LinearGrad && u.Out[ops.InGrad] != nil && w.back == nil {
				w.back = c.packed(w.out, w.in)
			}
		}
	}
}

// weightOf returns the weight that a unit multiplies by, nil where it is no layer.
func weightOf(u *plan.Unit) *plan.Value {
	switch {
	case !layer(u):
		return nil
	case u.Op.Kind == ops.Linear:
		return u.In[2]
	}
	return u.In[3]
}

// linear is act(base↑ + in·Wᵀ).
func (c *compiler) linear(u *plan.Unit) kernel {
	base, in, out, w := c.in(u.In[0]), c.in(u.In[1]), c.out(u.Out[0]), c.weights[u.In[2]]
	l := c.cold[u]
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
	grad, result, in, w := c.in(u.In[0]), c.in(u.In[1]), c.in(u.In[2]), c.weights[u.In[3]]
	base, dx, dw := c.out(u.Out[ops.BaseGrad]), c.out(u.Out[ops.InGrad]), c.out(u.Out[ops.WeightGrad])
	relu, maskNext := u.Op.ReLU && !masked(u.In[0]), masks(u)
	l := c.cold[u]
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

// masked reports whether a gradient carries the mask of its ReLU already.
func masked(grad *plan.Value) bool {
	u := grad.Made
	return u != nil && u.Op != nil && u.Op.Kind == ops.LinearGrad && u.Out[ops.InGrad] == grad && masks(u)
}

// masks reports whether u, a layer's gradient, masks the gradient by its input: where that goes to nothing but the layer that
// made the input with a ReLU, whose mask is at hand here. That layer then need not mask again.
func masks(u *plan.Unit) bool {
	dx := u.Out[ops.InGrad]
	if dx == nil || len(dx.Users) != 1 || dx.Result {
		return false
	}
	next := dx.Users[0]
	return next.Op != nil && next.Op.Kind == ops.LinearGrad && next.Op.ReLU && next.In[0] == dx && next.In[1] == u.In[2]
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
