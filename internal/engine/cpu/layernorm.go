package cpu

import (
	"github.com/acqnp/acqnp/internal/engine/analysis"
	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/internal/simd"
)

func (c *compiler) layerNorm(u *analysis.Unit) kernel {
	in, gain, shift, out := c.reads(u.In[0]), c.reads(u.In[1]), c.reads(u.In[2]), c.writes(u.Out[0])
	norm := simd.Norm{Gain: gain.data, Shift: shift.data, Epsilon: ops.LayerNormEpsilon}
	return func(w *worker, t *tile) {
		simd.LayerNorm(out.rows(t), out.width, norm, in.matrix(w, t), out.matrix(w, t))
	}
}

// layerNormGrad makes the kernel of all parts of a layer norm's gradient. It sums the gradients of
// gain and shift over the tile first and then adds them to the chunk's partial sums, so that long
// sums keep their digits.
func (c *compiler) layerNormGrad(u *analysis.Unit) kernel {
	grad, in, gain := c.reads(u.In[0]), c.reads(u.In[1]), c.reads(u.In[2])
	dx, dgain, dshift := c.writes(u.Out[ops.NormInGrad]), c.writes(u.Out[ops.GainGrad]), c.writes(u.Out[ops.ShiftGrad])
	d, norm := in.width, simd.Norm{Gain: gain.data, Epsilon: ops.LayerNormEpsilon}
	return func(w *worker, t *tile) {
		to := simd.NormGrad{X: simd.Rows(w.masked, d), Gain: w.norm[:d], Shift: w.norm[d : 2*d]}
		if dx != nil {
			to.X = dx.matrix(w, t)
		}
		clear(w.norm[:2*d])
		simd.LayerNormGrad(in.rows(t), d, norm, grad.matrix(w, t), in.matrix(w, t), to)
		if dgain != nil {
			add(dgain.slice(w, t), to.Gain)
		}
		if dshift != nil {
			add(dshift.slice(w, t), to.Shift)
		}
	}
}
