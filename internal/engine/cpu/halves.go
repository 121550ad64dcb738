package cpu

import (
	"github.com/acqnp/acqnp/internal/engine/analysis"
	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/internal/simd"
)

// halfWidth is the least number of inputs and of outputs of a layer that multiplies bfloat16 numbers.
// In narrower layers, rounding takes longer than it saves.
const halfWidth = 32

// halfWeight is a wide layer's weight in bfloat16.
type halfWeight struct {
	rows          simd.Halves        // [out, in]
	forward, back *simd.PackedHalves // as in weight
}

// packHalves makes a layer's weight in bfloat16, with the packed matrix that a unit needs.
func (c *compiler) packHalves(w *weight, back bool) {
	if w.halves == nil {
		size := simd.HalvesSize(w.out, w.in)
		data := c.floats(size)
		w.halves = &halfWeight{}
		if data != nil {
			w.halves.rows = simd.MakeHalves(data, w.out, w.in)
		}
	}
	if !back && w.halves.forward == nil {
		w.halves.forward = c.packedHalves(w.in, w.out)
	}
	if back && w.halves.back == nil {
		w.halves.back = c.packedHalves(w.out, w.in)
	}
}

// pack packs the weight whose rows have been read.
func (h *halfWeight) pack(w *weight) {
	simd.Halve(w.out, w.in, simd.Rows(w.rows, w.in), h.rows)
	if h.forward != nil {
		h.forward.PackTransposed(h.rows)
	}
	if h.back != nil {
		h.back.Pack(h.rows)
	}
}

// inHalves reports whether a unit multiplies bfloat16 numbers. A layer that starts from rows of
// an ancestor space makes many small products, and those stay in float32.
func (c *compiler) inHalves(u *analysis.Unit) bool {
	v := weightOf(u)
	if !c.p.bf16 || v == nil {
		return false
	}
	if b := v.Block; min(b.Rows, b.Cols) < halfWidth {
		return false
	}
	return u.Op.Kind == ops.LinearGrad || u.In[0].Space == ops.Parameter || u.In[0].Space == u.Out[0].Space
}

// planHalves chooses the values that are stored in bfloat16. They are tile-local results of units that
// multiply bfloat16 numbers, and only such units read them, as a factor or as a mask.
func (c *compiler) planHalves() {
	c.halves = map[*analysis.Value]bool{}
	for _, u := range c.a.Units {
		if !c.inHalves(u) {
			continue
		}
		v := u.Out[0]
		if u.Op.Kind == ops.LinearGrad {
			v = u.Out[ops.InGrad]
		}
		if v == nil || v.Width < halfWidth || len(v.Users) == 0 || !c.local(v) {
			continue
		}
		if _, adds := c.fused[v]; adds {
			continue
		}
		c.halves[v] = true
		for _, user := range v.Users {
			c.halves[v] = c.halves[v] && c.inHalves(user) && readsHalves(user, v)
		}
	}
}

// readsHalves reports whether a unit that multiplies bfloat16 numbers reads v in bfloat16 alone.
func readsHalves(u *analysis.Unit, v *analysis.Value) bool {
	if u.Op.Kind == ops.Linear {
		return u.In[0] != v
	}
	masks := u.Op.ReLU && !masked(u.In[0])
	base := u.Out[ops.BaseGrad]
	switch {
	case u.In[0] == v && (masks || base != nil && base.Space != ops.Parameter):
		return false
	case u.In[1] == v && masks:
		return false
	}
	return true
}

// halfStride returns the stride of a rounded matrix of n columns, for the reason that stride gives.
func halfStride(n int) int { return (n+15)/16*16 + 16 }

// halfRows returns the operand's rows in a tile, if it is stored in bfloat16.
func (o *operand) halfRows(w *worker, t *tile) simd.Halves {
	m := o.rows(t)
	return simd.MakeHalves(w.scratch[o.slot:o.slot+simd.HalvesSize(m, o.stride)], m, o.stride)
}

// rounding returns a [m, n] in bfloat16, in one of the worker's two buffers.
func (w *worker) rounding(buffer, m, n int, a simd.Matrix) simd.Halves {
	stride := halfStride(n)
	h := simd.MakeHalves(w.rounded[buffer][:simd.HalvesSize(m, stride)], m, stride)
	simd.Halve(m, n, a, h)
	return h
}

// roundRows returns the operand's rows in a tile in bfloat16: as they are stored, or rounded in one of the
// worker's two buffers.
func (o *operand) roundRows(w *worker, t *tile, buffer int) simd.Halves {
	if o.halves {
		return o.halfRows(w, t)
	}
	return w.rounding(buffer, o.rows(t), o.width, o.matrix(w, t))
}

// receive makes the operand's rows in a tile the result of a product.
func (o *operand) receive(p *simd.HalfProduct, w *worker, t *tile) {
	if o.halves {
		p.To = o.halfRows(w, t)
		return
	}
	p.C = o.matrix(w, t)
}
