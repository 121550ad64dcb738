package cpu

import (
	"github.com/acqnp/acqnp/internal/engine/analysis"
	"github.com/acqnp/acqnp/internal/simd"
)

func (c *compiler) pad(u *analysis.Unit) kernel {
	in, out, from := c.reads(u.In[0]), c.writes(u.Out[0]), u.Op.From
	return func(w *worker, t *tile) {
		y := out.slice(w, t)
		clear(y)
		if len(y) > 0 { // a tile without context points has no row
			copyColumns(y[from:], out.width, in.slice(w, t), in.width, in.width)
		}
	}
}

// spread makes the kernel of a Spread: each row of the result is that of the narrow operand, whose last element fills what is
// wider.
func (c *compiler) spread(u *analysis.Unit) kernel {
	in, out := c.reads(u.In[0]), c.writes(u.Out[0])
	return func(w *worker, t *tile) {
		x, y := in.slice(w, t), out.slice(w, t)
		ratio, d, last := t.e.Ratio(out.space, in.space), in.width, in.width-1
		for i := range len(y) / out.width {
			narrow, wide := x[i/ratio*d:][:d], y[i*out.width:][:out.width]
			copy(wide, narrow)
			for j := d; j < len(wide); j++ {
				wide[j] = narrow[last]
			}
		}
	}
}

// sum makes the kernel of a Sum, the transpose of spread.
func (c *compiler) sum(u *analysis.Unit) kernel {
	in, out := c.reads(u.In[0]), c.writes(u.Out[0])
	return func(w *worker, t *tile) {
		x, y := in.slice(w, t), out.slice(w, t)
		clear(y)
		ratio, d, last := t.e.Ratio(in.space, out.space), out.width, out.width-1
		for i := range len(x) / in.width {
			narrow, wide := y[i/ratio*d:][:d], x[i*in.width:][:in.width]
			for j := range narrow {
				narrow[j] += wide[j]
			}
			rest := narrow[last]
			for _, v := range wide[d:] {
				rest += v
			}
			narrow[last] = rest
		}
	}
}

// logSumExp makes the kernel of a LogSumExp. It writes the greatest elements to the result, then adds
// the exponentials of their distances from it.
func (c *compiler) logSumExp(u *analysis.Unit) kernel {
	in, out := c.reads(u.In[0]), c.writes(u.Out[0])
	return func(w *worker, t *tile) {
		x, y := in.slice(w, t), out.slice(w, t)
		ratio, d := t.e.Ratio(in.space, out.space), in.width
		for i := range y {
			first, step, n := i/out.width*ratio*d+i%out.width, d, ratio
			if out.width < d {
				first, step, n = i*ratio*d, 1, ratio*d
			}
			y[i] = logSumExp(x[first:], step, n)
		}
	}
}

// logSumExp returns log Σ exp(x) over n elements of x that are step apart.
func logSumExp(x []float32, step, n int) float32 {
	var all [64]float32
	most, sum := x[0], float32(0)
	for k := range n {
		if v := x[k*step]; !(v <= most) { // also true of a NaN
			most = v
		}
	}
	for from := 0; from < n; from += len(all) {
		part := all[:min(len(all), n-from)]
		for k := range part {
			part[k] = x[(from+k)*step] - most
		}
		simd.Exp(part, part)
		for _, v := range part {
			sum += v
		}
	}
	one := []float32{sum}
	simd.Log(one, one)
	return most + one[0]
}
