package cpu

import (
	"math"
	"slices"

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
	jointSum, weightSum     []float32 // per point: the sums that normalise these
	offset                  []float32 // per point: the difference of the maxima
}

// levelNumbers is how many numbers a row takes in a levelScratch.
const levelNumbers = 14

// newLevelScratch divides memory of levelNumbers for each row.
func newLevelScratch(all []float32) levelScratch {
	rows := len(all) / levelNumbers
	next := func() []float32 {
		s := all[:rows:rows]
		all = all[rows:]
		return s
	}
	return levelScratch{next(), next(), next(), next(), next(), next(), next(), next(), next(), next(), next(), next(), next(), next()}
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

// channel fills the rest for one channel of a tile's points.
func (s *levelScratch) channel(rows, ys []float32, levels, dy, c int) {
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
		from := p * levels
		s.densities(rows, ys[p*dy+c], from, levels, dy, c)
		joint, weight := s.joint[from:from+levels], s.weight[from:from+levels]
		var maxJoint, maxWeight float32
		maxJoint, s.jointSum[p] = simd.SoftmaxTerms(joint, joint, 1)
		maxWeight, s.weightSum[p] = simd.SoftmaxTerms(weight, weight, 1)
		s.offset[p] = maxJoint - maxWeight
	}
}

// densities fills slope, scaled, joint and weight, these as logarithms, of the point whose levels start at row from.
func (s *levelScratch) densities(rows []float32, y float32, from, levels, dy, c int) {
	to := from + levels
	tau, rest, logLevel := s.tau[from:to], s.rest[from:to], s.logLevel[from:to]
	sigma, logSigma, slopes := s.sigma[from:to], s.logSigma[from:to], s.slope[from:to]
	joint, weight, scales := s.joint[from:to], s.weight[from:to], s.scaled[from:to]
	for i := range tau {
		r := rows[(from+i)*3*dy : (from+i+1)*3*dy]
		slope := tau[i]
		if y < r[c] {
			slope = -rest[i]
		}
		a, scaled := r[2*dy+c], (y-r[c])/sigma[i]
		slopes[i], scales[i], weight[i] = slope, scaled, a
		joint[i] = a + logLevel[i] - logSigma[i] - scaled*slope
	}
}

func logRatio(a, b float32) float32 { return float32(math.Log(float64(a) / float64(b))) }

func (c *compiler) mixture(u *plan.Unit) kernel {
	components, logits, ys, out := c.in(u.In[0]), c.in(u.In[1]), c.in(u.In[2]), c.out(u.Out[0])
	dy := ys.width
	return func(w *worker, t *tile) {
		s := &w.levels
		rows, y, ll := components.at(w, t), ys.at(w, t), out.at(w, t)
		s.levels(logits.at(w, t))
		clear(ll)
		for ch := range dy {
			s.channel(rows, y, t.e.Levels, dy, ch)
			for p := range ll {
				ll[p] += s.offset[p] + logRatio(s.jointSum[p], s.weightSum[p])
			}
		}
	}
}

func (c *compiler) mixtureGrad(u *plan.Unit) kernel {
	grad, components, logits, ys := c.in(u.In[0]), c.in(u.In[1]), c.in(u.In[2]), c.in(u.In[3])
	outComponents, outLogits := c.out(u.Out[ops.ComponentsGrad]), c.out(u.Out[ops.LogitGrad])
	dy, evaluated := ys.width, c.evaluated(u)
	return func(w *worker, t *tile) {
		s, n := &w.levels, t.e.Levels
		g, rows, y := grad.at(w, t), components.at(w, t), ys.at(w, t)
		dst := outComponents.at(w, t)
		var dz []float32
		if outLogits != nil {
			dz = outLogits.at(w, t)
			clear(dz)
		}
		if !evaluated {
			s.levels(logits.at(w, t))
		}
		for ch := range dy {
			if !evaluated {
				s.channel(rows, y, n, dy, ch)
			}
			for p := range g {
				s.gradient(dst, p*n, n, dy, ch, g[p]/s.jointSum[p], g[p]/s.weightSum[p])
				if dz != nil {
					s.logitGradient(dz, p*n, n)
				}
			}
		}
	}
}

// evaluated reports whether what the gradient u of a mixture needs is in the scratch when it comes to a tile: its one
// channel was the last that the tile's units before it evaluated, for the likelihood.
func (c *compiler) evaluated(u *plan.Unit) bool {
	place, last := c.of[u], (*plan.Unit)(nil)
	for _, before := range c.stages[place.stage].units[:place.pos] {
		if before.Op != nil && (before.Op.Kind == ops.MixtureLik || before.Op.Kind == ops.MixtureLikGrad) {
			last = before
		}
	}
	return u.In[3].Width == 1 && last != nil && last.Op.Kind == ops.MixtureLik && slices.Equal(last.In, u.In[1:])
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

func (c *compiler) logMeanExp(u *plan.Unit) kernel {
	in, out := c.in(u.In[0]), c.out(u.Out[0])
	return func(w *worker, t *tile) {
		ll, y, n := in.at(w, t), out.at(w, t), t.e.Levels
		for p := range y {
			most, sum := math.Inf(-1), 0.0
			for _, v := range ll[p*n : (p+1)*n] {
				most = max(most, float64(v))
			}
			for _, v := range ll[p*n : (p+1)*n] {
				sum += math.Exp(float64(v) - most)
			}
			y[p] = float32(most + math.Log(sum/float64(n)))
		}
	}
}

func (c *compiler) logMeanExpGrad(u *plan.Unit) kernel {
	grad, lls, result, out := c.in(u.In[0]), c.in(u.In[1]), c.in(u.In[2]), c.out(u.Out[0])
	return func(w *worker, t *tile) {
		g, ll, mean, y, n := grad.at(w, t), lls.at(w, t), result.at(w, t), out.at(w, t), t.e.Levels
		for i, v := range ll {
			p := i / n
			y[i] = float32(float64(g[p]) * math.Exp(float64(v)-float64(mean[p])) / float64(n))
		}
	}
}

func (c *compiler) negMean(u *plan.Unit) kernel {
	out := c.out(u.Out[0])
	var in []*operand
	for _, v := range u.In {
		in = append(in, c.in(v))
	}
	return func(w *worker, t *tile) {
		for _, o := range in {
			sum := float32(0)
			for _, v := range o.at(w, t) {
				sum += v
			}
			out.at(w, t)[0] -= sum / float32(t.e.Rows(ops.Point))
		}
	}
}

func (c *compiler) negMeanGrad(u *plan.Unit) kernel {
	grad, out := c.in(u.In[0]), c.out(u.Out[0])
	return func(w *worker, t *tile) {
		g := -grad.data[0] / float32(t.e.Rows(ops.Point))
		y := out.at(w, t)
		for i := range y {
			y[i] = g
		}
	}
}
