package ops

import (
	"math"

	G "gorgonia.org/gorgonia"
)

// Attention is multi-head attention. AttentionGrad has the parts QueryGrad, KeyGrad and ValueGrad.
const (
	Attention     Kind = "attention"
	AttentionGrad Kind = "attention_grad"
)

// Parts of AttentionGrad.
const (
	QueryGrad = 0
	KeyGrad   = 1
	ValueGrad = 2
)

// Attention adds multi-head attention of queries q over a group's keys k and values v,
// softmax(q·kᵀ/√(d/H))·v with H heads. q and the result have a row for each point, [B·N, d], or for
// each context point, [B·N_c, d]; so have k and v, of which there are N_k = N_c or N in a group.
// Points cannot be the keys of context points. Head h has columns [h·d/H, (h+1)·d/H) of all four.
// Without keys the result is 0.
func (b *Builder) Attention(q, k, v *G.Node, heads int) *G.Node {
	return b.op(&Op{Kind: Attention, Heads: heads}, q, k, v)
}

// AttentionWithin adds attention in which each query reads only some of its group's keys: those
// from ranges' first column up to, but without, its second, counted from 0 in the group. ranges has
// a row for each query. A range without keys gives 0. Ranges are data: they have no gradient.
func (b *Builder) AttentionWithin(q, k, v, ranges *G.Node, heads int) *G.Node {
	return b.op(&Op{Kind: Attention, Heads: heads}, q, k, v, ranges)
}

var _ = declare(Attention, operation{
	shape:     attentionShape,
	gradients: inParts(AttentionGrad, 3, result, 0, 1, 2, 3),
	single:    attention[float32], double: attention[float64],
	cost:   attentionCost,
	form:   attentionForm,
	across: func(o *Op) bool { return o.In[0] == o.In[1] }, // else keys and values are complete before it starts
})

var _ = declare(AttentionGrad, operation{
	single: attentionGrad[float32], double: attentionGrad[float64],
	cost:    attentionGradCost,
	across:  func(o *Op) bool { return o.In[2] == o.In[3] },
	reduces: func(o *Op) bool { return o.Part != QueryGrad }, // a sum over queries
})

func attentionShape(o *Op, _ G.Nodes) bool {
	o.Out, o.Width = o.In[0], o.Widths[0]
	keys := func(i int) bool {
		return (o.In[i] == Context || o.In[i] == o.Out) && o.In[i] == o.In[1] && o.Widths[i] == o.Width
	}
	if len(o.In) > 3 && (o.In[3] != o.Out || o.Widths[3] != rangeColumns) {
		return false
	}
	return (o.Out == Point || o.Out == Context) && keys(1) && keys(2) && o.Heads >= 1 && o.Width%o.Heads == 0
}

// rangeColumns is the width of AttentionWithin's ranges.
const rangeColumns = 2

// attentionCost counts q·kᵀ, and the weights by v.
func attentionCost(o *Op, e Extents, _ [3]bool) float64 { return 2 * pairs(o, e, o.In[1]) }

// attentionGradCost counts the weights' gradient g·vᵀ, and a product of it for each part.
func attentionGradCost(o *Op, e Extents, asked [3]bool) float64 {
	return pairs(o, e, o.In[3]) * times(asked[QueryGrad] || asked[KeyGrad], asked[QueryGrad], asked[KeyGrad], asked[ValueGrad])
}

// pairs counts the multiply-adds of every query, which the first input has a row for, with every key
// of its group, in all heads together. Ranges are not known before a run; so with them it is the
// most that a run can have.
func pairs(o *Op, e Extents, keys Space) float64 {
	return float64(e.Rows(o.In[0])) * float64(e.Ratio(keys, Group)) * float64(o.Widths[0])
}

// excluded is the score of a key that takes no part: e to its power is 0.
const excluded = -1e30

// attentionForm writes Attention. A context of padding alone has the result 0, because its values
// are 0; so has a query of AttentionWithin without keys, because its weights are 0.
func attentionForm(w words, o *Op, in []Value) Value {
	width := o.Width / o.Heads
	heads := func(v Value) Value { return w.Heads(v, o.Heads, width) }
	scores := w.MatMul(heads(in[0]), w.Transposed(heads(in[1])))
	scores = w.product(w.Number(1/math.Sqrt(float64(width))), scores)
	var weights Value
	values := in[2]
	if len(in) > 3 {
		keys := w.Among(scores, in[3])
		weights = w.Where(keys, w.Softmax(w.Where(keys, scores, excluded)), 0)
	} else {
		weights, values = w.Softmax(w.Present(scores, ColumnAxis, excluded)), w.Present(values, PointAxis, 0)
	}
	return w.Merged(w.MatMul(weights, heads(values)), o.Heads, width)
}

// keysOf returns the first key that query p reads and the number of its keys. ranges are those of
// AttentionWithin, empty without.
func keysOf[T Float](e Extents, queries, keys Space, p int, ranges [][]T) (first, n int) {
	n = e.Ratio(keys, Group)
	first = p / e.Ratio(queries, Group) * n
	if len(ranges) > 0 {
		r := row(ranges[0], p, rangeColumns)
		first, n = first+int(r[0]), int(r[1]-r[0])
	}
	return first, n
}

// attention evaluates Attention. in: q [Point or Context, d], k and v [Context or Point, d], and ranges
// [Point or Context, 2] if the queries have some; out: the shape of q.
func attention[T Float](o *Op, e Extents, out []T, in [][]T) {
	most := make([]T, e.Ratio(o.In[1], Group))
	d, w := o.Width, o.Width/o.Heads
	clear(out)
	for p := range e.Rows(o.Out) {
		first, n := keysOf(e, o.Out, o.In[1], p, in[3:])
		weights := most[:n]
		for col := 0; col < d; col += w {
			attend(weights, row(in[0], p, d)[col:col+w], in[1][first*d:], d, col)
			y := row(out, p, d)[col : col+w]
			for i, a := range weights {
				accumulate(y, a, row(in[2], first+i, d)[col:col+w])
			}
		}
	}
}

// attend fills weights [n] with softmax(q·k_i/√len(q)) over the first n rows of keys [·, d]. A
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
// d], k and v [Context or Point, d], and ranges as in attention; out: the shape of q, or of k.
func attentionGrad[T Float](o *Op, e Extents, out []T, in [][]T) {
	clear(out)
	most := make([]T, e.Ratio(o.In[3], Group))
	d := o.Width
	w := d / o.Heads
	scale := T(1 / math.Sqrt(float64(w)))
	for p := range e.Rows(o.In[0]) {
		first, n := keysOf(e, o.In[0], o.In[3], p, in[5:])
		weights := most[:n]
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
