package models_test

import (
	"fmt"
	"math"

	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/models/ops"
)

// arrays is a dialect that computes at once. A value is the name of an array of three axes.
type arrays struct {
	known   map[ops.Value]array
	extents ops.Extents
	padding int
	params  []float64
	fed     map[string][]float64
}

type array struct {
	shape [3]int
	data  []float64
}

// element returns an element; an axis of size 1 broadcasts.
func (a array) element(i, j, k int) float64 {
	return a.data[(min(i, a.shape[0]-1)*a.shape[1]+min(j, a.shape[1]-1))*a.shape[2]+min(k, a.shape[2]-1)]
}

// add adds an array of a shape whose elements f returns.
func (d *arrays) add(shape [3]int, f func(i, j, k int) float64) ops.Value {
	a := array{shape: shape}
	for i := range shape[0] {
		for j := range shape[1] {
			for k := range shape[2] {
				a.data = append(a.data, f(i, j, k))
			}
		}
	}
	v := ops.Value(fmt.Sprint(len(d.known)))
	d.known[v] = a
	return v
}

// shape returns that of a tensor of a space.
func (d *arrays) shape(s ops.Space, width int) [3]int {
	e := d.extents
	return map[ops.Space][3]int{ops.Context: {e.Context, 1, width}, ops.Resample: {e.Context, e.Levels, width},
		ops.Point: {e.Points, 1, width}, ops.Row: {e.Points, e.Levels, width}}[s]
}

func (d *arrays) Input(in ops.Input) ops.Value {
	shape := d.shape(in.Space, in.Width)
	data := array{shape, d.fed[in.Name]}
	if in.Space == ops.Context {
		shape[0] += d.padding
	}
	return d.add(shape, func(i, j, k int) float64 {
		if i >= data.shape[0] {
			return 3 // padding
		}
		return data.element(i, j, k)
	})
}

func (d *arrays) Parameter(b ops.Block, _ string) ops.Value {
	leaf := make([]float64, b.Rows*b.Cols)
	ops.LoadBlock(leaf, d.params, b)
	return d.add([3]int{1, b.Rows, b.Cols}, func(_, row, column int) float64 { return leaf[row*b.Cols+column] })
}

func (d *arrays) Number(v float64) ops.Value {
	return d.add([3]int{1, 1, 1}, func(_, _, _ int) float64 { return v })
}

// operators are those of ONNX, on elements. The second number is that of the last operand.
var operators = map[string]func(x, y float64) float64{
	"Add":      func(x, y float64) float64 { return x + y },
	"Sub":      func(x, y float64) float64 { return x - y },
	"Mul":      func(x, y float64) float64 { return x * y },
	"Div":      func(x, y float64) float64 { return x / y },
	"Relu":     func(x, _ float64) float64 { return math.Max(x, 0) },
	"Sigmoid":  func(x, _ float64) float64 { return 1 / (1 + math.Exp(-x)) },
	"Exp":      func(x, _ float64) float64 { return math.Exp(x) },
	"Log":      func(x, _ float64) float64 { return math.Log(x) },
	"Softplus": func(x, _ float64) float64 { return math.Log1p(math.Exp(x)) },
}

func (d *arrays) Elementwise(operator string, of ...ops.Value) ops.Value {
	a := d.known[of[0]]
	b := d.known[of[len(of)-1]]
	shape := a.shape
	for axis, n := range b.shape {
		if shape[axis] == 1 {
			shape[axis] = n
		}
	}
	return d.add(shape, func(i, j, k int) float64 { return operators[operator](a.element(i, j, k), b.element(i, j, k)) })
}

func (d *arrays) Times(v, weight ops.Value) ops.Value { return d.MatMul(v, d.Transposed(weight)) }

func (d *arrays) MatMul(a, b ops.Value) ops.Value {
	x, y := d.known[a], d.known[b]
	return d.add([3]int{max(x.shape[0], y.shape[0]) * min(x.shape[0], 1), x.shape[1], y.shape[2]}, func(i, j, k int) (sum float64) {
		for l := range x.shape[2] {
			sum += x.element(i, j, l) * y.element(i, l, k)
		}
		return sum
	})
}

func (d *arrays) Transposed(v ops.Value) ops.Value {
	a := d.known[v]
	return d.add([3]int{a.shape[0], a.shape[2], a.shape[1]}, func(i, j, k int) float64 { return a.element(i, k, j) })
}

func (d *arrays) Columns(v ops.Value, from, to int) ops.Value {
	a := d.known[v]
	return d.add([3]int{a.shape[0], a.shape[1], to - from}, func(i, j, k int) float64 { return a.element(i, j, from+k) })
}

