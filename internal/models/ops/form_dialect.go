package ops

// A Dialect writes tensor computations in another language, such as nodes of ONNX or lines of Python.
// Each operation of a graph is one form in these words (see table), so an export has no network of
// its own: Lower walks a graph and writes it.
//
// A tensor has an axis for each level of an index space, so that a space broadcasts into those below
// it as in numpy:
//
//	Function [1, 1, d]     Context [N_c, 1, d]    Resample [N_c, k, d]
//	Ensemble [1, k, d]     Point   [N, 1, d]      Row      [N, N_τ, d]
//
// A dialect may have further axes before these, such as one of functions. Operands of elementwise
// words broadcast; an axis of a result has its full size only if one operand has it. So a Spread
// is the narrow tensor itself, and only operations of one element, and outputs, may read it.
type Dialect interface {
	// Input returns an input of the graph, in the shape of its space.
	Input(in Input) Value
	// Parameter returns a parameter leaf: [rows, cols], or [cols] if the block is a vector. Its elements
	// are those of slices: one below the other, or side by side if the block has strips.
	Parameter(b Block, slices []Slice) Value
	// Number returns a constant.
	Number(v float64) Value
	// Named returns v under a name that says what it is, for a reader. A value that a form uses twice
	// is Named, because a dialect may write the others in place.
	Named(name string, v Value) Value

	// Elementwise applies a function to each element.
	Elementwise(f Elementwise, of ...Value) Value
	// Times returns v·Wᵀ for rows v [·, k] and a parameter W [d, k].
	Times(v, weight Value) Value
	// MatMul returns the matrix product of a [·, m, n] and b [·, n, l].
	MatMul(a, b Value) Value
	// Transposed exchanges the last two axes.
	Transposed(v Value) Value
	// Columns returns columns from, …, to−1.
	Columns(v Value, from, to int) Value
	// Join returns the columns of a and then those of b, which have the same shape but for these.
	Join(a, b Value) Value
	// Ones returns a column of ones in the shape of v.
	Ones(v Value) Value
	// Sum adds over an axis, which stays with size 1.
	Sum(v Value, axis Axis) Value
	// LogSumExp returns log Σ exp(v) over an axis, which stays with size 1.
	LogSumExp(v Value, axis Axis) Value
	// Softmax returns softmax over the columns; it may have none.
	Softmax(v Value) Value
	// LayerNorm is that of the operation LayerNorm, for rows of width columns.
	LayerNorm(v, gain, shift Value, width int) Value

	// Heads divides columns into heads, [S, 1, n·w] → [n, S, w]; Merged is its inverse. heads is n, width w.
	Heads(v Value, heads, width int) Value
	Merged(v Value, heads, width int) Value
	// Gathered returns the rows of values [N_c, 1 or k, d] that index [N_c, k, 1] picks for each k.
	Gathered(values, index Value) Value

	// Present puts a number in the place of context points that only pad the axis.
	Present(v Value, axis Axis, otherwise float64) Value
	// Count returns the number of context points of v, or 1 if there is none.
	Count(v Value) Value
}

// A Ranging dialect can also write AttentionWithin.
type Ranging interface {
	Dialect
	// Among returns which keys are among those of each query, in the shape of scores [n, S, M]. ranges
	// [S, 1, 2] has the first key and that after the last.
	Among(scores, ranges Value) Value
	// Where returns v where a key is among them, and a number elsewhere.
	Where(keys, v Value, otherwise float64) Value
}

// A Value identifies a tensor in a dialect. It is, for example, the name of a variable. Zero is "".
type Value string

// zero is the value of the base of a layer without a bias.
const zero Value = ""

// An Axis is an axis of a tensor, counted from the last.
type Axis int

// The axes of every tensor.
const (
	PointAxis  Axis = -3 // of context points or points
	LevelAxis  Axis = -2
	ColumnAxis Axis = -1
)

// Elementwise names a function of the elements of one or two tensors.
type Elementwise string

// The functions. A dialect has an entry for each.
const (
	Plus        Elementwise = "plus"
	Minus       Elementwise = "minus"
	Product     Elementwise = "product"
	Quotient    Elementwise = "quotient"
	ReLU        Elementwise = "relu"
	Logistic    Elementwise = "logistic" // 1/(1+exp(−z))
	Exponential Elementwise = "exponential"
	Logarithm   Elementwise = "logarithm"
	SmoothReLU  Elementwise = "smooth relu" // log(1+exp(x))
)

// A Slice is a part of a parameter: rows and columns of a Tensor, which counts as a matrix of
// Shape[0] rows.
type Slice struct {
	Tensor          Tensor
	Row, Rows       int // the first, and their number
	Column, Columns int
}

// Whole reports whether the slice is all of its tensor.
func (s Slice) Whole() bool { return s.Rows*s.Columns == s.Tensor.Size() }

// slices returns the parts of tensors that make up a block.
func (g *Graph) slices(b Block) (all []Slice) {
	width := b.Strip
	if width == 0 {
		width = b.Cols
	}
	for strip := range b.Cols / width {
		at := b.Offset + strip*b.Rows*width
		for row := 0; row < b.Rows; {
			t := g.tensorAt(at)
			wide := t.Size() / t.Shape[0]
			if b.Vector {
				wide = t.Size()
			}
			s := Slice{Tensor: t, Row: (at - t.Offset) / wide, Column: (at - t.Offset) % wide, Columns: width}
			s.Rows = min(b.Rows-row, max(1, t.Size()/wide)-s.Row)
			all = append(all, s)
			row, at = row+s.Rows, at+s.Rows*b.Stride
		}
	}
	return all
}

// tensorAt returns the tensor that has an element of the flat vector.
func (g *Graph) tensorAt(at int) Tensor {
	i := len(g.Tensors) - 1
	for g.Tensors[i].Offset > at {
		i--
	}
	return g.Tensors[i]
}
