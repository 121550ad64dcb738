//go:build simt || gpu

package kernels

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/acqnp/acqnp/internal/engine/cuda"
	"github.com/acqnp/acqnp/internal/models/ops"
)

// branchCase is an MLP with all its inputs. Its rows have space s, and its base has space above.
type branchCase struct {
	cuda.Perceptron
	e        ops.Extents
	s, above ops.Space
	flat     []float32 // the parameters and gaps between them
	layout   []int32
	base     []float32 // [above, width]; a parameter if that is a bias
	level    []float32 // [s, inputs]
	grad     []float32 // [s, columns]
	mean     []float32 // [Group, columns], the gradient of the mean, if grad is made of it; otherwise nil
	more     []float32 // is added to mean, or nil
}

// columns returns the columns of the result.
func (c *branchCase) columns() int { return cmp.Or(c.Outputs, c.Width) }

func newBranchCase(b cuda.Perceptron, s, above ops.Space, e ops.Extents) *branchCase {
	c := &branchCase{Perceptron: b, e: e, s: s, above: above}
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
	stride := max(3, b.Inputs) // of the level's columns in the first layer's weight
	c.layout = []int32{place(stride * b.Width), int32(stride)}
	for range b.Depth - 1 {
		c.layout = append(c.layout, place(b.Width*b.Width), place(b.Width))
	}
	c.layout = append(c.layout, place(b.Outputs*b.Width), place(b.Outputs))
	if b.Biased {
		c.layout = append(c.layout, place(b.Width), int32(b.Width))
	} else {
		c.layout = append(c.layout, 0, int32(b.Width))
	}
	c.flat = normal(size+1, math.Sqrt(2/float64(b.Width)))
	c.base = normal(e.Rows(above)*b.Width, 1)
	if b.Biased {
		copy(c.flat[c.layout[2*b.Depth+2]:], c.base)
	}
	c.level = normal(e.Rows(s)*b.Inputs, 1)
	c.grad = normal(e.Rows(s)*c.columns(), 1)
	return c
}

// ofMean makes the gradient that of the mean over the rows of each group.
func (c *branchCase) ofMean() {
	each := c.e.Rows(c.s) / c.e.Groups * c.columns()
	n := c.e.Groups * c.columns()
	c.mean, c.more = slices.Clone(c.grad[:n]), slices.Clone(c.grad[n:2*n])
	for i := range c.grad {
		at := i/each*c.columns() + i%c.columns()
		c.grad[i] = (c.mean[at] + c.more[at]) * (1 / float32(each/c.columns()))
	}
}

// branchLayer is a linear layer of the case, with indices of its parameters in the flat vector.
type branchLayer struct {
	weight, stride, bias int
	out, in              int
}

func (c *branchCase) layers() []branchLayer {
	l := []branchLayer{{weight: int(c.layout[0]), stride: int(c.layout[1]), bias: -1, out: c.Width, in: c.Inputs}}
	if c.Biased {
		l[0].bias = int(c.layout[2*c.Depth+2])
	}
	end := 2 * c.Depth
	if c.Outputs > 0 {
		end += 2
	}
	for i := 2; i < end; i += 2 {
		l = append(l, branchLayer{weight: int(c.layout[i]), stride: c.Width, bias: int(c.layout[i+1]), out: c.Width, in: c.Width})
	}
	l[len(l)-1].out = c.columns()
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
		if i > 0 && l.out == c.Width {
			apply(weights[i], round)
		}
		base, space := doubles(c.base), c.above
		if l.bias >= 0 {
			base, space = doubles(c.flat[l.bias:][:l.out]), ops.Parameter
		}
		o := &ops.Op{Kind: ops.Linear, In: []ops.Space{space, c.s, ops.Parameter}, Widths: []int{l.out, l.in, l.in}, Out: c.s, Width: l.out, Rows: c.e.Rows(c.s)}
		sums = append(sums, c.evaluate(o, base, hidden[i], weights[i]))
		h := slices.Clone(sums[i])
		if i < len(layers)-1 {
			apply(h, func(v float64) float64 { return round(max(v, 0)) })
		}
		hidden = append(hidden, h)
	}
	return weights, hidden, sums
}

// inputsOfReLUs returns the results of the layers but the last, before their ReLUs.
func (c *branchCase) inputsOfReLUs(round func(float64) float64) [][]float64 {
	_, _, sums := c.forward(round)
	return sums[:len(sums)-1]
}

// avoidKinks takes the gradient from every row that has an input of a ReLU near 0. A float32 sum in
// the order of the matrix unit and a float64 sum may round a hidden number to different neighbours,
// 2^-11 of it apart, and its weight in a next sum is about 1/8. So an input of a ReLU within 2^-11
// of 0 may have one sign here and the other there, which would change all gradients of its row.
func (c *branchCase) avoidKinks(t *testing.T, round func(float64) float64) {
	t.Helper()
	sums := c.inputsOfReLUs(round)
	rows, left := c.e.Rows(c.s), 0
	for row := range rows {
		near := false
		for _, s := range sums {
			near = near || slices.ContainsFunc(s[row*c.Width:][:c.Width], func(v float64) bool { return math.Abs(v) < 0x1p-11 })
		}
		if near {
			clear(c.grad[row*c.columns():][:c.columns()])
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
			o := &ops.Op{Kind: ops.LinearGrad, Part: part, In: []ops.Space{c.s, c.s, c.s, ops.Parameter},
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
			r.gradBase = part(ops.BaseGrad, c.above, l.out)
		}
		grad = part(ops.InGrad, c.s, l.in)
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