func (d *arrays) Join(a, b ops.Value) ops.Value {
	x, y := d.known[a], d.known[b]
	return d.add([3]int{x.shape[0], x.shape[1], x.shape[2] + y.shape[2]}, func(i, j, k int) float64 {
		if k < x.shape[2] {
			return x.element(i, j, k)
		}
		return y.element(i, j, k-x.shape[2])
	})
}

func (d *arrays) Ones(v ops.Value) ops.Value {
	a := d.known[v]
	return d.add([3]int{a.shape[0], a.shape[1], 1}, func(_, _, _ int) float64 { return 1 })
}

func (d *arrays) Sum(v ops.Value, axis ops.Axis) ops.Value {
	return d.reduce(v, axis, func(terms []float64) (sum float64) {
		for _, t := range terms {
			sum += t
		}
		return sum
	})
}

func (d *arrays) LogSumExp(v ops.Value, axis ops.Axis) ops.Value {
	return d.reduce(v, axis, likelihood.LogSumExp)
}

// reduce replaces the elements along an axis by one that f makes of them.
func (d *arrays) reduce(v ops.Value, axis ops.Axis, f func([]float64) float64) ops.Value {
	a, along := d.known[v], int(axis)+3
	shape := a.shape
	shape[along] = 1
	return d.add(shape, func(i, j, k int) float64 {
		at, terms := [3]int{i, j, k}, make([]float64, a.shape[along])
		for l := range terms {
			at[along] = l
			terms[l] = a.element(at[0], at[1], at[2])
		}
		return f(terms)
	})
}

func (d *arrays) Softmax(v ops.Value) ops.Value {
	a := d.known[v]
	return d.add(a.shape, func(i, j, k int) float64 {
		sum := 0.0
		for l := range a.shape[2] {
			sum += math.Exp(a.element(i, j, l) - a.element(i, j, k))
		}
		return 1 / sum
	})
}

func (d *arrays) LayerNorm(v, gain, shift ops.Value) ops.Value {
	a, g, s := d.known[v], d.known[gain], d.known[shift]
	width := a.shape[2]
	return d.add(a.shape, func(i, j, k int) float64 {
		var mean, square float64
		for l := range width {
			mean += a.element(i, j, l) / float64(width)
		}
		for l := range width {
			square += (a.element(i, j, l) - mean) * (a.element(i, j, l) - mean) / float64(width)
		}
		return (a.element(i, j, k)-mean)/math.Sqrt(square+ops.LayerNormEpsilon)*g.element(0, 0, k) + s.element(0, 0, k)
	})
}

func (d *arrays) Heads(v ops.Value, heads, width int) ops.Value {
	a := d.known[v]
	return d.add([3]int{heads, a.shape[0], width}, func(h, i, k int) float64 { return a.element(i, 0, h*width+k) })
}

func (d *arrays) Merged(v ops.Value, heads, width int) ops.Value {
	a := d.known[v]
	return d.add([3]int{a.shape[1], 1, heads * width}, func(i, _, k int) float64 { return a.element(k/width, i, k%width) })
}

func (d *arrays) Gathered(values, index ops.Value) ops.Value {
	a, x := d.known[values], d.known[index]
	return d.add([3]int{x.shape[0], x.shape[1], a.shape[2]}, func(i, j, k int) float64 { return a.element(int(x.element(i, j, 0)), j, k) })
}

func (d *arrays) Present(v ops.Value, axis ops.Axis, otherwise float64) ops.Value {
	a := d.known[v]
	return d.add(a.shape, func(i, j, k int) float64 {
		if axis == ops.PointAxis && i >= d.extents.Context || axis == ops.ColumnAxis && k >= d.extents.Context {
			return otherwise
		}
		return a.element(i, j, k)
	})
}

func (d *arrays) Count(ops.Value) ops.Value { return d.Number(float64(max(d.extents.Context, 1))) }

func (d *arrays) Among(scores, ranges ops.Value) ops.Value {
	r := d.known[ranges]
	return d.add(d.known[scores].shape, func(_, i, k int) float64 {
		if key := float64(k); key >= r.element(i, 0, 0) && key < r.element(i, 0, 1) {
			return 1
		}
		return 0
	})
}

func (d *arrays) Where(keys, v ops.Value, otherwise float64) ops.Value {
	among, a := d.known[keys], d.known[v]
	return d.add(a.shape, func(i, j, k int) float64 {
		if among.element(i, j, k) == 0 {
			return otherwise
		}
		return a.element(i, j, k)
	})
}
