//go:build simt || gpu

package kernels

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/acqnp/acqnp/internal/models/ops"
)

// layer is a linear layer under test.
type layer struct {
	e        ops.Extents
	s, above ops.Space
	k, d     int
	relu     bool
}

func (l layer) String() string {
	return fmt.Sprintf("%v over %v, %d to %d at %v", l.s, l.above, l.k, l.d, l.e)
}

// layers have odd widths on both sides of every tile's bounds, and rows for several slices.
var layers = []layer{
	{one, ops.Point, ops.Parameter, 1, 1, true},
	{odd, ops.Point, ops.Parameter, 3, 7, true},
	{odd, ops.Point, ops.Group, 9, 66, false},
	{odd, ops.Row, ops.Point, 1, 33, true},
	{odd, ops.Row, ops.Parameter, 37, 1, false},
	{odd, ops.Row, ops.Parameter, 130, 8, true},
	{odd, ops.Row, ops.Group, 20, 17, true},
	{odd, ops.Row, ops.Parameter, 10, 130, true},
	{odd, ops.Context, ops.Context, 131, 65, false},
	{odd, ops.Resample, ops.Context, 2, 9, true},
	{odd, ops.Ensemble, ops.Group, 68, 36, true},
	{odd, ops.Group, ops.Parameter, 64, 64, true},
	{ops.Extents{Groups: 2, Points: 301, Levels: 1}, ops.Point, ops.Parameter, 5, 12, true},
}

func (l layer) op() *ops.Op {
	return &ops.Op{Kind: ops.Linear, In: []ops.Space{l.above, l.s, ops.Parameter}, Widths: []int{l.d, l.k, l.k}, Out: l.s,
		Width: l.d, ReLU: l.relu}
}

func (l layer) grad(part int) *ops.Op {
	o := &ops.Op{Kind: ops.LinearGrad, Part: part, ReLU: l.relu, In: []ops.Space{l.s, l.s, l.s, ops.Parameter},
		Widths: []int{l.d, l.d, l.k, l.k}}
	switch part {
	case ops.BaseGrad:
		o.Out, o.Width = l.above, l.d
	case ops.InGrad:
		o.Out, o.Width = l.s, l.k
	default:
		o.Out, o.Width, o.Rows = ops.Parameter, l.k, l.d
	}
	return o
}

func TestLinear(t *testing.T) {
	d := newDevice(t)
	for i, l := range layers {
		r, n := newSource(uint64(i)), l.e.Rows(l.s)
		base, in, weight := r.uniform(l.e.Rows(l.above)*l.d, -1, 1), r.uniform(n*l.k, -1, 1), r.uniform(l.d*l.k, -1, 1)
		got := d.sameAtAnyGrid(func(grid int) [][]float32 {
			got := d.run("linear", grid, 128, l.e, base, in, weight, result(n*l.d), l.s, l.above, l.k, l.d, l.relu, l.k)
			wide := d.run("linear", grid, 128, l.e, base, in, l.spread(weight), result(n*l.d), l.s, l.above, l.k, l.d, l.relu, l.k+3)
			rows := d.run("linear_rows", grid, 128, l.e, base, in, weight, result(n*l.d), l.s, l.above, l.k, l.d, l.relu, l.k)
			return slices.Concat(got, wide, rows)
		})
		near(t, l.String(), got[0], reference(l.op(), l.e, base, in, weight), roundings(l.k+1))
		if !slices.Equal(got[0], got[1]) || !slices.Equal(got[0], got[2]) {
			t.Errorf("%v: other bits with the weight's rows apart, or by kernel chain", l)
		}
	}
}

func TestLinearGrad(t *testing.T) {
	d := newDevice(t)
	for i, l := range layers {
		r, n := newSource(uint64(100+i)), l.e.Rows(l.s)
		grad, in, weight := r.uniform(n*l.d, -1, 1), r.uniform(n*l.k, -1, 1), r.uniform(l.d*l.k, -1, 1)
		y := r.rectified(n * l.d)
		want := func(part int) []float64 { return reference(l.grad(part), l.e, grad, y, in, weight) }

		dx := d.sameAtAnyGrid(func(grid int) [][]float32 {
			got := d.run("in_grad", grid, 128, l.e, grad, y, weight, result(n*l.k), l.s, l.k, l.d, l.relu, l.k)
			wide := d.run("in_grad", grid, 128, l.e, grad, y, l.spread(weight), result(n*l.k), l.s, l.k, l.d, l.relu, l.k+3)
			rows := d.run("in_grad_rows", grid, 128, l.e, grad, y, weight, result(n*l.k), l.s, l.k, l.d, l.relu, l.k)
			return slices.Concat(got, wide, rows)
		})
		if !slices.Equal(dx[0], dx[1]) || !slices.Equal(dx[0], dx[2]) {
			t.Errorf("InGrad of %v: other bits with the weight's rows apart, or by kernel chain", l)
		}
		near(t, "InGrad of "+l.String(), dx[0], want(ops.InGrad), roundings(l.d))

		dw, db := l.weightGrad(d, grad, y, in)
		near(t, "WeightGrad of "+l.String(), dw, want(ops.WeightGrad), roundings(n))
		if l.above != ops.Parameter {
			out := d.sameAtAnyGrid(func(grid int) [][]float32 {
				return d.run("base_grad", grid, 128, l.e, grad, y, result(l.e.Rows(l.above)*l.d), l.s, l.above, l.d, l.relu)
			})
			db = out[0]
		}
		near(t, "BaseGrad of "+l.String(), db, want(ops.BaseGrad), roundings(n))
	}
}

