//go:build simt || gpu

package kernels

import (
	"math"
	"testing"

	"github.com/acqnp/acqnp/internal/models/ops"
)

func TestPrimitivesOfAnElement(t *testing.T) {
	d, r := newDevice(t), newSource(40)
	const width = 3
	for _, e := range []ops.Extents{one, odd} {
		for _, s := range []ops.Space{ops.Function, ops.Point, ops.Row} {
			n := e.Rows(s) * width
			x, y, above := r.uniform(n, -30, 30), r.uniform(n, -2, 2), r.uniform(n, 1e-9, 9)
			x[0] = 0
			for _, c := range []struct {
				kernel string
				o      ops.Op
				in     [][]float32
				also   []any
			}{
				{"mul", ops.Op{Kind: ops.Mul}, [][]float32{x, y}, nil},
				{"affine", ops.Op{Kind: ops.Affine, Scale: -1.5, Shift: 0.3}, [][]float32{x}, []any{float32(-1.5), int(math.Float32bits(0.3))}},
				{"exp", ops.Op{Kind: ops.Exp}, [][]float32{x}, nil},
				{"log", ops.Op{Kind: ops.Log}, [][]float32{above}, nil},
				{"softplus", ops.Op{Kind: ops.Softplus}, [][]float32{x}, nil},
				{"positive", ops.Op{Kind: ops.Positive}, [][]float32{x}, nil},
				{"sigmoid", ops.Op{Kind: ops.Sigmoid}, [][]float32{x}, nil},
			} {
				c.o.Out, c.o.Width = s, width
				var args []any
				for _, in := range c.in {
					args = append(args, in)
				}
				got := d.sameAtAnyGrid(func(grid int) [][]float32 {
					return d.run(c.kernel, grid, 256, e, append(append(args, result(n), s, width), c.also...)...)
				})
				near(t, name(c.kernel, " over ", s), got[0], reference(&c.o, e, c.in...), few)
			}
		}
	}
}

// TestPrimitivesThatResize spreads and sums over levels, over columns, and over both.
func TestPrimitivesThatResize(t *testing.T) {
	d, r := newDevice(t), newSource(41)
	for _, e := range []ops.Extents{one, odd, many} {
		for _, c := range []struct {
			s, above ops.Space
			d, width int
		}{{ops.Row, ops.Point, 3, 3}, {ops.Row, ops.Point, 1, 1}, {ops.Row, ops.Point, 5, 1}, {ops.Point, ops.Point, 9, 1}, {ops.Context, ops.Context, 2, 1}} {
			wide, narrow := r.uniform(e.Rows(c.s)*c.d, -20, 20), r.uniform(e.Rows(c.above)*c.width, -20, 20)
			for kernel, kind := range map[string]ops.Kind{"sum": ops.Sum, "log_sum_exp": ops.LogSumExp} {
				got := d.sameAtAnyGrid(func(grid int) [][]float32 {
					return d.run(kernel, grid, 256, e, wide, result(len(narrow)), c.above, c.s, c.d, c.width)
				})
				o := &ops.Op{Kind: kind, In: []ops.Space{c.s}, Widths: []int{c.d}, Out: c.above, Width: c.width}
				near(t, name(kernel, " of ", c), got[0], reference(o, e, wide), 20*roundings(e.Levels*c.d))
			}
			got := d.sameAtAnyGrid(func(grid int) [][]float32 {
				return d.run("spread", grid, 256, e, narrow, result(len(wide)), c.s, c.above, c.width, c.d)
			})
			o := &ops.Op{Kind: ops.Spread, In: []ops.Space{c.above}, Widths: []int{c.width}, Out: c.s, Width: c.d}
			near(t, name("spread to ", c), got[0], reference(o, e, narrow), 0)
		}
	}
}

func TestPad(t *testing.T) {
	d, r := newDevice(t), newSource(42)
	for _, c := range []struct{ in, from, width int }{{3, 0, 5}, {2, 3, 5}, {1, 1, 3}} {
		in := r.uniform(odd.Rows(ops.Row)*c.in, -1, 1)
		o := &ops.Op{Kind: ops.Pad, Widths: []int{c.in}, Out: ops.Row, Width: c.width, From: c.from}
		got := d.sameAtAnyGrid(func(grid int) [][]float32 {
			return d.run("pad_columns", grid, 256, odd, in, result(odd.Rows(ops.Row)*c.width), ops.Row, c.in, c.from, c.width)
		})
		near(t, name("pad ", c), got[0], reference(o, odd, in), 0)
	}
}
