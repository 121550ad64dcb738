package ops

import G "gorgonia.org/gorgonia"

// The primitives: operations of one element, and those that widen and narrow a tensor. A likelihood
// that is a Go function of them runs on every engine. Their gradients consist of primitives too.

// Mul adds the product x·y, by element, of two tensors [rows, d].
func (b *Builder) Mul(x, y *G.Node) *G.Node { return b.op(&Op{Kind: Mul}, x, y) }

// Affine adds scale·x + shift for every element of x [rows, d].
func (b *Builder) Affine(x *G.Node, scale, shift float64) *G.Node {
	return b.op(&Op{Kind: Affine, Scale: scale, Shift: shift}, x)
}

// Exp adds exp(x) for every element of x [rows, d].
func (b *Builder) Exp(x *G.Node) *G.Node { return b.op(&Op{Kind: Exp}, x) }

// Log adds the natural logarithm of every element of x [rows, d]. All are above 0.
func (b *Builder) Log(x *G.Node) *G.Node { return b.op(&Op{Kind: Log}, x) }

// Softplus adds log(1 + exp(x)) for every element of x [rows, d].
func (b *Builder) Softplus(x *G.Node) *G.Node { return b.op(&Op{Kind: Softplus}, x) }

// Positive adds 1 for every element of x [rows, d] that is at least 0, and 0 for every other. It has
// no gradient; that of Mul(x, Positive(x)), a ReLU, at 0 is the right one.
func (b *Builder) Positive(x *G.Node) *G.Node { return b.op(&Op{Kind: Positive}, x) }

// Pad adds a tensor [rows, width] of zeros that has x [rows, d] in the columns from `from` on. It is
// the inverse of Columns.
func (b *Builder) Pad(x *G.Node, from, width int) *G.Node {
	return b.op(&Op{Kind: Pad, From: from, Width: width}, x)
}

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

// resize adds a Spread, Sum or LogSumExp. It returns x if x has the shape of the result.
func (b *Builder) resize(k Kind, x *G.Node, s Space, width int) *G.Node {
	if b.err == nil {
		if of, _, d, _ := b.info(x); of == s && d == width {
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

func padShape(o *Op, _ G.Nodes) bool {
	o.Out = o.In[0]
	return o.Out > Scalar && o.From >= 0 && o.From+o.Widths[0] <= o.Width
}

// parts are the nodes of which a gradient consists.
type parts struct {
	*Builder
	op        *Op
	in        G.Nodes
	out, grad *G.Node // of op
}

// composed returns the gradients of an operation that consist of operations. build adds those of
// input i.
func composed(build func(p parts, i int) *G.Node) func(o *Op, in G.Nodes, out, grad *G.Node) (G.Nodes, error) {
	return func(o *Op, in G.Nodes, out, grad *G.Node) (G.Nodes, error) {
		b := &Builder{g: &Graph{Capacity: o.capacity}, leaf: map[*G.Node]leafInfo{}}
		for i, n := range in {
			b.leaf[n] = leafInfo{space: o.In[i], rank: o.ranks[i], cols: o.Widths[i]}
		}
		for _, n := range []*G.Node{out, grad} {
			b.leaf[n] = leafInfo{space: o.Out, rank: o.rank, cols: o.Width}
		}
		return o.each(len(in), func(i int) (*G.Node, error) {
			n := build(parts{b, o, in, out, grad}, i)
			return n, b.err
		})
	}
}

func mulGradient(p parts, i int) *G.Node      { return p.Mul(p.grad, p.in[1-i]) }
func affineGradient(p parts, _ int) *G.Node   { return p.Affine(p.grad, p.op.Scale, 0) }
func expGradient(p parts, _ int) *G.Node      { return p.Mul(p.grad, p.out) }
func logGradient(p parts, _ int) *G.Node      { return p.Mul(p.grad, p.Exp(p.Affine(p.out, -1, 0))) }
func softplusGradient(p parts, _ int) *G.Node { return p.Mul(p.grad, p.Sigmoid(p.in[0])) }
func columnsGradient(p parts, _ int) *G.Node  { return p.Pad(p.grad, p.op.From, p.op.Widths[0]) }

func padGradient(p parts, _ int) *G.Node {
	return p.Columns(p.grad, p.op.From, p.op.From+p.op.Widths[0])
}

func spreadGradient(p parts, _ int) *G.Node { return p.Sum(p.grad, p.op.In[0], p.op.Widths[0]) }
func sumGradient(p parts, _ int) *G.Node    { return p.Spread(p.grad, p.op.In[0], p.op.Widths[0]) }

// logSumExpGradient multiplies by the share exp(x − log Σ exp(x)) of each element.
func logSumExpGradient(p parts, _ int) *G.Node {
	like := func(n *G.Node) *G.Node { return p.Spread(n, p.op.In[0], p.op.Widths[0]) }
	return p.Mul(like(p.grad), p.Exp(p.Add(p.in[0], like(p.Affine(p.out, -1, 0)))))
}

// byElement returns a plain kernel that computes an element of the result from that of the input.
func byElement[T Float](f func(o *Op, x T) T) plain[T] {
	return func(o *Op, _ Extents, out []T, in [][]T) {
		for i, x := range in[0] {
			out[i] = f(o, x)
		}
	}
}

func affine[T Float](o *Op, x T) T     { return T(o.Scale)*x + T(o.Shift) }
func expOf[T Float](_ *Op, x T) T      { return exp(x) }
func logOf[T Float](_ *Op, x T) T      { return log(x) }
func softplusOf[T Float](_ *Op, x T) T { return softplus(x) }

func positive[T Float](_ *Op, x T) T {
	if x >= 0 {
		return 1
	}
	return 0
}

// mul evaluates Mul. in: x and y [rows, d]; out: [rows, d].
func mul[T Float](_ *Op, _ Extents, out []T, in [][]T) {
	for i, a := range in[0] {
		out[i] = a * in[1][i]
	}
}

// pad evaluates Pad. in: [rows, d]; out: [rows, width].
func pad[T Float](o *Op, e Extents, out []T, in [][]T) {
	clear(out)
	for i := range e.Rows(o.Out) {
		copy(row(out, i, o.Width)[o.From:], row(in[0], i, o.Widths[0]))
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
