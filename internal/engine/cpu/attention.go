package cpu

import (
	"math"

	"github.com/acqnp/acqnp/internal/engine/analysis"
	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/internal/simd"
)

// weightRows is the number of queries whose attention weights are computed at a time. Two such
// matrices fit in a core's own cache.
const weightRows = 48

// attentionScratch is one worker's memory for one head of width w: the softmax's terms for some
// queries and all context points, their gradients, and the group's keys and values.
type attentionScratch struct {
	terms, slopes      []float32    // [weightRows, N_c], with stride gap(N_c)
	inverse            []float32    // [weightRows]: 1 over the sum of a row's terms
	scaled             []float32    // [weightRows, w]
	keys, values       *simd.Packed // [w, N_c]
	along              *simd.Packed // [N_c, w]: values, or in the gradient keys
	keyGrad, valueGrad []float32    // [N_c, w]
	fused              simd.Head    // for heads of few context points
}

// newAttentionScratch allocates memory for heads of a width and for a number of context points.
func newAttentionScratch(m *memory, context, width int) attentionScratch {
	weights := weightRows * gap(context)
	return attentionScratch{terms: m.floats(weights), slopes: m.floats(weights),
		inverse: m.floats(weightRows), scaled: m.floats(weightRows * width),
		keys: m.packed(width, context), values: m.packed(width, context), along: m.packed(context, width),
		keyGrad: m.floats(context * width), valueGrad: m.floats(context * width),
		fused: simd.Head{Room: m.floats(simd.HeadRoom)}}
}

// gap returns the stride of rows of n weights: an odd number of whole cache lines.
func gap(n int) int {
	lines := (n + 15) / 16
	return (lines | 1) * 16
}

// head holds the sizes of one head, its width and the number of keys of a group, and the scale of
// the scores.
type head struct {
	width, context int
	scale          float32
}

// newHead returns the sizes of a head of an attention with d columns, for a run's number of keys.
func newHead(d, heads, context int) head {
	w := d / heads
	return head{width: w, context: context, scale: float32(1 / math.Sqrt(float64(w)))}
}

// packTurned packs the transpose of m [N_c, w].
func (h head) packTurned(p *simd.Packed, m simd.Matrix) {
	p.Resize(h.width, h.context)
	p.Pack(m.Data, 1, m.Stride)
}

// attend computes the terms of softmax(q·kᵀ·scale) for n queries q [n, w], and the inverses of
// their sums.
func (s *attentionScratch) attend(h head, q simd.Matrix, n int) {
	terms := simd.Rows(s.terms, gap(h.context))
	s.keys.Multiply(n, q, terms, simd.Overwrite, nil)
	simd.SoftmaxRows(n, h.context, terms, h.scale, s.inverse)
}

// fuse sets the operands of s.fused: queries q [n, w], keys k and values v [N_c, w], which begin at
// column col of d. The next head is beside it, or in the next group.
func (s *attentionScratch) fuse(h head, q, k, v simd.Matrix, n, col, d int) *simd.Head {
	s.fused.Context, s.fused.Width, s.fused.Scale = h.context, h.width, h.scale
	s.fused.Q, s.fused.K, s.fused.V = q, k, v
	s.fused.Next = simd.NextHead{Columns: h.width}
	if col+h.width == d {
		s.fused.Next = simd.NextHead{Rows: n, Keys: h.context, Columns: h.width - d}
	}
	return &s.fused
}

// heads calls f for every run of queries in the tile that read the same keys, and every head of d
// columns. It passes the rows [i, j) of these queries in the tile, the first row of their keys, the
// head's first column and its sizes. space is that of the queries. ranges says which keys of its
// group a query reads, as ops.AttentionWithin has it; nil if every query reads all.
func heads(t *tile, space ops.Space, ranges []float32, h head, d int, f func(i, j, first, col int, h head)) {
	groups(t, space, ops.Group, func(group, i, j int) {
		first := group * h.context
		for i < j {
			end, from, run := j, first, h
			if ranges != nil {
				from, run.context, end = nextRange(ranges, i, j)
				from += first
			}
			for col := 0; col < d; col += h.width {
				f(i, end, from, col, run)
			}
			i = end
		}
	})
}

// nextRange returns the first key and the number of keys of query i, and the first of the queries up to j
// that reads others.
func nextRange(ranges []float32, i, j int) (from, n, end int) {
	lo, hi := ranges[2*i], ranges[2*i+1]
	for end = i + 1; end < j && ranges[2*end] == lo && ranges[2*end+1] == hi; end++ {
	}
	return int(lo), int(hi - lo), end
}

// findRanges returns the operand of the ranges among the inputs from the given one on; nil if there is none.
func (c *compiler) findRanges(in []*analysis.Value) *operand {
	if len(in) == 0 {
		return nil
	}
	return c.reads(in[0])
}

// readRanges returns the ranges of the tile's queries; nil for nil.
func (o *operand) readRanges(w *worker, t *tile) []float32 {
	if o == nil {
		return nil
	}
	return o.slice(w, t)
}

// clearRows sets rows [i, j) of the head to 0.
func (h head) clearRows(m simd.Matrix, i, j, col int) {
	for ; i < j; i++ {
		clear(m.Data[i*m.Stride+col:][:h.width])
	}
}

