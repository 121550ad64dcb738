//go:build simt || gpu

package kernels

import (
	"testing"

	"github.com/acqnp/acqnp/internal/models/ops"
)

// TestAttention has more keys and queries than a warp has lanes, no keys, and a head with more columns than
// are summed at a time. Queries are points or the context points, keys are context points or the queries'
// own points. Half of the cases have ranges of keys, some of them empty.
func TestAttention(t *testing.T) {
	d := newDevice(t)
	for i, c := range []struct {
		e        ops.Extents
		s, t     ops.Space
		d, heads int
		ranges   bool
	}{
		{one, ops.Point, ops.Context, 1, 1, false}, {odd, ops.Point, ops.Context, 6, 2, false}, {odd, ops.Point, ops.Context, 40, 8, false},
		{ops.Extents{Groups: 2, Context: 70, Points: 3}, ops.Point, ops.Context, 37, 1, false},
		{ops.Extents{Groups: 2, Context: 3, Points: 37}, ops.Point, ops.Context, 15, 3, false},
		{ops.Extents{Groups: 1, Context: 3, Points: 2}, ops.Point, ops.Context, 133, 1, false},
		{one, ops.Context, ops.Context, 1, 1, false}, {odd, ops.Context, ops.Context, 6, 2, false},
		{ops.Extents{Groups: 2, Context: 67, Points: 3}, ops.Context, ops.Context, 12, 4, false},
		{ops.Extents{Groups: 3, Context: 2, Points: 40}, ops.Context, ops.Context, 133, 1, false},
		{ops.Extents{Groups: 2, Context: 0, Points: 5}, ops.Point, ops.Context, 6, 2, false},
		{odd, ops.Point, ops.Point, 6, 2, false}, {ops.Extents{Groups: 2, Points: 37}, ops.Point, ops.Point, 12, 4, false},
		{one, ops.Point, ops.Context, 1, 1, true}, {odd, ops.Point, ops.Context, 6, 2, true},
		{ops.Extents{Groups: 2, Context: 70, Points: 3}, ops.Point, ops.Context, 133, 1, true},
		{ops.Extents{Groups: 2, Context: 100, Points: 3}, ops.Context, ops.Context, 12, 4, true},
		{ops.Extents{Groups: 3, Context: 2, Points: 70}, ops.Point, ops.Point, 15, 3, true},
		{ops.Extents{Groups: 2, Context: 0, Points: 5}, ops.Point, ops.Context, 6, 2, true},
	} {
		what := name(c.d, " in ", c.heads, " heads of ", c.s, " over ", c.t, " at ", c.e, ", ranges ", c.ranges)
		keys := c.e.Ratio(c.t, ops.Group)
		r, queries, known := newSource(uint64(40+i)), c.e.Rows(c.s)*c.d, c.e.Rows(c.t)*c.d
		q, k, v := r.uniform(queries, -3, 3), r.uniform(known, -1, 1), r.uniform(known, -1, 1)
		grad := r.uniform(queries, -1, 1)
		ranges := any(null)
		in, extra := []ops.Space{c.s, c.t, c.t}, [][]float32(nil)
		if c.ranges {
			v := rangesOf(r, c.e.Rows(c.s), keys)
			ranges, in, extra = v, append(in, c.s), [][]float32{v}
		}
		y := d.sameAtAnyGrid(func(grid int) [][]float32 {
			return d.run("attention", grid, 128, c.e, q, k, v, ranges, result(queries), c.s, c.t, c.d, c.heads)
		})[0]
		o := &ops.Op{Kind: ops.Attention, In: in, Out: c.s, Width: c.d, Heads: c.heads}
		near(t, what, y, reference(o, c.e, append([][]float32{q, k, v}, extra...)...), roundings(c.d+keys))

		got := d.sameAtAnyGrid(func(grid int) [][]float32 {
			byQuery := d.run("attention_grad_query", grid, 128, c.e, grad, y, q, k, v, ranges, result(queries),
				result(2*c.e.Rows(c.s)*c.heads), c.s, c.t, c.d, c.heads)
			byKey := d.run("attention_grad_key", grid, 128, c.e, grad, q, k, v, ranges, byQuery[1], result(known), result(known),
				c.s, c.t, c.d, c.heads)
			return append(byQuery[:1], byKey...)
		})
		for part, to := range []ops.Space{c.s, c.t, c.t}[:len(got)] { // one part without keys
			o := &ops.Op{Kind: ops.AttentionGrad, Part: part, In: append([]ops.Space{c.s, c.s}, in...), Out: to, Width: c.d, Heads: c.heads}
			// Slopes are differences of sums over a head, summed over queries or keys.
			near(t, name("gradient of ", what, ", part ", part), got[part], reference(o, c.e, append([][]float32{grad, y, q, k, v}, extra...)...),
				roundings(c.d+keys+c.e.Ratio(c.s, ops.Group)))
		}
	}
}

// rangesOf returns ranges of n keys [rows, 2]. Every third is empty.
func rangesOf(r *source, rows, n int) []float32 {
	all := r.uniform(2*rows, 0, 1)
	for i := 0; i < len(all); i += 2 {
		first := int(all[i] * float32(n))
		end := first + int(all[i+1]*float32(n-first+1))
		if i%3 == 0 {
			end = first
		}
		all[i], all[i+1] = float32(first), float32(end)
	}
	return all
}
