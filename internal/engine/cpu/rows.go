package cpu

import (
	"github.com/acqnp/acqnp/internal/ops"
	"github.com/acqnp/acqnp/internal/simd"
)

// groups calls f for every run of rows [i, j) of a tile's child space that belongs to row k of the ancestor's.
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

// spread copies every row of base to the rows of y below it.
func spread(t *tile, y []float32, space ops.Space, base []float32, above ops.Space, d int) {
	groups(t, space, above, func(k, i, j int) {
		row := base[k*d : (k+1)*d]
		for ; i < j; i++ {
			copy(y[i*d:(i+1)*d], row)
		}
	})
}

// collect sums the rows of g, ldg apart, into the rows above them; a sum over tiles goes on, any other starts from zero.
func collect(t *tile, dst []float32, o *operand, g []float32, space ops.Space, ldg int) {
	d := o.width
	if o.sum == nil {
		clear(dst)
	}
	groups(t, space, o.space, func(k, i, j int) {
		simd.SumRows(dst[k*o.stride:][:d], g[i*ldg:], j-i, d, ldg)
	})
}

func axpy(alpha float32, x, y []float32) { simd.Axpy(alpha, x, y) }

// add is y += x.
func add(y, x []float32) { simd.Axpy(1, x, y) }

// flush makes 0 of what is too small to count: weights of units that have died, shares of levels that a model has ruled
// out. They come near the smallest float32, and arithmetic on denormal numbers takes a hundred times as long.
func flush(v float32) float32 {
	if v < 1e-30 && v > -1e-30 {
		return 0
	}
	return v
}
