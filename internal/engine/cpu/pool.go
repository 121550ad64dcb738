package cpu

import (
	"github.com/acqnp/acqnp/internal/engine/analysis"
	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/internal/simd"
)

// setMean makes the kernel that adds a tile's share of the means over context points. The rows are
// context points or their bootstraps. All bootstraps of a context point are one row of perPoint
// columns.
func (c *compiler) setMean(u *analysis.Unit) kernel {
	in, out := c.reads(u.In[0]), c.writes(u.Out[0])
	d := in.width
	return func(w *worker, t *tile) {
		x, sums, share := in.slice(w, t), out.slice(w, t), 1/float32(t.e.Context)
		perPoint := t.e.Ratio(in.space, ops.Context) * d
		groups(t, ops.Context, ops.Group, func(k, i, j int) {
			for ; i < j; i++ {
				simd.Axpy(share, x[i*perPoint:(i+1)*perPoint], sums[k*perPoint:(k+1)*perPoint])
			}
		})
	}
}

func (c *compiler) setMeanGrad(u *analysis.Unit) kernel {
	grad, out := c.reads(u.In[0]), c.writes(u.Out[0])
	d := out.width
	return func(w *worker, t *tile) {
		g, y, share := grad.slice(w, t), out.slice(w, t), 1/float32(t.e.Context)
		perPoint := t.e.Ratio(out.space, ops.Context) * d
		groups(t, ops.Context, ops.Group, func(k, i, j int) {
			for ; i < j; i++ {
				copy(y[i*perPoint:(i+1)*perPoint], g[k*perPoint:(k+1)*perPoint])
			}
		})
		for i := range y {
			y[i] *= share
		}
	}
}
