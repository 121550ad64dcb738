package ops

import (
	"fmt"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Linear is act(base + in·Wᵀ). LinearGrad has the parts BaseGrad, InGrad and WeightGrad.
const (
	Linear     Kind = "linear"
	LinearGrad Kind = "linear_grad"
)

// Parts of LinearGrad.
const (
	BaseGrad   = 0
	InGrad     = 1
	WeightGrad = 2
)

// Linear adds the layer act(base + in·Wᵀ): in [rows(S), k], w [d, k], result [rows(S), d], where S
// is the space of in. base is a bias [d] or a matrix [rows(A), d], where A is S or an ancestor of
// S. Each row of base is added to all rows of S that belong to it. So a first layer reads r once
// per group, x once per point and the level once per row.
func (b *Builder) Linear(base, in, w *G.Node, relu bool) *G.Node {
	return b.op(&Op{Kind: Linear, ReLU: relu}, base, in, w)
}

var _ = declare(Linear, operation{
	shape:     linearShape,
	gradients: inParts(LinearGrad, 3, result, 1, 2), // the result is the ReLU's mask
	single:    linear[float32], double: linear[float64],
	cost: linearCost,
	form: linearForm,
})

var _ = declare(LinearGrad, operation{single: linearGrad[float32], double: linearGrad[float64], cost: linearGradCost})

func linearShape(o *Op, in G.Nodes) bool {
	above, s := o.In[0], o.In[1]
	o.Out, o.Width = s, o.Widths[0]
	return o.In[2] == Parameter && o.ranks[2] == 2 && o.Widths[2] == o.Widths[1] && in[2].Shape()[0] == o.Width && (above == s || above.Contains(s))
}

// zerosName begins the name of a base of zeros.
const zerosName = "zeros"

// Zeros adds a base [d] of zeros, for linear layers without a bias.
func (b *Builder) Zeros(d int) *G.Node {
	v := tensor.New(tensor.Of(b.dtype), tensor.WithShape(d))
	n := b.g.Expr.AddNode(G.NewConstant(v, G.WithName(fmt.Sprintf("%s %d", zerosName, d))))
	b.leaf[n] = leafInfo{space: Parameter, rank: 1, cols: d}
	return n
}

// linearCost counts in·Wᵀ.
func linearCost(o *Op, e Extents, _ [3]bool) float64 {
	return float64(e.Rows(o.Out)) * float64(o.Widths[1]) * float64(o.Width)
}

// linearGradCost counts g·W and gᵀ·in. The base's gradient is a sum.
func linearGradCost(o *Op, e Extents, asked [3]bool) float64 {
	product := float64(e.Rows(o.In[2])) * float64(o.Widths[2]) * float64(o.Widths[0])
	return product * times(asked[InGrad], asked[WeightGrad])
}

func linearForm(w words, o *Op, in []Value) Value {
	v := w.Times(in[1], in[2])
	if in[0] != zero {
		v = w.plus(in[0], v)
	}
	return w.activated(o, v)
}

// times returns how many of its arguments are true.
func times(asked ...bool) (n float64) {
	for _, a := range asked {
		if a {
			n++
		}
	}
	return n
}

// linear evaluates Linear. in: base [A, d], x [S, k], w [d, k]; out [S, d].
func linear[T Float](o *Op, e Extents, out []T, in [][]T) {
	rows, k, d := e.Rows(o.Out), o.Widths[1], o.Width
	ratio := e.Ratio(o.Out, o.In[0])
	for i := range rows {
		base, x, y := row(in[0], i/ratio, d), row(in[1], i, k), row(out, i, d)
		for j := range y {
			sum := base[j]
			for c, w := range row(in[2], j, k) {
				sum += x[c] * w
			}
			if o.ReLU && sum < 0 { // a NaN stays a NaN
				sum = 0
			}
			y[j] = sum
		}
	}
}

// linearGrad evaluates a part of LinearGrad. in: gradient [S, d], the layer's result [S, d], its
// input [S, k] and weight [d, k]; out: [A, d], [S, k] or [d, k].
func linearGrad[T Float](o *Op, e Extents, out []T, in [][]T) {
	clear(out)
	d, k := o.Widths[0], o.Widths[2]
	rows := e.Rows(o.In[0])
	ratio := 1
	if o.Part == BaseGrad {
		ratio = e.Ratio(o.In[0], o.Out)
	}
	masked := make([]T, d)
	for i := range rows {
		copy(masked, row(in[0], i, d))
		if o.ReLU {
			for j, y := range row(in[1], i, d) {
				if y == 0 {
					masked[j] = 0
				}
			}
		}
		x := row(in[2], i, k)
		for j, g := range masked {
			switch o.Part {
			case BaseGrad:
				out[i/ratio*d+j] += g
			case InGrad:
				accumulate(row(out, i, k), g, row(in[3], j, k))
			case WeightGrad:
				accumulate(row(out, j, k), g, x)
			}
		}
	}
}
