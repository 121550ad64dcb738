package ops

import (
	"maps"
	"slices"

	G "gorgonia.org/gorgonia"
)

// Kind names an operation.
type Kind string

// operation declares everything of a kind but the kernels of the faster engines, except those that
// compute an element from elements: these are here too. The file of an operation declares it.
type operation struct {
	// shape checks the spaces and widths of the inputs and sets the space and width of the result. It
	// returns false for inputs that do not fit. It is nil for a gradient: only gradients builds it.
	shape func(o *Op, in G.Nodes) bool
	// gradients builds the gradients of the inputs from the nodes of the inputs, the result and the
	// result's gradient. An operation without it stops gradients: the method stops them at the
	// bootstrap's operations, and the others read only data.
	gradients func(o *Op, in G.Nodes, out, grad *G.Node) (G.Nodes, error)
	// single and double are the plain kernel in float32 and in float64.
	single plain[float32]
	double plain[float64]
	// cost counts the multiply-adds of the matrix products at the extents. asked says which parts of
	// a gradient the graph needs. Nil: there are none.
	cost func(o *Op, e Extents, asked [3]bool) float64
	// form writes the operation with the operators of ONNX. Only operations of graphs of predictions need
	// it.
	form form
	// row makes the CPU engine's kernel of an operation of elements; see RowKernel.
	row func(o *Op) RowKernel
	// element is the CUDA expression of element i, of column in row, of a result; see kernels/elements.h.
	element string
	// across and reduces answer Op.Across and Op.Reduces. If they are nil, the spaces tell.
	across, reduces func(o *Op) bool
}

// A RowKernel computes elements of a result from the elements of one or two inputs at the same places.
// b is nil for one input.
type RowKernel func(dst, a, b []float32)

var table = map[Kind]operation{}

// declare adds an operation to the table. It returns its kind, so that a declaration is a variable.
func declare(k Kind, o operation) Kind {
	table[k] = o
	return k
}

// Kinds returns the kinds of the table, sorted. Engines have a kernel for each.
func Kinds() []Kind { return slices.Sorted(maps.Keys(table)) }

// Row returns the row kernel of an operation; nil if its kind has none.
func (o *Op) Row() RowKernel {
	if row := table[o.Kind].row; row != nil {
		return row(o)
	}
	return nil
}

// Element returns the CUDA expression of an element of the kind's results; "" if it has none.
func (k Kind) Element() string { return table[k].element }

func always(*Op) bool { return true }

// sameShape accepts inputs of one space and width, which are those of the result.
func sameShape(o *Op, _ G.Nodes) bool {
	o.Out, o.Width = o.In[0], o.Widths[0]
	for i, s := range o.In {
		if s <= Scalar || s != o.Out || o.Widths[i] != o.Width {
			return false
		}
	}
	return true
}

// rowShape is sameShape for levels of points.
func rowShape(o *Op, in G.Nodes) bool { return sameShape(o, in) && o.Out == Row }

// unary returns the row kernel of a function of the elements of one input.
func unary(f func(dst, x []float32)) func(*Op) RowKernel {
	return func(*Op) RowKernel { return func(dst, x, _ []float32) { f(dst, x) } }
}

// byElement returns a plain kernel that computes an element of the result from that of the input.
func byElement[T Float](f func(x T) T) plain[T] {
	return func(_ *Op, _ Extents, out []T, in [][]T) {
		for i, x := range in[0] {
			out[i] = f(x)
		}
	}
}
