package cpu

import (
	"math"

	"github.com/acqnp/acqnp/internal/engine/plan"
	"github.com/acqnp/acqnp/internal/ops"
	"github.com/acqnp/acqnp/internal/simd"
)

// levelScratch holds what the mixture needs of a tile's rows, one number each.
type levelScratch struct {
	up, tau, rest, logLevel []float32 // softplus(z), τ, 1−τ and log τ(1−τ): shared by the channels
	sigma, raw, logSigma    []float32 // σ, dσ/ds, log σ
	slope, scaled           []float32 // dρ/de, (y−μ)/σ
	joint, weight           []float32 // a + log AL and a, less their maxima over the point; then exp of both
	offset                  []float32 // per point: the difference of these maxima
}

func newLevelScratch(rows int) levelScratch {
	all := make([]float32, 12*rows)
	next := func() []float32 {
		s := all[:rows:rows]
		all = all[rows:]
		return s
	}
	return levelScratch{next(), next(), next(), next(), next(), next(), next(), next(), next(), next(), next(), next()}
}

// levels fills what depends on the logits alone: log τ(1−τ) = −softplus(−z) − softplus(z) = z − 2·softplus(z), and
// 1−τ = exp(−softplus(z)), exact where τ has rounded to 1.
func (s *levelScratch) levels(z []float32) {
	n := len(z)
	simd.SoftplusSigmoid(s.up[:n], s.tau[:n], z)
	for i, up := range s.up[:n] {
		s.logLevel[i] = z[i] - 2*up
		s.rest[i] = -up
	}
	simd.Exp(s.rest[:n], s.rest[:n])
}

// channel fills the rest for one channel of a tile's points, and calls f for each point with the sums that normalise
// s.joint and s.weight, which hold exp of both by then.
func (s *levelScratch) channel(rows, ys []float32, levels, dy, c int, f func(p int, jointSum, weightSum float32)) {
	n := len(ys) / dy * levels
	sigma, raw := s.sigma[:n], s.raw[:n]
	for i := range sigma {
		sigma[i] = rows[i*3*dy+dy+c]
	}
	simd.SoftplusSigmoid(sigma, raw, sigma)
	for i, up := range sigma {
		sigma[i] = ops.LaplaceFloor + (1-ops.LaplaceFloor)*up
		raw[i] *= 1 - ops.LaplaceFloor
	}
	simd.Log(s.logSigma[:n], sigma)
	for p := range len(ys) / dy {
		s.densities(rows, ys[p*dy+c], p*levels, levels, dy, c)
	}
	simd.Exp(s.joint[:n], s.joint[:n])
	simd.Exp(s.weight[:n], s.weight[:n])
	for p := range len(ys) / dy {
		var jointSum, weightSum float32
		from := p * levels
		for i := from; i < from+levels; i++ {
			s.joint[i], s.weight[i] = flush(s.joint[i]), flush(s.weight[i])
			jointSum += s.joint[i]
			weightSum += s.weight[i]
		}
		f(p, jointSum, weightSum)
	}
}

// densities fills slope, scaled, joint, weight and offset of the point whose levels start at row from.
func (s *levelScratch) densities(rows []float32, y float32, from, levels, dy, c int) {
	inf := float32(math.Inf(-1))
	maxJoint, maxWeight := inf, inf
	for i := from; i < from+levels; i++ {
		r := rows[i*3*dy : (i+1)*3*dy]
		slope := s.tau[i]
		if y < r[c] {
			slope = -s.rest[i]
		}
		a, scaled := r[2*dy+c], (y-r[c])/s.sigma[i]
		joint := a + s.logLevel[i] - s.logSigma[i] - scaled*slope
		s.slope[i], s.scaled[i], s.joint[i], s.weight[i] = slope, scaled, joint, a
		if joint > maxJoint {
			maxJoint = joint
		}
		if a > maxWeight {
			maxWeight = a
		}
	}
	for i := from; i < from+levels; i++ {
		s.joint[i] -= maxJoint
		s.weight[i] -= maxWeight
	}
	s.offset[from/levels] = maxJoint - maxWeight
}

func logRatio(a, b float32) float32 { return float32(math.Log(float64(a) / float64(b))) }

