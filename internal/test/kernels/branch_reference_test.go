//go:build simt || gpu

package kernels

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/acqnp/acqnp/internal/engine/cuda"
	"github.com/acqnp/acqnp/internal/models/ops"
)

// branchCase is an MLP over the levels of points, with all its inputs.
type branchCase struct {
	cuda.Perceptron
	e      ops.Extents
	flat   []float32 // the parameters and gaps between them
	layout []int32
	base   []float32 // [Point, width]
	level  []float32 // [Row, inputs]
	grad   []float32 // [Row, outputs]
}

func newBranchCase(b cuda.Perceptron, e ops.Extents) *branchCase {
	c := &branchCase{Perceptron: b, e: e}
	r := rand.New(rand.NewPCG(uint64(b.Width*10+b.Depth), uint64(e.Levels)))
	normal := func(n int, scale float64) []float32 {
		v := make([]float32, n)
		for i := range v {
			v[i] = float32(scale * r.NormFloat64())
		}
		return v
	}
	size := 0
	place := func(n int) int32 { // 1 to 3 unused numbers lie between two parameters
		at := size + 1 + r.IntN(3)
		size = at + n
		return int32(at)
	}
	const stride = 3 // of the level's columns in the first layer's weight
	c.layout = []int32{place(stride * b.Width), stride}
	for range b.Depth - 1 {
		c.layout = append(c.layout, place(b.Width*b.Width), place(b.Width))
	}
	c.layout = append(c.layout, place(b.Outputs*b.Width), place(b.Outputs))
	c.flat = normal(size+1, math.Sqrt(2/float64(b.Width)))
	c.base = normal(e.Rows(ops.Point)*b.Width, 1)
	c.level = normal(e.Rows(ops.Row)*b.Inputs, 1)
	c.grad = normal(e.Rows(ops.Row)*b.Outputs, 1)
	return c
}

// branchLayer is a linear layer of the case, with indices of its parameters in the flat vector.
type branchLayer struct {
	weight, stride, bias int
	out, in              int
}

func (c *branchCase) layers() []branchLayer {
	l := []branchLayer{{weight: int(c.layout[0]), stride: int(c.layout[1]), bias: -1, out: c.Width, in: c.Inputs}}
	for i := 2; i < len(c.layout); i += 2 {
		l = append(l, branchLayer{weight: int(c.layout[i]), stride: c.Width, bias: int(c.layout[i+1]), out: c.Width, in: c.Width})
	}
	l[len(l)-1].out = c.Outputs
	return l
}

func (l branchLayer) weights(c *branchCase) []float64 {
	w := make([]float64, 0, l.out*l.in)
	for i := range l.out {
		w = append(w, doubles(c.flat[l.weight+i*l.stride:][:l.in])...)
	}
	return w
}

func doubles(x []float32) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = float64(v)
	}
	return y
}

// branchResult holds the results of the kernels. flat has NaNs where the MLP has no parameters.
type branchResult struct{ out, gradBase, gradLevel, flat []float64 }

// forward returns the weights as the products see them, the input and the result of every layer, and
// the result before the ReLU.
func (c *branchCase) forward(round func(float64) float64) (weights, hidden, sums [][]float64) {
	layers := c.layers()
	hidden = [][]float64{doubles(c.level)}
	for i, l := range layers {
		weights = append(weights, l.weights(c))
		if i > 0 && i < len(layers)-1 {
			apply(weights[i], round)
		}
		base, space := doubles(c.base), ops.Point
		if l.bias >= 0 {
			base, space = doubles(c.flat[l.bias:][:l.out]), ops.Parameter
		}
		o := &ops.Op{Kind: ops.Linear, In: []ops.Space{space, ops.Row, ops.Parameter}, Widths: []int{l.out, l.in, l.in}, Out: ops.Row, Width: l.out}
		sums = append(sums, c.evaluate(o, base, hidden[i], weights[i]))
		h := slices.Clone(sums[i])
		if i < len(layers)-1 {
			apply(h, func(v float64) float64 { return round(max(v, 0)) })
		}
		hidden = append(hidden, h)
	}
	return weights, hidden, sums
}

