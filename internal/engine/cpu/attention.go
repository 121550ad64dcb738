package cpu

import (
	"math"

	"github.com/acqnp/acqnp/internal/engine/plan"
	"github.com/acqnp/acqnp/internal/ops"
	"github.com/acqnp/acqnp/internal/simd"
)

// weightRows is the number of queries whose attention weights are computed at a time. Two such
// matrices fit in a core's own cache.
const weightRows = 48

// attentionScratch is one worker's memory for one head of width w: the softmax's terms for some
// queries and all context points, their gradients, and the function's keys and values.
type attentionScratch struct {
	terms, slopes      []float32    // [weightRows, N_c], with stride gap(N_c)
	inverse            []float32    // [weightRows]: 1 over the sum of a row's terms
	scaled             []float32    // [weightRows, w]
	keys, values       *simd.Packed // [w, N_c]
	along              *simd.Packed // [N_c, w]: values, or in the gradient keys
	keyGrad, valueGrad []float32    // [N_c, w]
}

// newAttentionScratch allocates memory for heads of a width and for a number of context points.
func newAttentionScratch(m *memory, context, width int) attentionScratch {
	weights := weightRows * gap(context)
	return attentionScratch{terms: m.floats(weights), slopes: m.floats(weights),
		inverse: m.floats(weightRows), scaled: m.floats(weightRows * width),
		keys: m.packed(width, context), values: m.packed(width, context), along: m.packed(context, width),
		keyGrad: m.floats(context * width), valueGrad: m.floats(context * width)}
}

// gap returns the stride of rows of n weights: an odd number of whole cache lines.
func gap(n int) int {
	lines := (n + 15) / 16
	return (lines | 1) * 16
}

// head holds the sizes of one head: its width, the number of context points, the stride of the
// operands' rows, and the scale of the scores.
type head struct {
	width, context, stride int
	scale                  float32
}

// newHead returns the sizes of a head of an attention with d columns, for a run's number of context
// points.
func newHead(d, heads, context int) head {
	w := d / heads
	return head{width: w, context: context, stride: d, scale: float32(1 / math.Sqrt(float64(w)))}
}

// packTurned packs the transpose of m [N_c, w].
func (h head) packTurned(p *simd.Packed, m []float32) {
	p.Resize(h.width, h.context)
	p.Pack(m, 1, h.stride)
}

// attend computes the terms of softmax(q·kᵀ·scale) for n queries q [n, w], and the inverses of
// their sums.
func (s *attentionScratch) attend(h head, q []float32, n int) {
	terms := simd.Rows(s.terms, gap(h.context))
	s.keys.Multiply(n, simd.Rows(q, h.stride), terms, simd.Overwrite, nil)
	simd.SoftmaxRows(n, h.context, terms, h.scale, s.inverse)
}

// heads calls f for every function with queries in the tile and every head. It passes the rows [i,
// j) of these queries in the tile, the first element of the function's keys, and the head's first
// column. space is that of the queries.
func heads(t *tile, space ops.Space, h head, f func(i, j, first, col int)) {
	groups(t, space, ops.Function, func(function, i, j int) {
		for col := 0; col < h.stride; col += h.width {
			f(i, j, function*h.context*h.stride+col, col)
		}
	})
}

func (c *compiler) attention(u *plan.Unit) kernel {
	qs, ks, vs, out := c.in(u.In[0]), c.in(u.In[1]), c.in(u.In[2]), c.out(u.Out[0])
	d := out.width
	return func(w *worker, t *tile) {
		q, k, v, y := qs.at(w, t), ks.ofFunctions(w, t), vs.ofFunctions(w, t), out.at(w, t)
		s, h := &w.attention, newHead(d, u.Op.Heads, t.e.Context)
		heads(t, qs.space, h, func(i, j, first, col int) {
			h.packTurned(s.keys, k[first:])
			s.along.Borrow(simd.Rows(v[first:], d), h.context, h.width)
			for ; i < j; i += weightRows {
				n, at := min(weightRows, j-i), i*d+col
				result := simd.Rows(y[at:], d)
				s.attend(h, q[at:], n)
				s.along.Multiply(n, simd.Rows(s.terms, gap(h.context)), result, simd.Overwrite, nil)
				simd.ScaleRows(n, h.width, s.inverse, result, result)
			}
		})
	}
}

func (c *compiler) attentionGrad(u *plan.Unit) kernel {
	grad, qs, ks, vs := c.in(u.In[0]), c.in(u.In[2]), c.in(u.In[3]), c.in(u.In[4]) // In[1], the result, is not needed
	outQ, outK, outV := c.out(u.Out[ops.QueryGrad]), c.out(u.Out[ops.KeyGrad]), c.out(u.Out[ops.ValueGrad])
	d := grad.width
	return func(w *worker, t *tile) {
		g, q, k, v := grad.at(w, t), qs.at(w, t), ks.ofFunctions(w, t), vs.ofFunctions(w, t)
		dq, dk, dv := outQ.at(w, t), outK.cleared(w, t), outV.cleared(w, t)
		s, h := &w.attention, newHead(d, u.Op.Heads, t.e.Context)
		heads(t, qs.space, h, func(i, j, first, col int) {
			h.packTurned(s.keys, k[first:])
			h.packTurned(s.values, v[first:])
			s.along.Borrow(simd.Rows(k[first:], d), h.context, h.width)
			clear(s.keyGrad[:h.context*h.width])
			clear(s.valueGrad[:h.context*h.width])
			for ; i < j; i += weightRows {
				n, at := min(weightRows, j-i), i*d+col
				s.attend(h, q[at:], n)
				s.backward(h, g[at:], q[at:], dq[at:], n)
			}
			h.add(dk[first:], s.keyGrad)
			h.add(dv[first:], s.valueGrad)
		})
	}
}

// backward computes the gradient dq [n, w] with respect to the queries q [n, w] of n queries from the
// gradient g [n, w] with respect to their results, and adds to keyGrad and valueGrad.
func (s *attentionScratch) backward(h head, g, q, dq []float32, n int) {
	ld := gap(h.context)
	terms, slopes, scaled := simd.Rows(s.terms, ld), simd.Rows(s.slopes, ld), simd.Rows(s.scaled, h.width)
	gs, qs := simd.Rows(g, h.stride), simd.Rows(q, h.stride)
	// 1. The values' gradient: weightsᵀ·g.
	simd.ScaleRows(n, h.width, s.inverse, gs, scaled)
	simd.TransposeMultiply(n, h.context, h.width, terms, scaled, simd.Rows(s.valueGrad, h.width), nil)
	// 2. The gradient of the scores, through the softmax: a·(x − Σ a·x), where x = g·vᵀ and a are
	// the terms over their sum. Σ a·x is computed from x, although it equals g·y: where one weight
	// is almost 1, x − Σ a·x is small, and the rounding errors of x cancel.
	s.values.Multiply(n, gs, slopes, simd.Overwrite, nil)
	simd.SoftmaxGradRows(n, h.context, slopes, terms, h.scale, s.inverse)
	// 3. The gradients of queries and keys: slopes·k and slopesᵀ·q.
	s.along.Multiply(n, slopes, simd.Rows(dq, h.stride), simd.Overwrite, nil)
	simd.TransposeMultiply(n, h.context, h.width, slopes, qs, simd.Rows(s.keyGrad, h.width), nil)
}

// add adds src [N_c, w] to dst, whose rows lie stride elements apart.
func (h head) add(dst, src []float32) {
	for l := range h.context {
		add(dst[l*h.stride:][:h.width], src[l*h.width:][:h.width])
	}
}
