package onnx

import "github.com/acqnp/acqnp/internal/models/ops"

// A dialect writes operations as nodes. The first axis of a value is that of groups; the axes of
// ops.Dialect follow. Values are float32, or float64 if wide; indices are integers.
type dialect struct {
	*network
	fed    map[string]value
	wide   bool      // float64; such a graph has no parameters
	params []float32 // of the network
}

func (d dialect) Input(in ops.Input) value { return d.fed[in.Name] }

// Parameter adds a weight [out, in] transposed to [in, out], so that a row can be multiplied by it.
func (d dialect) Parameter(b ops.Block, name string) value {
	v := make([]float32, b.Rows*b.Cols)
	ops.LoadBlock(v, d.params, b)
	if b.Vector {
		return d.floats(name, v, b.Cols)
	}
	across := make([]float32, 0, len(v))
	for i := range b.Cols {
		for o := range b.Rows {
			across = append(across, v[o*b.Cols+i])
		}
	}
	return d.floats(name, across, b.Cols, b.Rows)
}

func (d dialect) Number(v float64) value {
	if d.wide {
		return d.double(v)
	}
	return d.scalar(float32(v))
}

func (d dialect) Elementwise(operator string, in ...value) value {
	if d.wide && operator == "Softplus" {
		return d.softplus(in[0]) // onnxruntime's Softplus takes only float32
	}
	return d.op(operator, in...)
}

func (d dialect) Times(v, weight value) value { return d.matmul(v, weight) }

func (d dialect) MatMul(a, b value) value { return d.matmul(a, b) }

func (d dialect) Transposed(v value) value { return d.transpose(v, 0, 1, 3, 2) }

func (d dialect) Columns(v value, from, to int) value { return d.columns(v, from, to) }

func (d dialect) Join(a, b value) value { return d.concat(-1, a, b) }

func (d dialect) Ones(v value) value {
	return d.op("Expand", d.Number(1), d.op("Shape", d.columns(v, 0, 1)))
}

func (d dialect) Sum(v value, axis ops.Axis) value { return d.sum(v, int(axis)) }

func (d dialect) LogSumExp(v value, axis ops.Axis) value { return d.logSumExp(v, int(axis)) }

func (d dialect) Softmax(v value) value { return d.node("Softmax", attributes(whole("axis", -1)), v) }

func (d dialect) LayerNorm(v, gain, shift value) value {
	return d.node("LayerNormalization", attributes(whole("axis", -1), number("epsilon", ops.LayerNormEpsilon)), v, gain, shift)
}

func (d dialect) Heads(v value, heads, width int) value {
	return d.transpose(d.op("Reshape", v, d.ints(0, 0, heads, width)), 0, 2, 1, 3)
}

func (d dialect) Merged(v value, heads, width int) value {
	return d.op("Reshape", d.transpose(v, 0, 2, 1, 3), d.ints(0, 0, 1, heads*width))
}

func (d dialect) Gathered(values, index value) value {
	each := d.op("Expand", values, d.op("Shape", index))
	return d.node("GatherElements", attributes(whole("axis", 1)), each, d.op("Expand", index, d.op("Shape", values)))
}

func (d dialect) Present(v value, axis ops.Axis, otherwise float64) value {
	if d.present.mask == "" {
		return v
	}
	var mask value
	if axis == ops.ColumnAxis {
		mask = d.transpose(d.present.mask, 1, 0)
	} else {
		mask = d.unsqueeze(d.present.mask, 2)
	}
	return d.op("Where", mask, v, d.Number(otherwise))
}

func (d dialect) Among(scores, ranges value) value {
	bound := func(c int) value { return d.transpose(d.columns(ranges, c, c+1), 0, 2, 1, 3) }
	keys := d.cast(d.op("Range", d.index(0), d.squeeze(d.size(scores, 3), 0), d.index(1)), float32s)
	return d.op("And", d.op("GreaterOrEqual", keys, bound(0)), d.op("Less", keys, bound(1)))
}

func (d dialect) Where(keys, v value, otherwise float64) value {
	return d.op("Where", keys, v, d.Number(otherwise))
}

func (d dialect) Count(value) value {
	return d.cast(d.op("Max", d.present.count, d.ints(1)), float32s)
}
