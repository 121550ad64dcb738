package ops

// A form writes an operation in a dialect. in are its inputs in the layout of Dialect; the base of a
// Linear may be zero.
type form func(w words, o *Op, in []Value) Value

// A Dialect writes tensor computations as the operators of ONNX. Each operation of a graph is one form
// in these words, so an export has no network of its own: Lower walks a graph and writes it.
//
// A tensor has an axis for each level of an index space, so that a space broadcasts into those below
// it as in numpy:
//
//	Group [1, 1, d]     Context [N_c, 1, d]    Resample [N_c, k, d]
//	Ensemble [1, k, d]     Point   [N, 1, d]      Row      [N, N_τ, d]
//
// A dialect may have further axes before these, such as one of groups. Operands of elementwise
// words broadcast; an axis of a result has its full size only if one operand has it. So a Spread
// is the narrow tensor itself, and only operations of one element, and outputs, may read it.
type Dialect interface {
	// Input returns an input of the graph, in the shape of its space.
	Input(in Input) Value
	// Parameter returns a parameter leaf: [rows, cols], or [cols] if the block is a vector. name is that
	// of its tensor if the block is all of it.
	Parameter(b Block, name string) Value
	// Number returns a constant.
	Number(v float64) Value

	// Elementwise applies an operator of ONNX, such as Add or Exp, to each element.
	Elementwise(operator string, in ...Value) Value
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
	// LayerNorm is that of the operation LayerNorm.
	LayerNorm(v, gain, shift Value) Value

	// Heads divides columns into heads, [S, 1, n·w] → [n, S, w]; Merged is its inverse. heads is n, width w.
	Heads(v Value, heads, width int) Value
	Merged(v Value, heads, width int) Value
	// Gathered returns the rows of values [N_c, 1 or k, d] that index [N_c, k, 1] picks for each k.
	Gathered(values, index Value) Value

	// Present puts a number in the place of context points that only pad the axis.
	Present(v Value, axis Axis, otherwise float64) Value
	// Count returns the number of context points of v, or 1 if there is none.
	Count(v Value) Value
	// Among returns which keys are among those of each query, in the shape of scores [n, S, M]. ranges
	// [S, 1, 2] has the first key and that after the last. Where returns v where a key is among them, and
	// a number elsewhere.
	Among(scores, ranges Value) Value
	Where(keys, v Value, otherwise float64) Value
}

// A Value identifies a tensor in a dialect, such as the name of a result. Zero is "".
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

// words are the words of a dialect, with short ones for those that forms often use.
type words struct{ Dialect }

func (w words) plus(a, b Value) Value     { return w.Elementwise("Add", a, b) }
func (w words) minus(a, b Value) Value    { return w.Elementwise("Sub", a, b) }
func (w words) product(a, b Value) Value  { return w.Elementwise("Mul", a, b) }
func (w words) quotient(a, b Value) Value { return w.Elementwise("Div", a, b) }

// affine returns from + by·v.
func (w words) affine(from, by float64, v Value) Value {
	switch {
	case by == -1:
		return w.minus(w.Number(from), v)
	case by != 1:
		v = w.product(w.Number(by), v)
	}
	if from == 0 {
		return v
	}
	return w.plus(w.Number(from), v)
}

// activated applies the operation's ReLU, if it has one.
func (w words) activated(o *Op, v Value) Value {
	if o.ReLU {
		return w.Elementwise("Relu", v)
	}
	return v
}

// gaussian returns μ and σ of a decoder's output [·, 2·dy].
func (w words) gaussian(o *Op, decoded Value) (mu, sigma Value) {
	s := w.Elementwise("Softplus", w.Columns(decoded, o.Width, 2*o.Width))
	return w.Columns(decoded, 0, o.Width), w.affine(o.Floor, 1-o.Floor, s)
}

// onnx is the form of an operation that an operator of ONNX computes.
func onnx(operator string) form {
	return func(w words, _ *Op, in []Value) Value { return w.Elementwise(operator, in...) }
}
