package cpu

import (
	"math"
	"slices"

	"github.com/acqnp/acqnp/internal/engine/analysis"
	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/internal/simd"
)

// mixtureScratch holds intermediate numbers of the mixture for a tile: slices with one number per
// row (level of a point) or one per point.
type mixtureScratch struct {
	up, tau, rest, logLevel []float32 // by row: softplus(z), τ, 1−τ and log τ(1−τ), the same for all channels
	sigma, raw, logSigma    []float32 // by row: σ, dσ/ds, log σ
	slope, scaled           []float32 // by row: dρ/de, (y−μ)/σ
	// In the natural form, σ is the decoder's scale instead, and tau, rest, logLevel are the numbers
	// that make the same formulas right: 1/4(1−τ), 1/4τ and log ¼.
	joint, weight       []float32 // by row: exp(a + log AL − maximum over the point), exp(a − maximum over the point)
	jointSum, weightSum []float32 // by point: the sums of joint and weight
	offset              []float32 // by point: the maximum of a + log AL minus the maximum of a
}

// mixtureNumbers is the number of slices of a mixtureScratch.
const mixtureNumbers = 14

// newMixtureScratch divides all [mixtureNumbers·rows] into slices of equal length.
func newMixtureScratch(all []float32) mixtureScratch {
	rows := len(all) / mixtureNumbers
	next := func() []float32 {
		s := all[:rows:rows]
		all = all[rows:]
		return s
	}
	return mixtureScratch{next(), next(), next(), next(), next(), next(), next(), next(), next(), next(), next(), next(), next(), next()}
}

// fillLevels computes up, tau, rest and logLevel, which depend only on the logits z [rows]: log
// τ(1−τ) = −softplus(−z) − softplus(z) = z − 2·softplus(z), and 1−τ = exp(−softplus(z)), which is
// exact where τ has rounded to 1.
func (s *mixtureScratch) fillLevels(z []float32) {
	n := len(z)
	simd.SoftplusSigmoid(s.up[:n], s.tau[:n], z)
	for i, up := range s.up[:n] {
		s.logLevel[i] = z[i] - 2*up
		s.rest[i] = -up
	}
	simd.Exp(s.rest[:n], s.rest[:n])
}

// fillNatural computes tau, rest and logLevel of the natural form. The density is exp(−slope·(y−μ)/
// scale)/(4·scale), where slope is 1/4(1−τ) above μ and −1/4τ below. A side of a component that is
// shorter than 1e-30 of its scale counts as that long, so that no result is infinite.
func (s *mixtureScratch) fillNatural(z []float32) {
	const shortest = 1e-30
	s.fillLevels(z)
	for i := range z {
		s.tau[i], s.rest[i] = 0.25/max(s.rest[i], shortest), 0.25/max(s.tau[i], shortest)
		s.logLevel[i] = -2 * math.Ln2
	}
}

// fillForm computes what depends only on the logits z [rows], in the form of u.
func (s *mixtureScratch) fillForm(u *analysis.Unit, z []float32) {
	if u.Op.Natural {
		s.fillNatural(z)
		return
	}
	s.fillLevels(z)
}

// fillChannel computes the other slices for channel c, from rows [points·levels, 3·dy] and ys
// [points, dy].
func (s *mixtureScratch) fillChannel(rows, ys []float32, levels, dy, c int, floor float64) {
	n := len(ys) / dy * levels
	sigma, raw := s.sigma[:n], s.raw[:n]
	for i := range sigma {
		sigma[i] = rows[i*3*dy+dy+c]
	}
	simd.SoftplusSigmoid(sigma, raw, sigma)
	low, span := float32(floor), float32(1-floor)
	for i, up := range sigma {
		sigma[i] = low + span*up
		raw[i] *= span
	}
	simd.Log(s.logSigma[:n], sigma)
	for p := range len(ys) / dy {
		from := p * levels
		s.fillDensities(rows, ys[p*dy+c], from, from+levels, dy, c)
		joint, weight := s.joint[from:from+levels], s.weight[from:from+levels]
		var maxJoint, maxWeight float32
		maxJoint, s.jointSum[p] = simd.SoftmaxTerms(joint, joint, 1)
		maxWeight, s.weightSum[p] = simd.SoftmaxTerms(weight, weight, 1)
		s.offset[p] = maxJoint - maxWeight
	}
}

