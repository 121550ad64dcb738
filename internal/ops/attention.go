package ops

import (
	"fmt"
	"math"

	G "gorgonia.org/gorgonia"
)

// Attention is multi-head attention of queries [B·N, d] over a function's keys and values [B·N_c, d]: head h has columns
// [h·d/H, (h+1)·d/H) of all three and of the result [B·N, d], softmax(q·k/√(d/H))·v.
func (b *Builder) Attention(q, k, v *G.Node, heads int) *G.Node {
	if b.err != nil {
		return nil
	}
	qs, _, d, _ := b.info(q)
	ks, _, kd, _ := b.info(k)
	vs, _, vd, _ := b.info(v)
	if qs != Point || ks != Context || vs != Context || kd != d || vd != d || heads < 1 || d%heads != 0 {
		b.err = fmt.Errorf("ops: attention of %d heads with %v, %v, %v", heads, q.Shape(), k.Shape(), v.Shape())
		return nil
	}
	return b.op(&Op{Kind: Attention, Out: Point, Width: d, Heads: heads}, q, k, v)
}

// attention: inputs q [Point, d], k and v [Context, d].
func attention[T Float](o *Op, e Extents, out []T, in [][]T) {
	weights := make([]T, e.Context)
	d, w := o.Width, o.Width/o.Heads
	clear(out)
	for p := range e.Rows(Point) {
		for h := range o.Heads {
			col := h * w
			attend(weights, row(in[0], p, d)[col:col+w], in[1], p/e.Points*e.Context, d, col)
			y := row(out, p, d)[col : col+w]
			for i, a := range weights {
				for j, v := range row(in[2], p/e.Points*e.Context+i, d)[col : col+w] {
					y[j] += a * v
				}
			}
		}
	}
}

// attend fills weights with softmax(q·k_i/√len(q)) over the keys from row first on.
func attend[T Float](weights, q, keys []T, first, d, col int) {
	scale := T(1 / math.Sqrt(float64(len(q))))
	total := newLogSum[T]()
	for i := range weights {
		var s T
		for j, k := range row(keys, first+i, d)[col : col+len(q)] {
			s += q[j] * k
		}
		weights[i] = s * scale
		total.add(weights[i])
	}
	norm := total.value()
	for i, s := range weights {
		weights[i] = exp(s - norm)
	}
}

// attentionGrad: inputs the gradient, the result, q, k and v.
func attentionGrad[T Float](o *Op, e Extents, out []T, in [][]T) {
	clear(out)
	weights := make([]T, e.Context)
	d := o.Width
	w := d / o.Heads
	scale := T(1 / math.Sqrt(float64(w)))
	for p := range e.Rows(Point) {
		first := p / e.Points * e.Context
		for col := 0; col < d; col += w {
			g, y, q := row(in[0], p, d)[col:col+w], row(in[1], p, d)[col:col+w], row(in[2], p, d)[col:col+w]
			attend(weights, q, in[3], first, d, col)
			mean := product(g, y) // Σ_i weight_i · g·v_i
			for i, a := range weights {
				k, v := row(in[3], first+i, d)[col:col+w], row(in[4], first+i, d)[col:col+w]
				slope := a * (product(g, v) - mean) * scale
				switch o.Part {
				case QueryGrad:
					accumulate(row(out, p, d)[col:col+w], slope, k)
				case KeyGrad:
					accumulate(row(out, first+i, d)[col:col+w], slope, q)
				case ValueGrad:
					accumulate(row(out, first+i, d)[col:col+w], a, g)
				}
			}
		}
	}
}

func product[T Float](x, y []T) T {
	var s T
	for i, v := range x {
		s += v * y[i]
	}
	return s
}

func accumulate[T Float](y []T, a T, x []T) {
	for i, v := range x {
		y[i] += a * v
	}
}
