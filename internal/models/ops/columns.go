package ops

import G "gorgonia.org/gorgonia"

// Columns are some columns of a tensor. Pad has columns of zeros around those of a tensor. Join has the
// columns of x, then those of y. Ones is 1 for every row.
const (
	Columns Kind = "columns"
	Pad     Kind = "pad"
	Join    Kind = "join"
	Ones    Kind = "ones"
)

// Columns adds columns [from, to) of a tensor, [rows, width] → [rows, to−from].
func (b *Builder) Columns(in *G.Node, from, to int) *G.Node {
	return b.op(&Op{Kind: Columns, Width: to - from, From: from}, in)
}

// Pad adds a tensor [rows, width] of zeros that has x [rows, d] in the columns from `from` on. It is
// the inverse of Columns.
func (b *Builder) Pad(x *G.Node, from, width int) *G.Node {
	return b.op(&Op{Kind: Pad, From: from, Width: width}, x)
}

// Join adds the tensor [rows, p+q] with the columns of x [rows, p] and then those of y [rows, q].
func (b *Builder) Join(x, y *G.Node) *G.Node { return b.op(&Op{Kind: Join}, x, y) }

// Ones adds a column of ones with a row for every row of a tensor: [rows, 1]. It has no gradient.
func (b *Builder) Ones(like *G.Node) *G.Node { return b.op(&Op{Kind: Ones}, like) }

var _ = declare(Columns, operation{
	shape:     columnsShape,
	gradients: composed(func(p parts, _ int) *G.Node { return p.Pad(p.grad, p.op.From, p.op.Widths[0]) }),
	single:    columns[float32], double: columns[float64],
	form:    func(w words, o *Op, in []Value) Value { return w.Columns(in[0], o.From, o.From+o.Width) },
	element: "t.a[row * t.k + t.from + column]",
})

var _ = declare(Pad, operation{
	shape:     padShape,
	gradients: composed(func(p parts, _ int) *G.Node { return p.Columns(p.grad, p.op.From, p.op.From+p.op.Widths[0]) }),
	single:    pad[float32], double: pad[float64],
	element: "pad_of(t, row, column)",
})

var _ = declare(Join, operation{
	shape: joinShape,
	gradients: composed(func(p parts, i int) *G.Node {
		from := i * p.op.Widths[0]
		return p.Columns(p.grad, from, from+p.op.Widths[i])
	}),
	single: join[float32], double: join[float64],
	form:    func(w words, _ *Op, in []Value) Value { return w.Join(in[0], in[1]) },
	element: "column < (unsigned)t.k ? t.a[row * t.k + column] : t.b[row * (t.d - t.k) + column - t.k]",
})

var _ = declare(Ones, operation{
	shape:  onesShape,
	single: fillOnes[float32], double: fillOnes[float64],
	form:    func(w words, _ *Op, in []Value) Value { return w.Ones(in[0]) },
	element: "1",
})

func columnsShape(o *Op, _ G.Nodes) bool {
	o.Out = o.In[0]
	return o.From >= 0 && o.Width > 0 && o.From+o.Width <= o.Widths[0]
}

func padShape(o *Op, _ G.Nodes) bool {
	o.Out = o.In[0]
	return o.Out > Scalar && o.From >= 0 && o.From+o.Widths[0] <= o.Width
}

func joinShape(o *Op, _ G.Nodes) bool {
	o.Out, o.Width = o.In[0], o.Widths[0]+o.Widths[1]
	return o.Out > Scalar && o.In[1] == o.Out
}

func onesShape(o *Op, _ G.Nodes) bool {
	o.Out, o.Width = o.In[0], 1
	return o.Out > Scalar
}

// columns evaluates Columns. in: [rows, width]; out: [rows, o.Width].
func columns[T Float](o *Op, e Extents, out []T, in [][]T) {
	for i := range e.Rows(o.Out) {
		copy(row(out, i, o.Width), row(in[0], i, o.Widths[0])[o.From:])
	}
}

// pad evaluates Pad. in: [rows, d]; out: [rows, width].
func pad[T Float](o *Op, e Extents, out []T, in [][]T) {
	clear(out)
	for i := range e.Rows(o.Out) {
		copy(row(out, i, o.Width)[o.From:], row(in[0], i, o.Widths[0]))
	}
}

// join evaluates Join. in: [rows, p], [rows, q]; out: [rows, p+q].
func join[T Float](o *Op, e Extents, out []T, in [][]T) {
	p, q := o.Widths[0], o.Widths[1]
	for i := range e.Rows(o.Out) {
		y := row(out, i, o.Width)
		copy(y, row(in[0], i, p))
		copy(y[p:], row(in[1], i, q))
	}
}

// fillOnes evaluates Ones. out: [rows, 1].
func fillOnes[T Float](_ *Op, _ Extents, out []T, _ [][]T) {
	for i := range out {
		out[i] = 1
	}
}
