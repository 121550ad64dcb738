package cpu

import (
	"math"

	"github.com/acqnp/acqnp/internal/engine/plan"
	"github.com/acqnp/acqnp/internal/ops"
	"github.com/acqnp/acqnp/internal/simd"
)

// weightRows is of how many points the weights are at hand at once: two such matrices fit in a core's own cache.
const weightRows = 48

// attentionScratch is what one worker needs of one head: a softmax's terms and their gradients for some points and every
// context point, and the function's keys and values packed for products.
type attentionScratch struct {
	terms, slopes      []float32    // [weightRows, N_c], rows a stride apart
	inverse            []float32    // [weightRows]: 1 over the sum of a row's terms
	scaled             []float32    // [weightRows, d/H]
	keys, values       *simd.Packed // [d/H, N_c]
	along              *simd.Packed // [N_c, d/H]
	keyGrad, valueGrad []float32    // [d/H, N_c], rows a stride apart
}

// newAttentionScratch makes room for heads of a width over up to so many context points.
func newAttentionScratch(m *memory, context, width int) attentionScratch {
	weights, across := weightRows*gap(context), width*gap(context)
	return attentionScratch{terms: m.floats(weights), slopes: m.floats(weights),
		inverse: m.floats(weightRows), scaled: m.floats(weightRows * width),
		keys: m.packed(width, context), values: m.packed(width, context), along: m.packed(context, width),
		keyGrad: m.floats(across), valueGrad: m.floats(across)}
}

// gap is the stride of rows of n weights: whole cache lines, and not a power of two of them.
func gap(n int) int {
	lines := (n + 15) / 16
	return (lines | 1) * 16
}

// turn packs m [n, width] (rows d apart) as mᵀ.
func turn(p *simd.Packed, m []float32, n, width, d int) {
	p.Resize(width, n)
	p.Pack(m, 1, d)
}

// upright packs m [n, width] (rows d apart) as it is.
func (s *attentionScratch) upright(m []float32, n, width, d int) {
	s.along.Resize(n, width)
	s.along.Pack(m, d, 1)
}

// attend leaves the terms of softmax(q·kᵀ·scale) of m queries, rows d apart, over n keys, and the inverse of their sums.
func (s *attentionScratch) attend(q []float32, m, n, d int, scale float32) {
	ld := gap(n)
	s.keys.Multiply(m, q, d, s.terms, ld, simd.Overwrite, nil)
	for p := range m {
		row := s.terms[p*ld : p*ld+n]
		_, sum := simd.SoftmaxTerms(row, row, scale)
		s.inverse[p] = 1 / sum
	}
}

// scale multiplies m rows, from stride and to stride apart, by the inverse sums of their terms.
func (s *attentionScratch) scale(dst []float32, to int, src []float32, from, m, width int) {
	for p, inverse := range s.inverse[:m] {
		y := dst[p*to : p*to+width]
		for i, x := range src[p*from : p*from+width] {
			y[i] = x * inverse
		}
	}
}

// heads calls f for every function that the tile has points of and every head: the points' rows [i, j), the first
// element of the function's keys, and the head's first column.
func heads(t *tile, d, width int, f func(i, j, first, col int)) {
	groups(t, ops.Point, ops.Function, func(function, i, j int) {
		for col := 0; col < d; col += width {
			f(i, j, function*t.e.Context*d+col, col)
		}
	})
}

func (c *compiler) attention(u *plan.Unit) kernel {
	qs, ks, vs, out := c.in(u.In[0]), c.in(u.In[1]), c.in(u.In[2]), c.out(u.Out[0])
	d, width := out.width, out.width/u.Op.Heads
	scale := float32(1 / math.Sqrt(float64(width)))
	return func(w *worker, t *tile) {
		q, k, v, y, n := qs.at(w, t), ks.at(w, t), vs.at(w, t), out.at(w, t), t.e.Context
		s := &w.attention
		heads(t, d, width, func(i, j, first, col int) {
			turn(s.keys, k[first:], n, width, d)
			s.upright(v[first:], n, width, d)
			for ; i < j; i += weightRows {
				m, at := min(weightRows, j-i), i*d+col
				s.attend(q[at:], m, n, d, scale)
				s.along.Multiply(m, s.terms, gap(n), y[at:], d, simd.Overwrite, nil)
				s.scale(y[at:], d, y[at:], d, m, width)
			}
		})
	}
}

func (c *compiler) attentionGrad(u *plan.Unit) kernel {
	grad, qs, ks, vs := c.in(u.In[0]), c.in(u.In[2]), c.in(u.In[3]), c.in(u.In[4]) // In[1], the result, is not needed
	outQ, outK, outV := c.out(u.Out[ops.QueryGrad]), c.out(u.Out[ops.KeyGrad]), c.out(u.Out[ops.ValueGrad])
	d, width := grad.width, grad.width/u.Op.Heads
	scale := float32(1 / math.Sqrt(float64(width)))
	return func(w *worker, t *tile) {
		g, n := grad.at(w, t), t.e.Context
		q, k, v := qs.at(w, t), ks.at(w, t), vs.at(w, t)
		dq, dk, dv := outQ.at(w, t), outK.at(w, t), outV.at(w, t)
		s := &w.attention
		heads(t, d, width, func(i, j, first, col int) {
			turn(s.keys, k[first:], n, width, d)
			turn(s.values, v[first:], n, width, d)
			s.upright(k[first:], n, width, d)
			clear(s.keyGrad[:width*gap(n)])
			clear(s.valueGrad[:width*gap(n)])
			for ; i < j; i += weightRows {
				m, at := min(weightRows, j-i), i*d+col
				s.attend(q[at:], m, n, d, scale)
				s.backward(g[at:], q[at:], dq[at:], m, n, width, d, scale)
			}
			addTurned(dk[first:], d, s.keyGrad, n, width)
			addTurned(dv[first:], d, s.valueGrad, n, width)
		})
	}
}

// backward takes the gradient g by the results of m points, rows d apart, to their queries, and adds to keyGrad and
// valueGrad. These lie with the context points beside one another: as long rows they fill vectors, however narrow a head is.
func (s *attentionScratch) backward(g, q, dq []float32, m, n, width, d int, scale float32) {
	ld := gap(n)
	s.scale(s.scaled, width, g, d, m, width)
	simd.TransposeMultiply(m, width, n, s.scaled, width, s.terms, ld, s.valueGrad, ld, nil)
	// The scores' slopes, the softmax's gradient: a·(x − Σ a·x) of x = g·vᵀ, with a the terms over their sum. The mean is of
	// these very x, not g·y: where one weight is almost 1, its slope is what is left of x, and roundings of x cancel.
	s.values.Multiply(m, g, d, s.slopes, ld, simd.Overwrite, nil)
	for p := range m {
		x, terms := s.slopes[p*ld:p*ld+n], s.terms[p*ld:p*ld+n]
		mean := simd.Dot(terms, x) * s.inverse[p]
		simd.SoftmaxGrad(x, terms, mean, scale*s.inverse[p])
	}
	s.along.Multiply(m, s.slopes, ld, dq, d, simd.Overwrite, nil)
	simd.TransposeMultiply(m, width, n, q, d, s.slopes, ld, s.keyGrad, ld, nil)
}

// addTurned adds to dst [n, width], rows d apart, the transpose of src, rows gap(n) apart.
func addTurned(dst []float32, d int, src []float32, n, width int) {
	ld := gap(n)
	for l := range n {
		row := dst[l*d : l*d+width]
		for c := range row {
			row[c] += src[c*ld+l]
		}
	}
}