func (c *compiler) attention(u *analysis.Unit) kernel {
	qs, ks, vs, out := c.reads(u.In[0]), c.reads(u.In[1]), c.reads(u.In[2]), c.writes(u.Out[0])
	d, ranges := out.width, c.findRanges(u.In[3:])
	return func(w *worker, t *tile) {
		q, k, v, y := qs.matrix(w, t), ks.groupRows(w, t), vs.groupRows(w, t), out.matrix(w, t)
		s, h := &w.attention, newHead(d, u.Op.Heads, t.e.Ratio(ks.space, ops.Group))
		if h.context == 0 {
			clear(y.Data)
			return
		}
		heads(t, qs.space, ranges.readRanges(w, t), h, d, func(i, j, first, col int, h head) {
			if h.context == 0 {
				h.clearRows(y, i, j, col)
				return
			}
			fused := simd.Fused(h.context, h.width)
			if !fused {
				h.packTurned(s.keys, k.Slice(first, col))
				s.along.Borrow(v.Slice(first, col), h.context, h.width)
			}
			for ; i < j; i += weightRows {
				n, result := min(weightRows, j-i), y.Slice(i, col)
				if fused {
					s.fuse(h, q.Slice(i, col), k.Slice(first, col), v.Slice(first, col), n, col, d).Attend(n, result)
					continue
				}
				s.attend(h, q.Slice(i, col), n)
				s.along.Multiply(n, simd.Rows(s.terms, gap(h.context)), result, simd.Overwrite, nil)
				simd.ScaleRows(n, h.width, s.inverse, result, result)
			}
		})
	}
}

func (c *compiler) attentionGrad(u *analysis.Unit) kernel {
	grad, qs, ks, vs := c.reads(u.In[0]), c.reads(u.In[2]), c.reads(u.In[3]), c.reads(u.In[4]) // In[1], the result, is not needed
	outQ, outK, outV := c.writes(u.Out[ops.QueryGrad]), c.writes(u.Out[ops.KeyGrad]), c.writes(u.Out[ops.ValueGrad])
	d, ranges := grad.width, c.findRanges(u.In[5:])
	_, addK := c.fused[u.Out[ops.KeyGrad]] // then the results are there to be added to
	_, addV := c.fused[u.Out[ops.ValueGrad]]
	return func(w *worker, t *tile) {
		g, q, k, v := grad.matrix(w, t), qs.matrix(w, t), ks.groupRows(w, t), vs.groupRows(w, t)
		dq, dk, dv := outQ.matrix(w, t), outK.sums(w, t, !addK), outV.sums(w, t, !addV)
		s, h := &w.attention, newHead(d, u.Op.Heads, t.e.Ratio(ks.space, ops.Group))
		if h.context == 0 {
			clear(dq.Data)
			return
		}
		heads(t, qs.space, ranges.readRanges(w, t), h, d, func(i, j, first, col int, h head) {
			if h.context == 0 {
				h.clearRows(dq, i, j, col)
				return
			}
			fused := simd.Fused(h.context, h.width)
			if !fused {
				h.packTurned(s.keys, k.Slice(first, col))
				h.packTurned(s.values, v.Slice(first, col))
				s.along.Borrow(k.Slice(first, col), h.context, h.width)
			}
			toK, toV := dk.Slice(first, col), dv.Slice(first, col)
			few := j-i <= weightRows
			if !few {
				toK, toV = s.sums(h)
			}
			for ; i < j; i += weightRows {
				n := min(weightRows, j-i)
				if fused {
					s.fuse(h, q.Slice(i, col), k.Slice(first, col), v.Slice(first, col), n, col, d).
						AttendGrad(n, simd.HeadGrad{G: g.Slice(i, col), Q: dq.Slice(i, col), K: toK, V: toV})
					continue
				}
				s.attend(h, q.Slice(i, col), n)
				s.backward(h, n, queryRows{g: g.Slice(i, col), q: q.Slice(i, col), dq: dq.Slice(i, col)}, toK, toV)
			}
			if !few {
				simd.Add(h.context, h.width, dk.Slice(first, col), toK, dk.Slice(first, col))
				simd.Add(h.context, h.width, dv.Slice(first, col), toV, dv.Slice(first, col))
			}
		})
	}
}

// sums returns the memory for the gradients of a head's keys and values, cleared.
func (s *attentionScratch) sums(h head) (keys, values simd.Matrix) {
	n := h.context * h.width
	clear(s.keyGrad[:n])
	clear(s.valueGrad[:n])
	return simd.Rows(s.keyGrad, h.width), simd.Rows(s.valueGrad, h.width)
}

// queryRows holds some queries q of a head, the gradient g with respect to their results, and the
// place dq for that with respect to the queries, all [n, w].
type queryRows struct{ g, q, dq simd.Matrix }

// backward computes the gradient with respect to n queries, and adds those with respect to the head's
// keys and values to keyGrad and valueGrad [N_c, w].
func (s *attentionScratch) backward(h head, n int, rows queryRows, keyGrad, valueGrad simd.Matrix) {
	ld := gap(h.context)
	terms, slopes, scaled := simd.Rows(s.terms, ld), simd.Rows(s.slopes, ld), simd.Rows(s.scaled, h.width)
	// 1. The values' gradient: weightsᵀ·g.
	simd.ScaleRows(n, h.width, s.inverse, rows.g, scaled)
	simd.TransposeMultiply(n, h.context, h.width, terms, scaled, valueGrad, nil)
	// 2. The gradient of the scores, through the softmax: a·(x − Σ a·x), where x = g·vᵀ and a are
	// the terms over their sum. Σ a·x is computed from x, although it equals g·y: where one weight
	// is almost 1, x − Σ a·x is small, and the rounding errors of x cancel.
	s.values.Multiply(n, rows.g, slopes, simd.Overwrite, nil)
	simd.SoftmaxGradRows(n, h.context, slopes, terms, h.scale, s.inverse)
	// 3. The gradients of queries and keys: slopes·k and slopesᵀ·q.
	s.along.Multiply(n, slopes, rows.dq, simd.Overwrite, nil)
	simd.TransposeMultiply(n, h.context, h.width, slopes, rows.q, keyGrad, nil)
}
