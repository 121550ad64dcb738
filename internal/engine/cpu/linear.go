package cpu

import (
	"github.com/acqnp/acqnp/internal/engine/analysis"
	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/internal/simd"
)

// weight is a layer's weight, a block of the flat vector. It is packed at the start of every run.
type weight struct {
	block   ops.Block
	out, in int
	rows    []float32    // [out, in]
	forward *simd.Packed // [in, out], for x·Wᵀ; nil if no unit needs it
	back    *simd.Packed // [out, in], for gradient·W; nil if no unit needs the gradient with respect to the input
	halves  *halfWeight  // in precision bf16, of a wide layer
}

// pack reads the weight from the flat vector and packs it.
func (w *weight) pack(params []float32) {
	if b := w.block; b.Contiguous() {
		simd.Flush(w.rows, params[b.Offset:][:len(w.rows)])
	} else {
		ops.LoadBlock(w.rows, params, b)
		simd.Flush(w.rows, w.rows)
	}
	if w.forward != nil {
		w.forward.Pack(w.rows, 1, w.in)
	}
	if w.back != nil {
		w.back.Pack(w.rows, w.in, 1)
	}
	if w.halves != nil {
		w.halves.pack(w)
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
				b := *v.Block
				w = &weight{block: b, out: b.Rows, in: b.Cols, rows: c.floats(b.Rows * b.Cols)}
				c.weights[v] = w
				c.p.weights = append(c.p.weights, w)
			}
			back := u.Op.Kind == ops.LinearGrad && u.Out[ops.InGrad] != nil
			switch {
			case c.inHalves(u):
				c.packHalves(w, back)
			case u.Op.Kind == ops.Linear && w.forward == nil:
				w.forward = c.packed(w.in, w.out)
			case back && w.back == nil:
				w.back = c.packed(w.out, w.in)
			}
		}
	}
}

// weightOf returns the weight that a unit multiplies by, nil if it is not a layer.
func weightOf(u *analysis.Unit) *analysis.Value {
	switch {
	case !layer(u):
		return nil
	case u.Op.Kind == ops.Linear:
		return u.In[2]
	}
	return u.In[3]
}

// linear makes the kernel of act(base + x·Wᵀ). If base's space is an ancestor of x's, the kernel
// makes one product for each row of base; inHalves excludes that.
func (c *compiler) linear(u *analysis.Unit) kernel {
	base, in, out, w := c.reads(u.In[0]), c.reads(u.In[1]), c.writes(u.Out[0]), c.weights[u.In[2]]
	l := c.cold[u]
	mode := simd.Overwrite
	if u.Op.ReLU {
		mode = simd.ReLU
	}
	switch {
	case c.inHalves(u):
		return func(wk *worker, t *tile) {
			p := simd.HalfProduct{M: out.rows(t), A: in.roundRows(wk, t, 0), ReLU: u.Op.ReLU, Ahead: l.duringLast(wk, t)}
			if base.space == ops.Parameter {
				p.Start = simd.Rows(base.data, 0)
			} else {
				p.Start = base.matrix(wk, t)
			}
			out.receive(&p, wk, t)
			w.halves.forward.Multiply(p)
		}
	case base.space == ops.Parameter:
		return func(wk *worker, t *tile) {
			w.forward.MultiplyBias(out.rows(t), in.matrix(wk, t), simd.Rows(base.data, 0), out.matrix(wk, t), mode, l.duringLast(wk, t))
		}
	case base.space == out.space:
		return func(wk *worker, t *tile) {
			w.forward.MultiplyBias(out.rows(t), in.matrix(wk, t), base.matrix(wk, t), out.matrix(wk, t), mode, l.duringLast(wk, t))
		}
	}
	return func(wk *worker, t *tile) {
		x, y, above, ahead := in.matrix(wk, t), out.matrix(wk, t), base.matrix(wk, t), l.duringLast(wk, t)
		groups(t, out.space, base.space, func(k, i, j int) {
			w.forward.MultiplyBias(j-i, x.Slice(i, 0), simd.Rows(above.Slice(k, 0).Data, 0), y.Slice(i, 0), mode, ahead)
		})
	}
}

// narrow is the number of columns below which a weight's gradient is summed transposed.
const narrow = 16

