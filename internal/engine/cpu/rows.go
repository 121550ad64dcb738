package cpu

import (
	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/internal/simd"
)

// groups calls f for every row k of an ancestor space and the rows [i, j) of the child space that
// belong to it, within a tile. Rows are counted from the tile's first of their space.
func groups(t *tile, child, ancestor ops.Space, f func(k, i, j int)) {
	lo, hi := t.span(child)
	first, _ := t.span(ancestor)
	ratio := t.e.Ratio(child, ancestor)
	for i := lo; i < hi; {
		k := i / ratio
		j := min(hi, (k+1)*ratio)
		f(k-first, i-lo, j-lo)
		i = j
	}
}

// collect sums the rows of g [space, width] into the rows of dst, o's memory, to which they belong.
// It adds to dst if o is a sum over tiles, and overwrites dst otherwise.
func collect(t *tile, dst []float32, o *operand, g simd.Matrix, space ops.Space) {
	if o.sum == nil {
		clear(dst)
	}
	groups(t, space, o.space, func(k, i, j int) {
		simd.SumRows(dst[k*o.stride:][:o.width], g.Slice(i, 0), j-i, o.width)
	})
}

// rectify sets negative elements to 0.
func rectify(y []float32) {
	for i, v := range y {
		if v < 0 {
			y[i] = 0
		}
	}
}

// mask writes g [m, d] to dst, with 0 where the ReLU's result [m, d] is 0, and returns dst.
func mask(dst []float32, g, result simd.Matrix, m, d int) []float32 {
	for i := range m {
		y, row := result.Data[i*result.Stride:][:d], dst[i*d:(i+1)*d]
		for j, v := range g.Data[i*g.Stride:][:d] {
			if y[j] == 0 {
				v = 0
			}
			row[j] = v
		}
	}
	return dst
}

// add computes y += x.
func add(y, x []float32) { simd.Axpy(1, x, y) }
