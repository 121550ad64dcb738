//go:build simt || gpu

package kernels

import (
	"testing"

	"github.com/acqnp/acqnp/internal/models/ops"
)

func TestEnsembleAdd(t *testing.T) {
	d, r := newDevice(t), newSource(6)
	const width = 9
	for _, e := range []ops.Extents{one, odd} {
		for above, below := range map[ops.Space]ops.Space{ops.Point: ops.Row, ops.Context: ops.Resample} {
			for _, relu := range []bool{false, true} {
				what := name(above, " to ", below, ", ReLU ", relu)
				a, b := r.uniform(e.Rows(above)*width, -1, 1), r.uniform(e.Rows(ops.Ensemble)*width, -1, 1)
				n := e.Rows(below) * width
				o := &ops.Op{Kind: ops.EnsembleAdd, In: []ops.Space{above, ops.Ensemble}, Out: below, Width: width, ReLU: relu}
				got := d.sameAtAnyGrid(func(grid int) [][]float32 {
					return d.run("ensemble_add", grid, 256, e, a, b, result(n), below, above, width, relu)
				})
				near(t, what, got[0], reference(o, e, a, b), few)

				grad, y := r.uniform(n, -1, 1), r.rectified(n)
				for part, kernel := range []string{"ensemble_add_grad_point", "ensemble_add_grad_level"} {
					to := []ops.Space{above, ops.Ensemble}[part]
					o := &ops.Op{Kind: ops.EnsembleAddGrad, Part: part, In: []ops.Space{below, below}, Out: to, Width: width, ReLU: relu}
					got := d.sameAtAnyGrid(func(grid int) [][]float32 {
						return d.run(kernel, grid, 256, e, grad, y, result(e.Rows(to)*width), to, above, width, relu)
					})
					near(t, kernel+" of "+what, got[0], reference(o, e, grad, y), roundings(e.Points+e.Context+e.Levels))
				}
			}
		}
	}
}

func TestBootstrap(t *testing.T) {
	d, r := newDevice(t), newSource(7)
	for _, e := range []ops.Extents{one, odd} {
		n := e.Rows(ops.Resample)
		index := r.uniform(n, 0, float64(e.Context))
		for i, v := range index {
			index[i] = float32(int(v))
		}
		for _, from := range []ops.Space{ops.Context, ops.Resample} {
			values := r.uniform(e.Rows(from)*5, -1, 1)
			got := d.sameAtAnyGrid(func(grid int) [][]float32 {
				return d.run("gather", grid, 256, e, values, index, result(n*5), ops.Resample, from, 5)
			})
			o := &ops.Op{Kind: ops.Gather, In: []ops.Space{from, ops.Resample}, Out: ops.Resample, Width: 5}
			near(t, name("gather from ", from), got[0], reference(o, e, values, index), 0)
		}
		const dy = 3
		decoded, y := r.uniform(n*2*dy, -3, 3), r.uniform(e.Rows(ops.Context)*dy, -3, 3)
		residuals, mean := r.uniform(n*dy, -3, 3), r.uniform(e.Rows(ops.Ensemble)*dy, -1, 1)
		got := d.sameAtAnyGrid(func(grid int) [][]float32 {
			return d.run("residual", grid, 256, e, decoded, y, result(n*dy), ops.Resample, dy, float32(floor))
		})
		o := &ops.Op{Kind: ops.Residual, Out: ops.Resample, Width: dy, Floor: floor}
		near(t, "residual", got[0], reference(o, e, decoded, y), few)
		got = d.sameAtAnyGrid(func(grid int) [][]float32 {
			return d.run("perturb", grid, 256, e, decoded, residuals, mean, result(n*dy), ops.Resample, dy, float32(floor))
		})
		o = &ops.Op{Kind: ops.Perturb, Out: ops.Resample, Width: dy, Floor: floor}
		near(t, "perturb", got[0], reference(o, e, decoded, residuals, mean), 4*few)
	}
}
