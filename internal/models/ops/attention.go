package ops

import (
	"math"

	G "gorgonia.org/gorgonia"
)

// Parts of AttentionGrad.
const (
	QueryGrad = 0
	KeyGrad   = 1
	ValueGrad = 2
)

// Attention adds multi-head attention of queries q over a function's keys k and values v [B·N_c,
// d], softmax(q·kᵀ/√(d/H))·v with H heads. q and the result have a row for each point, [B·N, d], or
// for each context point, [B·N_c, d]. Head h has columns [h·d/H, (h+1)·d/H) of all four. Without
// context points the result is 0.
func (b *Builder) Attention(q, k, v *G.Node, heads int) *G.Node {
	return b.op(&Op{Kind: Attention, Heads: heads}, q, k, v)
}

func attentionShape(o *Op, _ G.Nodes) bool {
	o.Out, o.Width = o.In[0], o.Widths[0]
	ofContext := func(i int) bool { return o.In[i] == Context && o.Widths[i] == o.Width }
	return (o.Out == Point || o.Out == Context) && ofContext(1) && ofContext(2) && o.Heads >= 1 && o.Width%o.Heads == 0
}

// ofContextToItself reports whether the queries are those of the context points themselves. If not, keys
// and values are of another space than the queries, and complete before the operation starts.
func ofContextToItself(o *Op) bool { return o.In[0] == Context }

// sumsOverQueries reports whether a gradient is that of keys or values.
func sumsOverQueries(o *Op) bool { return o.Part != QueryGrad }

// attentionCost counts q·kᵀ, and the weights by v.
func attentionCost(o *Op, e Extents, _ [3]bool) float64 { return 2 * pairs(o, e) }

// attentionGradCost counts the weights' gradient g·vᵀ, and a product of it for each part.
func attentionGradCost(o *Op, e Extents, asked [3]bool) float64 {
	return pairs(o, e) * times(asked[QueryGrad] || asked[KeyGrad], asked[QueryGrad], asked[KeyGrad], asked[ValueGrad])
}

// pairs counts the multiply-adds of every query, which the first input has a row for, with every
// context point of its function, in all heads together.
func pairs(o *Op, e Extents) float64 {
	return float64(e.Rows(o.In[0])) * float64(e.Context) * float64(o.Widths[0])
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
