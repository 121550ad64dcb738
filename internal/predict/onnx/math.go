package onnx

// Short names for the operators that graphs use often. Operands broadcast as in numpy.

func (g *graph) add(a, b value) value    { return g.op("Add", a, b) }
func (g *graph) sub(a, b value) value    { return g.op("Sub", a, b) }
func (g *graph) mul(a, b value) value    { return g.op("Mul", a, b) }
func (g *graph) div(a, b value) value    { return g.op("Div", a, b) }
func (g *graph) matmul(a, b value) value { return g.op("MatMul", a, b) }

// cast converts the elements to float32s, float64s or int64s.
func (g *graph) cast(in value, e elements) value {
	return g.node("Cast", attributes(whole("to", int(e))), in)
}

// widen converts the elements to float64.
func (g *graph) widen(in value) value { return g.cast(in, float64s) }

// unsqueeze adds a dimension of size 1 at an axis.
func (g *graph) unsqueeze(in value, axis int) value { return g.op("Unsqueeze", in, g.ints(axis)) }

// squeeze removes a dimension of size 1.
func (g *graph) squeeze(in value, axis int) value { return g.op("Squeeze", in, g.ints(axis)) }

// slice returns the elements [from, to) of an axis.
func (g *graph) slice(in value, axis, from, to int) value {
	return g.op("Slice", in, g.ints(from), g.ints(to), g.ints(axis))
}

// columns returns the columns [from, to) of the last axis.
func (g *graph) columns(in value, from, to int) value { return g.slice(in, -1, from, to) }

func (g *graph) transpose(in value, order ...int) value {
	return g.node("Transpose", attributes(wholes("perm", order...)), in)
}

func (g *graph) concat(axis int, in ...value) value {
	if len(in) == 1 {
		return in[0]
	}
	return g.node("Concat", attributes(whole("axis", axis)), in...)
}

// sum adds over an axis and keeps it with size 1.
func (g *graph) sum(in value, axis int) value { return g.op("ReduceSum", in, g.ints(axis)) }

// size returns the size of an axis as a tensor of shape [1].
func (g *graph) size(in value, axis int) value {
	return g.op("Gather", g.op("Shape", in), g.ints(axis))
}

// double returns a float64 constant of shape [1].
func (g *graph) double(v float64) value { return g.doubles([]float64{v}, 1) }

// scalar returns a float32 constant.
func (g *graph) scalar(v float32) value { return g.floats(string(g.fresh("constant")), []float32{v}) }

// softplus returns log(1 + eˣ) of float64s. It computes max(x, 0) + log(1 + e^−|x|), which does not
// overflow.
func (g *graph) softplus(in value) value {
	tail := g.op("Log", g.add(g.double(1), g.op("Exp", g.op("Neg", g.op("Abs", in)))))
	return g.add(g.op("Max", in, g.double(0)), tail)
}

// logSumExp returns log Σ eˣ over an axis and keeps it with size 1. The largest x must be finite.
func (g *graph) logSumExp(in value, axis int) value {
	top := g.node("ReduceMax", attributes(wholes("axes", axis)), in)
	sum := g.sum(g.op("Exp", g.sub(in, top)), axis)
	return g.add(top, g.op("Log", sum))
}