// avoidKinks takes the gradient from every row that has an input of a ReLU near 0. A float32 sum in
// the order of the matrix unit and a float64 sum may round a hidden number to different neighbours,
// 2^-11 of it apart, and its weight in a next sum is about 1/8. So an input of a ReLU within 2^-11
// of 0 may have one sign here and the other there, which would change all gradients of its row.
func (c *branchCase) avoidKinks(t *testing.T, round func(float64) float64) {
	t.Helper()
	_, _, sums := c.forward(round)
	rows, left := c.e.Rows(ops.Row), 0
	for row := range rows {
		near := false
		for _, s := range sums[:len(sums)-1] {
			near = near || slices.ContainsFunc(s[row*c.Width:][:c.Width], func(v float64) bool { return math.Abs(v) < 0x1p-11 })
		}
		if near {
			clear(c.grad[row*c.Outputs:][:c.Outputs])
		} else {
			left++
		}
	}
	if 2*left < rows {
		t.Fatalf("only %d of %d rows have a gradient", left, rows)
	}
}

// reference computes the case in float64, operation by operation. It applies round to the numbers
// that the kernels keep in less than fp32: hidden layers, their weights, and the gradients before
// their ReLUs.
func (c *branchCase) reference(round func(float64) float64) branchResult {
	layers := c.layers()
	weights, hidden, _ := c.forward(round)
	r := branchResult{out: hidden[len(hidden)-1], flat: make([]float64, len(c.flat))}
	apply(r.flat, func(float64) float64 { return math.NaN() })
	grad := doubles(c.grad)
	for i := len(layers) - 1; i >= 0; i-- {
		l, relu := layers[i], i < len(layers)-1
		part := func(part int, to ops.Space, width int) []float64 {
			o := &ops.Op{Kind: ops.LinearGrad, Part: part, In: []ops.Space{ops.Row, ops.Row, ops.Row, ops.Parameter},
				Widths: []int{l.out, l.out, l.in, l.in}, Out: to, Width: width, ReLU: relu, Rows: c.e.Rows(to)}
			if part == ops.WeightGrad {
				o.Rows = l.out
			}
			return c.evaluate(o, grad, hidden[i+1], hidden[i], weights[i])
		}
		for j, v := range part(ops.WeightGrad, ops.Parameter, l.in) {
			r.flat[l.weight+j/l.in*l.stride+j%l.in] = v
		}
		if l.bias >= 0 {
			copy(r.flat[l.bias:], part(ops.BaseGrad, ops.Parameter, l.out))
		} else {
			r.gradBase = part(ops.BaseGrad, ops.Point, l.out)
		}
		grad = part(ops.InGrad, ops.Row, l.in)
		if i > 0 {
			apply(grad, round)
		}
	}
	r.gradLevel = grad
	return r
}

func (c *branchCase) evaluate(o *ops.Op, in ...[]float64) []float64 {
	rows := o.Rows
	if rows == 0 {
		rows = c.e.Rows(o.Out)
	}
	out := make([]float64, rows*o.Width)
	ops.Evaluate(o, c.e, out, in)
	return out
}

func apply(x []float64, f func(float64) float64) {
	for i, v := range x {
		x[i] = f(v)
	}
}

// rounding returns a function that rounds as hidden values are kept: not in fp32; to 11 bits of
// significand in half precision, and below 6e-5 to multiples of 2^-24.
func rounding(precision string) func(float64) float64 {
	return func(x float64) float64 {
		if precision == "f32" || x == 0 {
			return x
		}
		_, exp := math.Frexp(x)
		exp = max(exp, -13)
		unit := math.Ldexp(1, exp-11)
		return math.RoundToEven(x/unit) * unit
	}
}
