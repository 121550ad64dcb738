//go:build simt || gpu

package kernels

import (
	"math"
	"testing"

	"github.com/acqnp/acqnp/internal/models/ops"
)

// TestLayerNorm has rows of fewer and of more columns than a warp has lanes, and rows for several
// slices.
func TestLayerNorm(t *testing.T) {
	d := newDevice(t)
	for i, c := range []struct {
		e ops.Extents
		s ops.Space
		d int
	}{
		{one, ops.Point, 1}, {odd, ops.Point, 5}, {odd, ops.Context, 31}, {odd, ops.Point, 64}, {odd, ops.Context, 133},
		{ops.Extents{Groups: 3, Context: 107, Points: 5, Levels: 1}, ops.Context, 37},
	} {
		what := name(c.d, " columns in ", c.s, " at ", c.e)
		r, n := newSource(uint64(70+i)), c.e.Rows(c.s)*c.d
		x, grad := r.uniform(n, -1, 3), r.uniform(n, -1, 1)
		gain, shift := r.uniform(c.d, -2, 2), r.uniform(c.d, -1, 1)
		y := d.sameAtAnyGrid(func(grid int) [][]float32 {
			return d.run("layer_norm", grid, 128, c.e, x, gain, shift, result(n), c.s, c.d)
		})
		o := &ops.Op{Kind: ops.LayerNorm, Out: c.s, Width: c.d}
		near(t, what, y[0], reference(o, c.e, x, gain, shift), spread(x, c.d, roundings(c.d+4)))

		got := d.layerNormGrad(c.e, c.s, c.d, grad, x, gain)
		for part := range got {
			o := &ops.Op{Kind: ops.LayerNormGrad, Part: part, In: []ops.Space{c.s, c.s, ops.Parameter}, Widths: []int{c.d, c.d, c.d},
				Out: c.s, Width: c.d}
			if part != ops.NormInGrad {
				o.Out, o.Rows = ops.Parameter, 1
			}
			tolerance := spread(x, c.d, roundings(c.d+c.e.Rows(c.s)+4))
			if part == ops.NormInGrad && c.d == 1 { // a product less itself, of which an fma rounds one alone, over √(var + 1e-5)
				tolerance /= math.Sqrt(ops.LayerNormEpsilon)
			}
			near(t, name("gradient of ", what, ", part ", part), got[part], reference(o, c.e, grad, x, gain), tolerance)
		}
	}
}

// layerNormGrad returns the parts of the gradient.
func (d *device) layerNormGrad(e ops.Extents, s ops.Space, width int, grad, x, gain []float32) [3][]float32 {
	d.t.Helper()
	rows := e.Rows(s)
	slices := min(64, (rows+31)/32)
	out := d.sameAtAnyGrid(func(grid int) [][]float32 {
		in := d.run("layer_norm_grad", grid, 128, e, grad, x, gain, result(rows*width), result(2*rows), s, width)
		partial := d.run("layer_norm_grad_slices", grid, 128, e, grad, x, in[1], result(slices*2*width), s, width)
		sums := d.run("weight_grad_sum", grid, 128, e, partial[0], result(width), result(width), s, 1, width, 1)
		return append(in[:1], sums...)
	})
	alone := d.run("layer_norm_grad", 2, 128, e, grad, x, gain, null, result(2*rows), s, width)
	if len(alone) != 1 {
		d.t.Errorf("%d results without a gradient of the input", len(alone))
	}
	return [3][]float32(out)
}

// spread returns tolerance times the largest 1/√(var + 1e-5) of the rows, squared: a layer norm
// multiplies errors by it, and its gradients do so twice. A row of one column is exactly its mean.
func spread(x []float32, d int, tolerance float64) float64 {
	largest := 1.0
	for i := 0; d > 1 && i < len(x); i += d {
		mean, squares := 0.0, 0.0
		for _, v := range x[i : i+d] {
			mean += float64(v) / float64(d)
		}
		for _, v := range x[i : i+d] {
			squares += (float64(v) - mean) * (float64(v) - mean) / float64(d)
		}
		largest = max(largest, 1/math.Sqrt(squares+ops.LayerNormEpsilon))
	}
	return tolerance * largest * largest
}

// TestLayerNormKeepsDigits has rows whose mean is a thousand times their spread. The sum of squares
// would lose all digits of the variance; float32 keeps 4 digits of x − mean.
func TestLayerNormKeepsDigits(t *testing.T) {
	d, r := newDevice(t), newSource(80)
	const width = 40
	x, gain, shift := r.uniform(odd.Rows(ops.Point)*width, 1000, 1002), r.uniform(width, 1, 2), r.uniform(width, 0, 1)
	got := d.run("layer_norm", 3, 128, odd, x, gain, shift, result(len(x)), ops.Point, width)[0]
	near(t, "layer norm", got, reference(&ops.Op{Kind: ops.LayerNorm, Out: ops.Point, Width: width}, odd, x, gain, shift), 1e-3)
}

// TestLayerNormKeepsNaN: a NaN reaches the loss, where training looks for it.
func TestLayerNormKeepsNaN(t *testing.T) {
	d := newDevice(t)
	x := []float32{1, float32(math.NaN()), 2}
	e := ops.Extents{Groups: 1, Points: 1, Levels: 1}
	ones := []float32{1, 1, 1}
	for i, v := range d.run("layer_norm", 1, 128, e, x, ones, ones, result(3), ops.Point, 3)[0] {
		if v == v {
			t.Errorf("number %d of a row with a NaN is %g", i, v)
		}
	}
}
