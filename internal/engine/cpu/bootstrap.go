package cpu

import (
	"github.com/acqnp/acqnp/internal/engine/analysis"
	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/internal/simd"
)

// ensembles calls f for every context point or point i of the tile, with the number of its
// group. Both are counted from the tile's first.
func ensembles(t *tile, space ops.Space, f func(i, group int)) {
	groups(t, space, ops.Group, func(k, i, j int) {
		for ; i < j; i++ {
			f(i, k)
		}
	})
}

func (c *compiler) ensembleAdd(u *analysis.Unit) kernel {
	perPoint, perEnsemble, out := c.reads(u.In[0]), c.reads(u.In[1]), c.writes(u.Out[0])
	d, relu := out.width, u.Op.ReLU
	return func(w *worker, t *tile) {
		a, e, y := perPoint.slice(w, t), perEnsemble.slice(w, t), out.slice(w, t)
		n := t.e.Levels
		ensembles(t, perPoint.space, func(i, group int) {
			dst := y[i*n*d : (i+1)*n*d]
			copy(dst, e[group*n*d:(group+1)*n*d])
			for level := range n {
				add(dst[level*d:(level+1)*d], a[i*d:(i+1)*d])
			}
		})
		if relu {
			rectify(y)
		}
	}
}

func (c *compiler) ensembleAddGrad(u *analysis.Unit) kernel {
	grad, result := c.reads(u.In[0]), c.reads(u.In[1])
	toPoint, toEnsemble := c.writes(u.Out[ops.PointGrad]), c.writes(u.Out[ops.EnsembleGrad])
	d, relu := result.width, u.Op.ReLU
	above := map[ops.Space]ops.Space{ops.Row: ops.Point, ops.Resample: ops.Context}[result.space]
	return func(w *worker, t *tile) {
		g, n := grad.matrix(w, t), t.e.Levels
		if relu {
			g = simd.Rows(mask(w.masked, g, result.matrix(w, t), grad.rows(t), d), d)
		}
		if toPoint != nil {
			collect(t, toPoint.slice(w, t), toPoint, g, grad.space)
		}
		if toEnsemble != nil {
			sums := toEnsemble.slice(w, t)
			ensembles(t, above, func(i, group int) {
				add(sums[group*n*d:(group+1)*n*d], g.Data[i*n*d:(i+1)*n*d])
			})
		}
	}
}

// gather makes the kernel of a Gather. It can read any row of a group, so the values are
// complete before it runs (see ops.Op.Across).
func (c *compiler) gather(u *analysis.Unit) kernel {
	values, index, out := c.reads(u.In[0]), c.reads(u.In[1]), c.writes(u.Out[0])
	d := out.width
	return func(w *worker, t *tile) {
		y, n := out.slice(w, t), t.e.Levels
		lo, _ := t.span(ops.Resample)
		for i, at := range index.slice(w, t) {
			point, level := (lo+i)/n, (lo+i)%n
			from := point/t.e.Context*t.e.Context + int(at)
			if values.space == ops.Resample {
				from = from*n + level
			}
			copy(y[i*d:(i+1)*d], values.data[from*d:(from+1)*d])
		}
	}
}

func (c *compiler) residual(u *analysis.Unit) kernel {
	decoded, ys, out := c.reads(u.In[0]), c.reads(u.In[1]), c.writes(u.Out[0])
	dy, floor := out.width, u.Op.Floor
	return func(w *worker, t *tile) {
		d, y, r := decoded.slice(w, t), ys.slice(w, t), out.slice(w, t)
		for i := range len(r) / dy {
			p := i / t.e.Levels
			ops.GaussianResidual(d[i*2*dy:(i+1)*2*dy], y[p*dy:(p+1)*dy], r[i*dy:(i+1)*dy], floor)
		}
	}
}

func (c *compiler) perturb(u *analysis.Unit) kernel {
	decoded, residuals, means, out := c.reads(u.In[0]), c.reads(u.In[1]), c.reads(u.In[2]), c.writes(u.Out[0])
	dy, floor := out.width, u.Op.Floor
	return func(w *worker, t *tile) {
		d, r, m, y, n := decoded.slice(w, t), residuals.slice(w, t), means.slice(w, t), out.slice(w, t), t.e.Levels
		ensembles(t, ops.Context, func(i, group int) {
			for level := range n {
				row, mean := i*n+level, group*n+level
				ops.GaussianPerturb(d[row*2*dy:(row+1)*2*dy], r[row*dy:(row+1)*dy], m[mean*dy:(mean+1)*dy], y[row*dy:(row+1)*dy], floor)
			}
		})
	}
}