// addGradient computes dw [out, in] += gᵀ·x, with g [m, out] and x [m, in]. If in is narrow, it
// computes the transpose in column and adds that to dw.
func (w *weight) addGradient(m int, g, x simd.Matrix, dw, column []float32, ahead *simd.Ahead) {
	if w.in >= narrow {
		simd.TransposeMultiply(m, w.out, w.in, g, x, simd.Rows(dw, w.in), ahead)
		return
	}
	column = column[:w.in*w.out]
	clear(column)
	simd.TransposeMultiply(m, w.in, w.out, x, g, simd.Rows(column, w.out), nil)
	for c := range w.in {
		for j := range w.out {
			dw[j*w.in+c] += column[c*w.out+j]
		}
	}
}

// linearGrad makes the kernel of all parts of a layer's gradient. It computes them from the
// gradient before the layer's ReLU: the unit's input if that is masked already, otherwise a masked
// copy. In bfloat16, it multiplies that gradient and the input rounded, and sums the rounded one for
// a bias.
func (c *compiler) linearGrad(u *analysis.Unit) kernel {
	grad, result, in, w := c.reads(u.In[0]), c.reads(u.In[1]), c.reads(u.In[2]), c.weights[u.In[3]]
	base, dx, dw := c.writes(u.Out[ops.BaseGrad]), c.writes(u.Out[ops.InGrad]), c.writes(u.Out[ops.WeightGrad])
	addTo := c.base(u.Out[ops.InGrad])
	relu, maskNext, half := u.Op.ReLU && !masked(u.In[0]), masks(u), c.inHalves(u)
	l := c.cold[u]
	duringWeights := l.duringLast
	if dx != nil {
		duringWeights = l.duringFirst
	}
	return func(wk *worker, t *tile) {
		m, g, rounded, x := grad.rows(t), simd.Matrix{}, simd.Halves{}, simd.Halves{}
		if !grad.halves {
			g = grad.matrix(wk, t)
		}
		switch {
		case relu:
			g = simd.Rows(mask(wk.masked, g, result.matrix(wk, t), m, w.out), w.out)
			if half {
				rounded = wk.rounding(0, m, w.out, g)
			}
		case half:
			rounded = grad.roundRows(wk, t, 0)
		}
		if half && (dw != nil || maskNext) {
			x = in.roundRows(wk, t, 1)
		}
		switch {
		case base == nil:
		case half && base.space == ops.Parameter:
			dst := base.slice(wk, t)
			if base.sum == nil {
				clear(dst)
			}
			simd.SumHalves(dst, rounded, m, w.out)
		default:
			collect(t, base.slice(wk, t), base, g, grad.space)
		}
		switch {
		case dw == nil:
		case half:
			simd.TransposeMultiplyHalves(m, w.out, w.in, rounded, x, simd.Rows(dw.slice(wk, t), w.in), duringWeights(wk, t))
		default:
			w.addGradient(m, g, in.matrix(wk, t), dw.slice(wk, t), wk.column, duringWeights(wk, t))
		}
		switch {
		case dx == nil:
		case half:
			p := simd.HalfProduct{M: m, A: rounded, Ahead: l.duringLast(wk, t)}
			switch {
			case maskNext:
				p.Where = x
			case addTo != nil:
				p.Start = addTo.matrix(wk, t)
			}
			dx.receive(&p, wk, t)
			w.halves.back.Multiply(p)
		case maskNext:
			w.back.MultiplyMasked(m, g, in.matrix(wk, t), dx.matrix(wk, t), simd.Overwrite, l.duringLast(wk, t))
		case addTo != nil:
			w.back.MultiplyBias(m, g, addTo.matrix(wk, t), dx.matrix(wk, t), simd.Overwrite, l.duringLast(wk, t))
		default:
			w.back.Multiply(m, g, dx.matrix(wk, t), simd.Overwrite, l.duringLast(wk, t))
		}
	}
}

// masked reports whether the unit that computed a gradient has applied the ReLU's mask to it.
func masked(grad *analysis.Value) bool {
	u := grad.Made
	return u != nil && u.Op != nil && u.Op.Kind == ops.LinearGrad && u.Out[ops.InGrad] == grad && masks(u)
}

// masks reports whether u, the gradient of a layer, masks the gradient with respect to the layer's
// input. It does if that gradient is read only by the gradient of the layer that made the input
// with a ReLU: u reads the input, which is the mask, so the other unit need not.
func masks(u *analysis.Unit) bool {
	dx := u.Out[ops.InGrad]
	if dx == nil || len(dx.Users) != 1 || dx.Result {
		return false
	}
	next := dx.Users[0]
	return next.Op != nil && next.Op.Kind == ops.LinearGrad && next.Op.ReLU && next.In[0] == dx && next.In[1] == u.In[2]
}