func (c *compiler) mixture(u *plan.Unit) kernel {
	components, logits, ys, out := c.in(u.In[0]), c.in(u.In[1]), c.in(u.In[2]), c.out(u.Out[0])
	dy := ys.width
	return func(w *worker, t *tile) {
		rows, y, ll := components.at(w, t), ys.at(w, t), out.at(w, t)
		w.levels.levels(logits.at(w, t))
		clear(ll)
		for ch := range dy {
			w.levels.channel(rows, y, t.e.Levels, dy, ch, func(p int, jointSum, weightSum float32) {
				ll[p] += w.levels.offset[p] + logRatio(jointSum, weightSum)
			})
		}
	}
}

func (c *compiler) mixtureGrad(u *plan.Unit) kernel {
	grad, components, logits, ys := c.in(u.In[0]), c.in(u.In[1]), c.in(u.In[2]), c.in(u.In[3])
	outComponents, outLogits := c.out(u.Out[ops.ComponentsGrad]), c.out(u.Out[ops.LogitGrad])
	dy := ys.width
	return func(w *worker, t *tile) {
		s, n := &w.levels, t.e.Levels
		g, rows, y := grad.at(w, t), components.at(w, t), ys.at(w, t)
		dst := outComponents.at(w, t)
		var dz []float32
		if outLogits != nil {
			dz = outLogits.at(w, t)
			clear(dz)
		}
		s.levels(logits.at(w, t))
		for ch := range dy {
			s.channel(rows, y, n, dy, ch, func(p int, jointSum, weightSum float32) {
				s.gradient(dst, p*n, n, dy, ch, g[p]/jointSum, g[p]/weightSum)
				if dz != nil {
					s.logitGradient(dz, p*n, n)
				}
			})
		}
	}
}

// gradient writes g·d log p/d(μ, s, a) of a point's levels for one channel, with g over both normalising sums at hand.
// It leaves g times the posterior weights in s.joint.
func (s *levelScratch) gradient(dst []float32, from, levels, dy, c int, perJoint, perWeight float32) {
	for i := from; i < from+levels; i++ {
		posterior := perJoint * s.joint[i]
		s.joint[i] = posterior
		d := dst[i*3*dy : (i+1)*3*dy]
		scaled := posterior / s.sigma[i]
		d[c] = flush(scaled * s.slope[i])
		d[dy+c] = flush(scaled * (s.scaled[i]*s.slope[i] - 1) * s.raw[i])
		d[2*dy+c] = posterior - perWeight*s.weight[i]
	}
}

// logitGradient adds g·d log p/dz of the channel that gradient saw last: the channels share their levels.
// d/dz of log τ(1−τ) is 1−2τ, and of ρ/σ it is (y−μ)/σ·τ(1−τ).
func (s *levelScratch) logitGradient(dz []float32, from, levels int) {
	for i := from; i < from+levels; i++ {
		tau, rest := s.tau[i], s.rest[i]
		dz[i] = flush(dz[i] + s.joint[i]*(rest-tau-tau*rest*s.scaled[i]))
	}
}

// gaussian and gaussianGrad run over points or over levels of points; y is per point.
func (c *compiler) gaussian(u *plan.Unit) kernel {
	decoded, ys, out := c.in(u.In[0]), c.in(u.In[1]), c.out(u.Out[0])
	dy := ys.width
	return func(w *worker, t *tile) {
		d, y, ll := decoded.at(w, t), ys.at(w, t), out.at(w, t)
		ratio := t.e.Ratio(out.space, ys.space)
		for i := range ll {
			p := i / ratio
			ll[i] = ops.GaussianLogLik(d[i*2*dy:(i+1)*2*dy], y[p*dy:(p+1)*dy])
		}
	}
}

func (c *compiler) gaussianGrad(u *plan.Unit) kernel {
	grad, decoded, ys, out := c.in(u.In[0]), c.in(u.In[1]), c.in(u.In[2]), c.out(u.Out[0])
	dy := ys.width
	return func(w *worker, t *tile) {
		d, y, dst := decoded.at(w, t), ys.at(w, t), out.at(w, t)
		ratio := t.e.Ratio(out.space, ys.space)
		for i, g := range grad.at(w, t) {
			p := i / ratio
			ops.GaussianGrad(g, d[i*2*dy:(i+1)*2*dy], y[p*dy:(p+1)*dy], dst[i*2*dy:(i+1)*2*dy])
		}
	}
}