// spread returns a weight whose rows lie k + 3 apart, with NaNs between them.
func (l layer) spread(weight []float32) []float32 {
	wide := slices.Repeat([]float32{float32(math.NaN())}, l.d*(l.k+3))
	for i := range l.d {
		copy(wide[i*(l.k+3):], weight[i*l.k:][:l.k])
	}
	return wide
}

// weightGrad returns dW and the gradient of a bias.
func (l layer) weightGrad(d *device, grad, y, in []float32) (dw, db []float32) {
	slices := min(64, (l.e.Rows(l.s)+31)/32)
	out := d.sameAtAnyGrid(func(grid int) [][]float32 {
		partial := d.run("weight_grad", grid, 128, l.e, grad, y, in, result(slices*l.d*(l.k+1)), l.s, l.k, l.d, l.relu)
		return d.run("weight_grad_sum", grid, 128, l.e, partial[0], result(l.d*l.k), result(l.d), l.s, l.k, l.d, l.k)
	})
	return out[0], out[1]
}

// TestLargeLinear has enough rows for the largest tiles, and for more than 64 slices of the
// smallest size.
func TestLargeLinear(t *testing.T) {
	l := layer{ops.Extents{Groups: 1, Points: 16391, Levels: 1}, ops.Point, ops.Parameter, 9, 65, true}
	d, r, n := newDevice(t), newSource(1), l.e.Rows(l.s)
	base, in, weight := r.uniform(l.d, -1, 1), r.uniform(n*l.k, -1, 1), r.uniform(l.d*l.k, -1, 1)
	y := d.run("linear", 11, 128, l.e, base, in, weight, result(n*l.d), l.s, l.above, l.k, l.d, l.relu, l.k)[0]
	near(t, "linear", y, reference(l.op(), l.e, base, in, weight), roundings(l.k+1))

	grad := r.uniform(n*l.d, -1, 1)
	wider := layer{l.e, l.s, l.above, 65, 9, true} // so that the gradient of the input is wide
	weight, mask := r.uniform(65*9, -1, 1), r.rectified(n*9)
	dx := d.run("in_grad", 11, 128, l.e, grad[:n*9], mask, weight, result(n*65), l.s, 65, 9, true, 65)[0]
	near(t, "InGrad", dx, reference(wider.grad(ops.InGrad), l.e, grad[:n*9], mask, make([]float32, n*65), weight), roundings(9))

	partial := d.run("weight_grad", 11, 128, l.e, grad, y, in, result(64*l.d*(l.k+1)), l.s, l.k, l.d, true)[0]
	out := d.run("weight_grad_sum", 3, 128, l.e, partial, result(l.d*l.k), result(l.d), l.s, l.k, l.d, l.k)
	near(t, "WeightGrad", out[0], reference(l.grad(ops.WeightGrad), l.e, grad, y, in, nil), roundings(n/8))
	near(t, "BaseGrad", out[1], reference(l.grad(ops.BaseGrad), l.e, grad, y, in, nil), roundings(n/8))
}

// TestReLUKeepsNaN passes a NaN through the ReLU. It must reach the loss, where training looks for
// NaNs.
func TestReLUKeepsNaN(t *testing.T) {
	d := newDevice(t)
	in := []float32{1, float32(math.NaN()), -1}
	e := ops.Extents{Groups: 1, Points: 3, Levels: 1}
	got := d.run("linear", 1, 128, e, []float32{0}, in, []float32{1}, result(3), ops.Point, ops.Parameter, 1, 1, true, 1)[0]
	if got[0] != 1 || got[1] == got[1] || got[2] != 0 {
		t.Errorf("ReLU of 1, NaN, -1 is %v", got)
	}
}
