package ops

import (
	"fmt"
	"math"

	G "gorgonia.org/gorgonia"
)

// Attention adds multi-head attention of queries q over a function's keys k and values v [B·N_c,
// d], softmax(q·kᵀ/√(d/H))·v with H heads. q and the result have a row for each point, [B·N, d], or
// for each context point, [B·N_c, d]. Head h has columns [h·d/H, (h+1)·d/H) of all four. Without
// context points the result is 0.
func (b *Builder) Attention(q, k, v *G.Node, heads int) *G.Node {
	if b.err != nil {
		return nil
	}
	qs, _, d, _ := b.info(q)
	ks, _, kd, _ := b.info(k)
	vs, _, vd, _ := b.info(v)
	if qs != Point && qs != Context || ks != Context || vs != Context || kd != d || vd != d || heads < 1 || d%heads != 0 {
		b.err = fmt.Errorf("ops: attention of %d heads with %v, %v, %v", heads, q.Shape(), k.Shape(), v.Shape())
		return nil
	}
	return b.op(&Op{Kind: Attention, Out: qs, Width: d, Heads: heads}, q, k, v)
}

func attentionGradients(o *Op, in G.Nodes, out, grad *G.Node) (G.Nodes, error) {
	return o.each(3, func(part int) (*G.Node, error) {
		return apply(o.gradOf(AttentionGrad, part, part, result, 0, 1, 2), grad, out, in[0], in[1], in[2])
	})
}

// attention evaluates Attention. in: q [Point or Context, d], k and v [Context, d]; out: the shape
// of q.
func attention[T Float](o *Op, e Extents, out []T, in [][]T) {
	weights := make([]T, e.Context)
	d, w := o.Width, o.Width/o.Heads
	clear(out)
	queries := e.Ratio(o.Out, Function)
	for p := range e.Rows(o.Out) {
		first := p / queries * e.Context
		for col := 0; col < d; col += w {
			attend(weights, row(in[0], p, d)[col:col+w], in[1][first*d:], d, col)
			y := row(out, p, d)[col : col+w]
			for i, a := range weights {
				accumulate(y, a, row(in[2], first+i, d)[col:col+w])
			}
		}
	}
}

// attend fills weights [N_c] with softmax(q·k_i/√len(q)) over the first N_c rows of keys [·, d]. A
// head's part of a row is the len(q) columns from col on.
func attend[T Float](weights, q, keys []T, d, col int) {
	scale := T(1 / math.Sqrt(float64(len(q))))
	total := newLogSum[T]()
	for i := range weights {
		weights[i] = dot(q, row(keys, i, d)[col:col+len(q)]) * scale
		total.add(weights[i])
	}
	norm := total.value()
	for i, s := range weights {
		weights[i] = exp(s - norm)
	}
}

// attentionGrad evaluates a part of AttentionGrad. in: gradient, result and q [Point or Context,
// d], k and v [Context, d]; out: the shape of q, or [Context, d].
func attentionGrad[T Float](o *Op, e Extents, out []T, in [][]T) {
	clear(out)
	weights := make([]T, e.Context)
	d := o.Width
	w := d / o.Heads
	scale := T(1 / math.Sqrt(float64(w)))
	queries := e.Ratio(o.In[0], Function)
	for p := range e.Rows(o.In[0]) {
		first := p / queries * e.Context
		for col := 0; col < d; col += w {
			g, y, q := row(in[0], p, d)[col:col+w], row(in[1], p, d)[col:col+w], row(in[2], p, d)[col:col+w]
			attend(weights, q, in[3][first*d:], d, col)
			mean := dot(g, y) // Σ_i weight_i · g·v_i
			for i, a := range weights {
				k, v := row(in[3], first+i, d)[col:col+w], row(in[4], first+i, d)[col:col+w]
				slope := a * (dot(g, v) - mean) * scale
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