// fillDensities computes slope, scaled and the logarithms of joint and weight, of the point whose
// levels are rows [from, to).
func (s *mixtureScratch) fillDensities(rows []float32, y float32, from, to, dy, c int) {
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

// logRatio returns log(a/b).
func logRatio(a, b float32) float32 { return float32(math.Log(float64(a) / float64(b))) }

func (c *compiler) mixture(u *analysis.Unit) kernel {
	components, logits, ys, out := c.reads(u.In[0]), c.reads(u.In[1]), c.reads(u.In[2]), c.writes(u.Out[0])
	dy, floor := ys.width, u.Op.Floor
	return func(w *worker, t *tile) {
		s := &w.mixture
		rows, y, ll := components.slice(w, t), ys.slice(w, t), out.slice(w, t)
		s.fillForm(u, logits.slice(w, t))
		clear(ll)
		for ch := range dy {
			s.fillChannel(rows, y, t.e.Levels, dy, ch, floor)
			for p := range ll {
				ll[p] += s.offset[p] + logRatio(s.jointSum[p], s.weightSum[p])
			}
		}
	}
}

func (c *compiler) mixtureGrad(u *analysis.Unit) kernel {
	grad, components, logits, ys := c.reads(u.In[0]), c.reads(u.In[1]), c.reads(u.In[2]), c.reads(u.In[3])
	outComponents, outLogits := c.writes(u.Out[ops.ComponentsGrad]), c.writes(u.Out[ops.LogitGrad])
	dy, floor, scratchHolds := ys.width, u.Op.Floor, c.scratchHolds(u)
	return func(w *worker, t *tile) {
		s, n := &w.mixture, t.e.Levels
		g, rows, y := grad.slice(w, t), components.slice(w, t), ys.slice(w, t)
		dst := outComponents.slice(w, t)
		var dz []float32
		if outLogits != nil {
			dz = outLogits.slice(w, t)
			clear(dz)
		}
		if !scratchHolds {
			s.fillForm(u, logits.slice(w, t))
		}
		for ch := range dy {
			if !scratchHolds {
				s.fillChannel(rows, y, n, dy, ch, floor)
			}
			for p := range g {
				s.gradient(dst, channelPoint{p * n, (p + 1) * n, dy, ch, g[p] / s.jointSum[p], g[p] / s.weightSum[p]})
				switch {
				case dz == nil:
				case u.Op.Natural:
					s.addNaturalLogitGradient(dz, p*n, (p+1)*n)
				default:
					s.addLogitGradient(dz, p*n, (p+1)*n)
				}
			}
		}
	}
}

// scratchHolds reports whether a worker's scratch holds what the gradient u of a mixture needs: the
// last mixture that a tile goes through before u is the likelihood of the same inputs, with one
// channel.
func (c *compiler) scratchHolds(u *analysis.Unit) bool {
	place, last := c.of[u], (*analysis.Unit)(nil)
	for _, before := range c.stages[place.stage].units[:place.pos] {
		if before.Op != nil && (before.Op.Kind == ops.MixtureLik || before.Op.Kind == ops.MixtureLikGrad) {
			last = before
		}
	}
	return u.In[3].Width == 1 && last != nil && last.Op.Kind == ops.MixtureLik && slices.Equal(last.In, u.In[1:])
}

// channelPoint is channel c of a point whose levels are rows [from, to).
type channelPoint struct {
	from, to            int
	dy, c               int
	perJoint, perWeight float32 // the gradient g of the point's result over jointSum and over weightSum
}

// gradient writes g·∂log p/∂(μ, s, a) of a point to dst [rows, 3·dy]. It replaces joint by g times
// the posterior weights, which addLogitGradient reads.
func (s *mixtureScratch) gradient(dst []float32, p channelPoint) {
	dy, c := p.dy, p.c
	for i := p.from; i < p.to; i++ {
		posterior := p.perJoint * s.joint[i]
		s.joint[i] = posterior
		d := dst[i*3*dy : (i+1)*3*dy]
		scaled := posterior / s.sigma[i]
		d[c] = ops.Flush(scaled * s.slope[i])
		d[dy+c] = ops.Flush(scaled * (s.scaled[i]*s.slope[i] - 1) * s.raw[i])
		d[2*dy+c] = posterior - p.perWeight*s.weight[i]
	}
}

// addLogitGradient adds g·∂log p/∂z of the channel of the last call of gradient to dz [rows]: the
// channels share their levels. The derivative of log τ(1−τ) by z is 1−2τ, that of ρ/σ is
// (y−μ)/σ·τ(1−τ).
func (s *mixtureScratch) addLogitGradient(dz []float32, from, to int) {
	for i := from; i < to; i++ {
		tau, rest := s.tau[i], s.rest[i]
		dz[i] = ops.Flush(dz[i] + s.joint[i]*(rest-tau-tau*rest*s.scaled[i]))
	}
}

// addNaturalLogitGradient is addLogitGradient of the natural form, where the derivative by z is −ρ/σ
// times τ above μ and τ−1 below. tau/(tau+rest) is τ there.
func (s *mixtureScratch) addNaturalLogitGradient(dz []float32, from, to int) {
	for i := from; i < to; i++ {
		slope := s.slope[i]
		dz[i] = ops.Flush(dz[i] - s.joint[i]*(s.scaled[i]*slope)*(slope/(s.tau[i]+s.rest[i])))
	}
}

// gaussian makes the kernel of a GaussianLik. Its rows, like gaussianGrad's, are points or levels
// of points; y has a row per point.
func (c *compiler) gaussian(u *analysis.Unit) kernel {
	decoded, ys, out := c.reads(u.In[0]), c.reads(u.In[1]), c.writes(u.Out[0])
	dy, floor := ys.width, u.Op.Floor
	return func(w *worker, t *tile) {
		d, y, ll := decoded.slice(w, t), ys.slice(w, t), out.slice(w, t)
		ratio := t.e.Ratio(out.space, ys.space)
		for i := range ll {
			p := i / ratio
			ll[i] = ops.GaussianLogLik(d[i*2*dy:(i+1)*2*dy], y[p*dy:(p+1)*dy], floor)
		}
	}
}

func (c *compiler) gaussianGrad(u *analysis.Unit) kernel {
	grad, decoded, ys, out := c.reads(u.In[0]), c.reads(u.In[1]), c.reads(u.In[2]), c.writes(u.Out[0])
	dy, floor := ys.width, u.Op.Floor
	return func(w *worker, t *tile) {
		d, y, dst := decoded.slice(w, t), ys.slice(w, t), out.slice(w, t)
		ratio := t.e.Ratio(out.space, ys.space)
		for i, g := range grad.slice(w, t) {
			p := i / ratio
			ops.GaussianGrad(g, d[i*2*dy:(i+1)*2*dy], y[p*dy:(p+1)*dy], dst[i*2*dy:(i+1)*2*dy], floor)
		}
	}
}

func (c *compiler) logMeanExp(u *analysis.Unit) kernel {
	in, out := c.reads(u.In[0]), c.writes(u.Out[0])
	return func(w *worker, t *tile) {
		ll, y, n := in.slice(w, t), out.slice(w, t), t.e.Levels
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

func (c *compiler) logMeanExpGrad(u *analysis.Unit) kernel {
	grad, lls, result, out := c.reads(u.In[0]), c.reads(u.In[1]), c.reads(u.In[2]), c.writes(u.Out[0])
	return func(w *worker, t *tile) {
		g, ll, mean, y, n := grad.slice(w, t), lls.slice(w, t), result.slice(w, t), out.slice(w, t), t.e.Levels
		for i, v := range ll {
			p := i / n
			y[i] = float32(float64(g[p]) * math.Exp(float64(v)-float64(mean[p])) / float64(n))
		}
	}
}

func (c *compiler) negMean(u *analysis.Unit) kernel {
	out := c.writes(u.Out[0])
	var in []*operand
	for _, v := range u.In {
		in = append(in, c.reads(v))
	}
	return func(w *worker, t *tile) {
		for _, o := range in {
			sum := float32(0)
			for _, v := range o.slice(w, t) {
				sum += v
			}
			out.slice(w, t)[0] -= sum / float32(t.e.Rows(ops.Point))
		}
	}
}

func (c *compiler) negMeanGrad(u *analysis.Unit) kernel {
	grad, out := c.reads(u.In[0]), c.writes(u.Out[0])
	return func(w *worker, t *tile) {
		g := -grad.data[0] / float32(t.e.Rows(ops.Point))
		y := out.slice(w, t)
		for i := range y {
			y[i] = g
		}
	}
}
