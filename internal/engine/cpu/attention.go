package cpu

import (
	"math"

	"github.com/acqnp/acqnp/internal/ops"
)

// attention and attentionGrad go point by point and head by head; the weights of one head over the context points are
// all that is ever kept.
func (c *compiler) attention(u *unit) kernel {
	qs, ks, vs, out := c.in(u.in[0]), c.in(u.in[1]), c.in(u.in[2]), c.out(u.out[0])
	d, width := out.width, out.width/u.op.Heads
	return func(w *worker, t *tile) {
		q, k, v, y, n := qs.at(w, t), ks.at(w, t), vs.at(w, t), out.at(w, t), t.e.Context
		clear(y)
		ensembles(t, ops.Point, func(i, function int) {
			first := function * n * d
			for col := 0; col < d; col += width {
				attend(w.weights[:n], q[i*d+col:i*d+col+width], k[first+col:], d)
				dst := y[i*d+col : i*d+col+width]
				for j, a := range w.weights[:n] {
					accumulate(dst, a, v[first+j*d+col:])
				}
			}
		})
	}
}

func (c *compiler) attentionGrad(u *unit) kernel {
	grad, result, qs, ks, vs := c.in(u.in[0]), c.in(u.in[1]), c.in(u.in[2]), c.in(u.in[3]), c.in(u.in[4])
	outQ, outK, outV := c.out(u.out[ops.QueryGrad]), c.out(u.out[ops.KeyGrad]), c.out(u.out[ops.ValueGrad])
	d, width := result.width, result.width/u.op.Heads
	scale := float32(1 / math.Sqrt(float64(width)))
	return func(w *worker, t *tile) {
		g, y, n := grad.at(w, t), result.at(w, t), t.e.Context
		q, k, v := qs.at(w, t), ks.at(w, t), vs.at(w, t)
		dq, dk, dv := outQ.at(w, t), outK.at(w, t), outV.at(w, t)
		clear(dq)
		ensembles(t, ops.Point, func(i, function int) {
			first := function * n * d
			for col := 0; col < d; col += width {
				from, to := i*d+col, i*d+col+width
				attend(w.weights[:n], q[from:to], k[first+col:], d)
				mean := product(g[from:to], y[from:to])
				for j, a := range w.weights[:n] {
					at := first + j*d + col
					slope := a * (product(g[from:to], v[at:at+width]) - mean) * scale
					accumulate(dq[from:to], slope, k[at:])
					accumulate(dk[at:at+width], slope, q[from:])
					accumulate(dv[at:at+width], a, g[from:])
				}
			}
		})
	}
}

// attend fills weights with softmax(q·k/√len(q)) over rows of keys that are stride apart.
func attend(weights, q, keys []float32, stride int) {
	scale := float32(1 / math.Sqrt(float64(len(q))))
	most := float32(math.Inf(-1))
	for j := range weights {
		weights[j] = product(q, keys[j*stride:]) * scale
		most = max(most, weights[j])
	}
	sum := 0.0
	for j, s := range weights {
		e := math.Exp(float64(s - most))
		weights[j] = float32(e)
		sum += e
	}
	for j := range weights {
		weights[j] = float32(float64(weights[j]) / sum)
	}
}

func product(x, y []float32) float32 {
	var s float32
	y = y[:len(x)]
	for i, v := range x {
		s += v * y[i]
	}
	return s
}

func accumulate(y []float32, a float32, x []float32) {
	x = x[:len(y)]
	for i, v := range x {
		y[i] += a * v
	}
}
