//go:build simt || gpu

package kernels

import (
	"testing"

	"github.com/acqnp/acqnp/internal/models/ops"
)

// few is the tolerance for functions of a few operations in float32.
const few = 1e-6

func TestElementwise(t *testing.T) {
	d, r := newDevice(t), newSource(2)
	for _, e := range []ops.Extents{one, odd} {
		n := e.Rows(ops.Row)
		z, grad, y := r.uniform(n, -30, 30), r.uniform(n, -1, 1), r.uniform(n, 0, 1)
		u := r.uniform(n, 0, 1)
		u[0] = 0
		for _, c := range []struct {
			kernel string
			kind   ops.Kind
			in     []any
			want   [][]float32
		}{
			{"sigmoid", ops.Sigmoid, []any{z}, [][]float32{z}},
			{"sigmoid_grad", ops.SigmoidGrad, []any{grad, y}, [][]float32{grad, y}},
			{"uniform_level", ops.UniformLevel, []any{u}, [][]float32{u}},
			{"uniform_logit", ops.UniformLogit, []any{u}, [][]float32{u}},
		} {
			got := d.sameAtAnyGrid(func(grid int) [][]float32 {
				return d.run(c.kernel, grid, 256, e, append(c.in, result(n), ops.Row, 1)...)
			})
			near(t, c.kernel, got[0], reference(&ops.Op{Kind: c.kind, Out: ops.Row, Width: 1}, e, c.want...), few)
		}
	}
}

func TestColumns(t *testing.T) {
	d, r := newDevice(t), newSource(3)
	for _, c := range []struct {
		s               ops.Space
		in, from, width int
	}{{ops.Context, 5, 1, 3}, {ops.Row, 2, 0, 1}, {ops.Row, 2, 1, 1}} {
		in := r.uniform(odd.Rows(c.s)*c.in, -1, 1)
		o := &ops.Op{Kind: ops.Columns, In: []ops.Space{c.s}, Widths: []int{c.in}, Out: c.s, Width: c.width, From: c.from}
		got := d.sameAtAnyGrid(func(grid int) [][]float32 {
			return d.run("columns", grid, 256, odd, in, result(odd.Rows(c.s)*c.width), c.s, c.in, c.from, c.width)
		})
		near(t, name("columns of ", c), got[0], reference(o, odd, in), 0)
	}
}

func TestJoin(t *testing.T) {
	d, r := newDevice(t), newSource(8)
	for _, c := range []struct {
		e    ops.Extents
		s    ops.Space
		p, q int
	}{{one, ops.Row, 1, 1}, {odd, ops.Row, 1, 1}, {odd, ops.Point, 3, 5}, {odd, ops.Context, 7, 2}} {
		n := c.e.Rows(c.s)
		a, b := r.uniform(n*c.p, -1, 1), r.uniform(n*c.q, -1, 1)
		o := &ops.Op{Kind: ops.Join, Widths: []int{c.p, c.q}, Out: c.s, Width: c.p + c.q}
		got := d.sameAtAnyGrid(func(grid int) [][]float32 {
			return d.run("join", grid, 256, c.e, a, b, result(n*(c.p+c.q)), c.s, c.p, c.p+c.q)
		})
		near(t, name("join of ", c), got[0], reference(o, c.e, a, b), 0)
	}
}

func TestOnes(t *testing.T) {
	d := newDevice(t)
	got := d.sameAtAnyGrid(func(grid int) [][]float32 {
		return d.run("ones", grid, 256, odd, result(odd.Rows(ops.Point)), ops.Point, 1)
	})
	near(t, "ones", got[0], reference(&ops.Op{Kind: ops.Ones, Out: ops.Point, Width: 1}, odd, nil), 0)
}

// TestAdd adds matrices, and gradients of a weight, which is one row.
func TestAdd(t *testing.T) {
	d, r := newDevice(t), newSource(4)
	for _, c := range []struct {
		s     ops.Space
		width int
	}{{ops.Ensemble, 7}, {ops.Row, 1}, {ops.Parameter, 3 * 37}} {
		n := odd.Rows(c.s) * c.width
		a, b := r.uniform(n, -1, 1), r.uniform(n, -1, 1)
		want := make([]float64, n)
		for i := range want {
			want[i] = float64(a[i] + b[i])
		}
		got := d.sameAtAnyGrid(func(grid int) [][]float32 {
			return d.run("add", grid, 256, odd, a, b, result(n), c.s, c.width)
		})
		near(t, "add", got[0], want, 0)
	}
}

func TestSetMean(t *testing.T) {
	d, r := newDevice(t), newSource(5)
	const width = 37
	for _, e := range []ops.Extents{one, odd} {
		for from, to := range map[ops.Space]ops.Space{ops.Context: ops.Function, ops.Resample: ops.Ensemble} {
			in, grad := r.uniform(e.Rows(from)*width, -1, 1), r.uniform(e.Rows(to)*width, -1, 1)
			got := d.sameAtAnyGrid(func(grid int) [][]float32 {
				return d.run("set_mean", grid, 256, e, in, result(e.Rows(to)*width), to, from, width)
			})
			near(t, name("mean over ", from), got[0],
				reference(&ops.Op{Kind: ops.SetMean, In: []ops.Space{from}, Out: to, Width: width}, e, in), roundings(e.Context))
			back := d.sameAtAnyGrid(func(grid int) [][]float32 {
				return d.run("set_mean_grad", grid, 256, e, grad, null, result(e.Rows(from)*width), from, width)
			})
			near(t, name("gradient of the mean over ", from), back[0],
				reference(&ops.Op{Kind: ops.SetMeanGrad, In: []ops.Space{to}, Out: from, Width: width}, e, grad), few)
			more, sum := r.uniform(len(grad), -1, 1), make([]float32, len(grad))
			for i, v := range more {
				sum[i] = grad[i] + v
			}
			two := d.run("set_mean_grad", 2, 256, e, grad, more, result(e.Rows(from)*width), from, width)
			near(t, name("gradient of the mean over ", from, " from two"), two[0],
				reference(&ops.Op{Kind: ops.SetMeanGrad, In: []ops.Space{to}, Out: from, Width: width}, e, sum), few)
		}
	}
}
