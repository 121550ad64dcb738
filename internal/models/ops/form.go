package ops

import "math"

// A form writes an operation in a dialect. in are its inputs in the layout of Dialect; the base of a
// Linear may be zero.
type form func(w words, o *Op, in []Value) Value

// words are the words of a dialect, with short ones for those that forms often use.
type words struct{ Dialect }

func (w words) plus(a, b Value) Value     { return w.Elementwise(Plus, a, b) }
func (w words) minus(a, b Value) Value    { return w.Elementwise(Minus, a, b) }
func (w words) product(a, b Value) Value  { return w.Elementwise(Product, a, b) }
func (w words) quotient(a, b Value) Value { return w.Elementwise(Quotient, a, b) }

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
		return w.Elementwise(ReLU, v)
	}
	return v
}

func linearForm(w words, o *Op, in []Value) Value {
	v := w.Times(in[1], in[2])
	if in[0] != zero {
		v = w.plus(in[0], v)
	}
	return w.activated(o, v)
}

func setMeanForm(w words, _ *Op, in []Value) Value {
	return w.quotient(w.Sum(w.Present(in[0], PointAxis, 0), PointAxis), w.Count(in[0]))
}

func (w words) uniformLevel(u Value) Value { return w.affine(LevelFloor, 1-2*LevelFloor, u) }

func uniformLogitForm(w words, _ *Op, in []Value) Value {
	rest := w.uniformLevel(w.minus(w.Number(1), in[0]))
	return w.minus(w.Elementwise(Logarithm, w.uniformLevel(in[0])), w.Elementwise(Logarithm, rest))
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
	only := func(v Value, otherwise float64) Value { return w.Present(v, ColumnAxis, otherwise) }
	if within(o) {
		keys := w.Dialect.(Ranging).Among(scores, in[3])
		only = func(v Value, otherwise float64) Value { return w.Dialect.(Ranging).Where(keys, v, otherwise) }
	}
	weights := w.Softmax(only(scores, excluded))
	if within(o) {
		weights = only(weights, 0)
	}
	return w.Merged(w.MatMul(w.Named("weights", weights), heads(w.Present(in[2], PointAxis, 0))), o.Heads, width)
}

// gaussian returns μ and σ of a decoder's output [·, 2·dy].
func (w words) gaussian(o *Op, decoded Value) (mu, sigma Value) {
	s := w.Elementwise(SmoothReLU, w.Columns(decoded, o.Width, 2*o.Width))
	return w.Columns(decoded, 0, o.Width), w.affine(o.Floor, 1-o.Floor, s)
}

func residualForm(w words, o *Op, in []Value) Value {
	mu, sigma := w.gaussian(o, in[0])
	return w.quotient(w.minus(in[1], mu), sigma)
}

func perturbForm(w words, o *Op, in []Value) Value {
	mu, sigma := w.gaussian(o, in[0])
	return w.plus(mu, w.product(sigma, w.minus(in[1], in[2])))
}

func mulForm(w words, _ *Op, in []Value) Value { return w.product(in[0], in[1]) }

func affineForm(w words, o *Op, in []Value) Value { return w.affine(o.Shift, o.Scale, in[0]) }

func expForm(w words, _ *Op, in []Value) Value { return w.Elementwise(Exponential, in[0]) }

func logForm(w words, _ *Op, in []Value) Value { return w.Elementwise(Logarithm, in[0]) }

// spreadForm returns the value itself: it broadcasts where it is read.
func spreadForm(_ words, _ *Op, in []Value) Value { return in[0] }

// narrowing writes an operation that takes away what Spread repeats.
func narrowing(over func(w words, v Value, axis Axis) Value) form {
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

func sumOver(w words, v Value, axis Axis) Value { return w.Sum(v, axis) }

func logSumExpOver(w words, v Value, axis Axis) Value { return w.LogSumExp(v, axis) }

func softplusForm(w words, _ *Op, in []Value) Value { return w.Elementwise(SmoothReLU, in[0]) }

func addForm(w words, _ *Op, in []Value) Value {
	return w.plus(in[0], in[1])
}

func joinForm(w words, _ *Op, in []Value) Value {
	return w.Join(in[0], in[1])
}

func columnsForm(w words, o *Op, in []Value) Value {
	return w.Columns(in[0], o.From, o.From+o.Width)
}

func onesForm(w words, _ *Op, in []Value) Value {
	return w.Ones(in[0])
}

func sigmoidForm(w words, _ *Op, in []Value) Value {
	return w.Elementwise(Logistic, in[0])
}

func uniformLevelForm(w words, _ *Op, in []Value) Value {
	return w.uniformLevel(in[0])
}

func layerNormForm(w words, o *Op, in []Value) Value {
	return w.LayerNorm(in[0], in[1], in[2], o.Width)
}

func ensembleAddForm(w words, o *Op, in []Value) Value {
	return w.activated(o, w.plus(in[0], in[1]))
}

func gatherForm(w words, _ *Op, in []Value) Value {
	return w.Gathered(in[0], in[1])
}
