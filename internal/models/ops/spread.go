package ops

import G "gorgonia.org/gorgonia"

// Spread repeats rows for their levels, or a column. Sum and LogSumExp are over what Spread repeats.
const (
	Spread    Kind = "spread"
	Sum       Kind = "sum"
	LogSumExp Kind = "log_sum_exp"
)

// Spread adds the tensor [rows of s, width] that repeats each row of x for the rows that belong to
// it. s is the space of x or, if that is Point, Row. A single column of x is repeated width times.
// Spread returns x if x has this shape.
func (b *Builder) Spread(x *G.Node, s Space, width int) *G.Node { return b.resize(Spread, x, s, width) }

// Sum adds the tensor [rows of s, width] of sums over what Spread repeats: over the levels of a point
// if s is Point and x has a row for each, and over all columns if width is 1.
func (b *Builder) Sum(x *G.Node, s Space, width int) *G.Node { return b.resize(Sum, x, s, width) }

// LogSumExp adds log Σ exp(x) over the elements that Sum adds up. It does not overflow.
func (b *Builder) LogSumExp(x *G.Node, s Space, width int) *G.Node {
	return b.resize(LogSumExp, x, s, width)
}

var _ = declare(Spread, operation{
	shape:     spreadShape,
	gradients: composed(func(p parts, _ int) *G.Node { return p.Sum(p.grad, p.op.In[0], p.op.Widths[0]) }),
	single:    spread[float32], double: spread[float64],
	form:    func(_ words, _ *Op, in []Value) Value { return in[0] }, // it broadcasts where it is read
	element: "spread_of(t, e, row, column)",
})

var _ = declare(Sum, operation{
	shape:     sumShape,
	gradients: composed(func(p parts, _ int) *G.Node { return p.Spread(p.grad, p.op.In[0], p.op.Widths[0]) }),
	single:    sum[float32], double: sum[float64],
	form:    narrowing(Dialect.Sum),
	element: "sum_of(t, e, row, column)",
})

var _ = declare(LogSumExp, operation{
	shape:     sumShape,
	gradients: composed(logSumExpGradient),
	single:    logSumExp[float32], double: logSumExp[float64],
	form:    narrowing(Dialect.LogSumExp),
	element: "log_sum_exp_of(t, e, row, column)",
})

// resize adds a Spread, Sum or LogSumExp. It returns x if x has the shape of the result.
func (b *Builder) resize(k Kind, x *G.Node, s Space, width int) *G.Node {
	if b.err == nil {
		if space, _, d, _ := b.info(x); space == s && d == width {
			return x
		}
	}
	return b.op(&Op{Kind: k, Out: s, Width: width}, x)
}

// spreadShape accepts an input that can be spread to the result's shape.
func spreadShape(o *Op, _ G.Nodes) bool { return spreads(o.In[0], o.Out, o.Widths[0], o.Width) }

// sumShape accepts an input to whose shape the result can be spread.
func sumShape(o *Op, _ G.Nodes) bool { return spreads(o.Out, o.In[0], o.Width, o.Widths[0]) }

// spreads reports whether a tensor [rows of from, d] can be spread to [rows of to, width].
func spreads(from, to Space, d, width int) bool {
	return from > Scalar && (from == to || from == Point && to == Row) && (d == width || d == 1)
}

// logSumExpGradient multiplies by the share exp(x − log Σ exp(x)) of each element.
func logSumExpGradient(p parts, _ int) *G.Node {
	like := func(n *G.Node) *G.Node { return p.Spread(n, p.op.In[0], p.op.Widths[0]) }
	return p.Mul(like(p.grad), p.Exp(p.Add(p.in[0], like(p.Affine(p.out, -1, 0)))))
}

// narrowing writes an operation that takes away what Spread repeats.
func narrowing(over func(d Dialect, v Value, axis Axis) Value) form {
	return func(w words, o *Op, in []Value) Value {
		v := in[0]
		if o.In[0] != o.Out {
			v = over(w, v, LevelAxis)
		}
		if o.Widths[0] != o.Width {
			v = over(w, v, ColumnAxis)
		}
		return v
	}
}

// spread evaluates Spread. in: [above, d or 1]; out: [rows, d].
func spread[T Float](o *Op, e Extents, out []T, in [][]T) {
	eachSpread(e, o.Out, o.In[0], o.Width, o.Widths[0], func(wide, narrow int) { out[wide] = in[0][narrow] })
}

// sum evaluates Sum. in: [rows, d]; out: [above, d or 1].
func sum[T Float](o *Op, e Extents, out []T, in [][]T) {
	clear(out)
	eachSpread(e, o.In[0], o.Out, o.Widths[0], o.Width, func(wide, narrow int) { out[narrow] += in[0][wide] })
}

// logSumExp evaluates LogSumExp. in: [rows, d]; out: [above, d or 1].
func logSumExp[T Float](o *Op, e Extents, out []T, in [][]T) {
	sums := make([]logSum[T], len(out))
	for i := range sums {
		sums[i] = newLogSum[T]()
	}
	eachSpread(e, o.In[0], o.Out, o.Widths[0], o.Width, func(wide, narrow int) { sums[narrow].add(in[0][wide]) })
	for i, s := range sums {
		out[i] = s.value()
	}
}

// eachSpread calls f for every element of a matrix [rows of s, d] and the element of [rows of above,
// width] that spreads to it.
func eachSpread(e Extents, s, above Space, d, width int, f func(wide, narrow int)) {
	ratio := e.Ratio(s, above)
	for i := range e.Rows(s) {
		for j := range d {
			f(i*d+j, i/ratio*width+min(j, width-1))
		}
	}
}
