//go:build simt || gpu

package kernels

import (
	"testing"

	"github.com/acqnp/acqnp/internal/ops"
)

// TestAttention has more context points and points than a warp has lanes, and a head with more
// columns than are summed at a time.
func TestAttention(t *testing.T) {
	d := newDevice(t)
	for i, c := range []struct {
		e        ops.Extents
		d, heads int
	}{
		{one, 1, 1}, {odd, 6, 2}, {odd, 40, 8}, {ops.Extents{Functions: 2, Context: 70, Points: 3}, 37, 1},
		{ops.Extents{Functions: 2, Context: 3, Points: 37}, 15, 3}, {ops.Extents{Functions: 1, Context: 3, Points: 2}, 133, 1},
	} {
		what := name(c.d, " in ", c.heads, " heads at ", c.e)
		r, points, context := newSource(uint64(40+i)), c.e.Rows(ops.Point)*c.d, c.e.Rows(ops.Context)*c.d
		q, k, v := r.uniform(points, -3, 3), r.uniform(context, -1, 1), r.uniform(context, -1, 1)
		grad := r.uniform(points, -1, 1)
		y := d.sameAtAnyGrid(func(grid int) [][]float32 {
			return d.run("attention", grid, 128, c.e, q, k, v, result(points), c.d, c.heads)
		})[0]
		o := &ops.Op{Kind: ops.Attention, Out: ops.Point, Width: c.d, Heads: c.heads}
		near(t, what, y, reference(o, c.e, q, k, v), roundings(c.d+c.e.Context))

		got := d.sameAtAnyGrid(func(grid int) [][]float32 {
			byQuery := d.run("attention_grad_query", grid, 128, c.e, grad, y, q, k, v, result(points),
				result(2*c.e.Rows(ops.Point)*c.heads), c.d, c.heads)
			byContext := d.run("attention_grad_context", grid, 128, c.e, grad, q, k, v, byQuery[1], result(context), result(context),
				c.d, c.heads)
			return append(byQuery[:1], byContext...)
		})
		for part, to := range []ops.Space{ops.Point, ops.Context, ops.Context} {
			o := &ops.Op{Kind: ops.AttentionGrad, Part: part, Out: to, Width: c.d, Heads: c.heads}
			// Slopes are differences of sums over a head, summed over points or context points.
			near(t, name("gradient of ", what, ", part ", part), got[part], reference(o, c.e, grad, y, q, k, v),
				roundings(c.d+c.e.Context+c.e.Points))
		}
	}
}
