package cpu

import (
	"math"

	"github.com/acqnp/acqnp/internal/engine/plan"
	"github.com/acqnp/acqnp/internal/ops"
	"github.com/acqnp/acqnp/internal/simd"
)

// attentionScratch is what one worker's tile needs of one head: weights and their gradients for every point of the tile
// and every context point, and the function's keys or values packed for products.
type attentionScratch struct {
	weights, slopes []float32    // [points, N_c]
	across          *simd.Packed // [d/H, N_c]
	along           *simd.Packed // [N_c, d/H]
}

// newAttentionScratch makes room for heads of a width over up to so many points and context points.
func newAttentionScratch(points, context, width int) attentionScratch {
	return attentionScratch{weights: make([]float32, points*context), slopes: make([]float32, points*context),
		across: simd.NewPacked(width, context), along: simd.NewPacked(context, width)}
}

// turned packs m [n, width] (rows stride apart) as mᵀ.
func (s *attentionScratch) turned(m []float32, n, width, stride int) *simd.Packed {
	s.across.Resize(width, n)
	s.across.Pack(m, 1, stride)
	return s.across
}

// upright packs m [n, width] (rows stride apart) as it is.
func (s *attentionScratch) upright(m []float32, n, width, stride int) *simd.Packed {
	s.along.Resize(n, width)
	s.along.Pack(m, stride, 1)
	return s.along
}

// attend leaves softmax(q·kᵀ·scale) of m queries [m, width] over n keys in s.weights; rows of both are stride apart.
func (s *attentionScratch) attend(q, k []float32, m, n, width, stride int, scale float32) []float32 {
	a := s.weights[:m*n]
	s.turned(k, n, width, stride).Multiply(m, q, stride, a, n, simd.Overwrite)
	for i := range a {
		a[i] *= scale
	}
	for i := range m {
		simd.Softmax(a[i*n:(i+1)*n], a[i*n:(i+1)*n])
	}
	return a
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
	c.headWidth = max(c.headWidth, width)
	return func(w *worker, t *tile) {
		q, k, v, y, n := qs.at(w, t), ks.at(w, t), vs.at(w, t), out.at(w, t), t.e.Context
		heads(t, d, width, func(i, j, first, col int) {
			a := w.attention.attend(q[i*d+col:], k[first:], j-i, n, width, d, scale)
			w.attention.upright(v[first:], n, width, d).Multiply(j-i, a, n, y[i*d+col:], d, simd.Overwrite)
		})
	}
}

func (c *compiler) attentionGrad(u *plan.Unit) kernel {
	grad, result, qs, ks, vs := c.in(u.In[0]), c.in(u.In[1]), c.in(u.In[2]), c.in(u.In[3]), c.in(u.In[4])
	outQ, outK, outV := c.out(u.Out[ops.QueryGrad]), c.out(u.Out[ops.KeyGrad]), c.out(u.Out[ops.ValueGrad])
	d, width := result.width, result.width/u.Op.Heads
	scale := float32(1 / math.Sqrt(float64(width)))
	return func(w *worker, t *tile) {
		g, y, n := grad.at(w, t), result.at(w, t), t.e.Context
		q, k, v := qs.at(w, t), ks.at(w, t), vs.at(w, t)
		dq, dk, dv := outQ.at(w, t), outK.at(w, t), outV.at(w, t)
		s := &w.attention
		heads(t, d, width, func(i, j, first, col int) {
			m, from := j-i, i*d+col
			a := s.attend(q[from:], k[first:], m, n, width, d, scale)
			simd.TransposeMultiply(m, n, width, a, n, g[from:], d, dv[first:], d)
			// The weights' slopes: a·(g·vᵀ − g·y), the softmax's gradient.
			slopes := s.slopes[:m*n]
			s.turned(v[first:], n, width, d).Multiply(m, g[from:], d, slopes, n, simd.Overwrite)
			for p := range m {
				at := from + p*d
				mean := simd.Dot(g[at:at+width], y[at:at+width])
				row := a[p*n : (p+1)*n]
				for l, x := range slopes[p*n : (p+1)*n] {
					slopes[p*n+l] = row[l] * (x - mean) * scale
				}
			}
			s.upright(k[first:], n, width, d).Multiply(m, slopes, n, dq[from:], d, simd.Overwrite)
			simd.TransposeMultiply(m, n, width, slopes, n, q[from:], d, dk[first:], d)
		})
	}
}
