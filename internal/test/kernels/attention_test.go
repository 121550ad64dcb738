//go:build simt || gpu

package kernels

import (
	"testing"

	"github.com/acqnp/acqnp/internal/models/ops"
)

// TestAttention has more context points and queries than a warp has lanes, no context points, and a
// head with more columns than are summed at a time. Queries are points or the context points themselves.
func TestAttention(t *testing.T) {
	d := newDevice(t)
	for i, c := range []struct {
		e        ops.Extents
		s        ops.Space
		d, heads int
	}{
		{one, ops.Point, 1, 1}, {odd, ops.Point, 6, 2}, {odd, ops.Point, 40, 8},
		{ops.Extents{Functions: 2, Context: 70, Points: 3}, ops.Point, 37, 1},
		{ops.Extents{Functions: 2, Context: 3, Points: 37}, ops.Point, 15, 3},
		{ops.Extents{Functions: 1, Context: 3, Points: 2}, ops.Point, 133, 1},
		{one, ops.Context, 1, 1}, {odd, ops.Context, 6, 2}, {ops.Extents{Functions: 2, Context: 67, Points: 3}, ops.Context, 12, 4},
		{ops.Extents{Functions: 3, Context: 2, Points: 40}, ops.Context, 133, 1},
		{ops.Extents{Functions: 2, Context: 0, Points: 5}, ops.Point, 6, 2},
	} {
		what := name(c.d, " in ", c.heads, " heads of ", c.s, " at ", c.e)
		r, queries, context := newSource(uint64(40+i)), c.e.Rows(c.s)*c.d, c.e.Rows(ops.Context)*c.d
		q, k, v := r.uniform(queries, -3, 3), r.uniform(context, -1, 1), r.uniform(context, -1, 1)
		grad := r.uniform(queries, -1, 1)
		y := d.sameAtAnyGrid(func(grid int) [][]float32 {
			return d.run("attention", grid, 128, c.e, q, k, v, result(queries), c.s, c.d, c.heads)
		})[0]
		o := &ops.Op{Kind: ops.Attention, In: []ops.Space{c.s, ops.Context, ops.Context}, Out: c.s, Width: c.d, Heads: c.heads}
		near(t, what, y, reference(o, c.e, q, k, v), roundings(c.d+c.e.Context))

		got := d.sameAtAnyGrid(func(grid int) [][]float32 {
			byQuery := d.run("attention_grad_query", grid, 128, c.e, grad, y, q, k, v, result(queries),
				result(2*c.e.Rows(c.s)*c.heads), c.s, c.d, c.heads)
			byContext := d.run("attention_grad_context", grid, 128, c.e, grad, q, k, v, byQuery[1], result(context), result(context),
				c.s, c.d, c.heads)
			return append(byQuery[:1], byContext...)
		})
		for part, to := range []ops.Space{c.s, ops.Context, ops.Context}[:len(got)] { // one part without context points
			o := &ops.Op{Kind: ops.AttentionGrad, Part: part, In: []ops.Space{c.s, c.s, c.s, ops.Context, ops.Context},
				Out: to, Width: c.d, Heads: c.heads}
			// Slopes are differences of sums over a head, summed over queries or context points.
			near(t, name("gradient of ", what, ", part ", part), got[part], reference(o, c.e, grad, y, q, k, v),
				roundings(c.d+c.e.Context+c.e.Ratio(c.s, ops.Function)))
		}
	}
}
