package cpu

import (
	"math"

	"github.com/acqnp/acqnp/internal/ops"
)

// levelScratch holds what the mixture needs of one point's levels. Within a point the arithmetic is float64: it costs
// no more than float32 where the exponentials are, and a point's sums lose nothing.
type levelScratch struct {
	logLevel, tau, rest  []float64 // log τ(1−τ), τ and 1−τ, shared by the channels
	joint, weight        []float64 // a + log AL, and a; then exp of both less their maxima
	sigma, slope, scaled []float64 // σ, dρ/de, (y−μ)/σ
}

func newLevelScratch(levels int) levelScratch {
	s := make([][]float64, 8)
	for i := range s {
		s[i] = make([]float64, levels)
	}
	return levelScratch{s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]}
}

// softplus returns log(1+exp(x)), its derivative sigmoid(x), and sigmoid(−x), each to its last digits.
func softplus(x float64) (value, slope, rest float64) {
	e := math.Exp(-math.Abs(x))
	value = math.Log1p(e)
	if x > 0 {
		return value + x, 1 / (1 + e), e / (1 + e)
	}
	return value, e / (1 + e), 1 / (1 + e)
}

// levels fills what depends on the logits alone.
func (s *levelScratch) levels(z []float32) {
	for k, v := range z {
		up, tau, rest := softplus(float64(v))
		s.logLevel[k] = float64(v) - 2*up // −softplus(−z) − softplus(z)
		s.tau[k], s.rest[k] = tau, rest
	}
}

// channel fills the rest for one channel and returns log p(y) and the two sums that normalise the weights.
func (s *levelScratch) channel(rows []float32, levels, dy, c int, y float64) (ll, jointSum, weightSum float64) {
	maxJoint, maxWeight := math.Inf(-1), math.Inf(-1)
	for k := range levels {
		r := rows[k*3*dy : (k+1)*3*dy]
		mu, a := float64(r[c]), float64(r[2*dy+c])
		up, _, _ := softplus(float64(r[dy+c]))
		sigma := ops.LaplaceFloor + (1-ops.LaplaceFloor)*up
		slope := s.tau[k]
		if y < mu {
			slope = -s.rest[k]
		}
		scaled := (y - mu) / sigma
		joint := a + s.logLevel[k] - math.Log(sigma) - scaled*slope
		s.sigma[k], s.slope[k], s.scaled[k], s.joint[k], s.weight[k] = sigma, slope, scaled, joint, a
		maxJoint, maxWeight = max(maxJoint, joint), max(maxWeight, a)
	}
	for k := range levels {
		s.joint[k] = math.Exp(s.joint[k] - maxJoint)
		s.weight[k] = math.Exp(s.weight[k] - maxWeight)
		jointSum += s.joint[k]
		weightSum += s.weight[k]
	}
	return maxJoint + math.Log(jointSum) - maxWeight - math.Log(weightSum), jointSum, weightSum
}

func (c *compiler) mixture(u *unit) kernel {
	components, logits, ys, out := c.in(u.in[0]), c.in(u.in[1]), c.in(u.in[2]), c.out(u.out[0])
	dy := ys.width
	return func(w *worker, t *tile) {
		n := t.e.Levels
		rows, z, y := components.at(w, t), logits.at(w, t), ys.at(w, t)
		for p, ll := 0, out.at(w, t); p < len(ll); p++ {
			w.levels.levels(z[p*n : (p+1)*n])
			sum := 0.0
			for ch := range dy {
				v, _, _ := w.levels.channel(rows[p*n*3*dy:(p+1)*n*3*dy], n, dy, ch, float64(y[p*dy+ch]))
				sum += v
			}
			ll[p] = float32(sum)
		}
	}
}

func (c *compiler) mixtureGrad(u *unit) kernel {
	grad, components, logits, ys := c.in(u.in[0]), c.in(u.in[1]), c.in(u.in[2]), c.in(u.in[3])
	outComponents, outLogits := c.out(u.out[ops.ComponentsGrad]), c.out(u.out[ops.LogitGrad])
	dy := ys.width
	return func(w *worker, t *tile) {
		n := t.e.Levels
		g, rows, z, y := grad.at(w, t), components.at(w, t), logits.at(w, t), ys.at(w, t)
		dst := outComponents.at(w, t)
		var dz []float32
		if outLogits != nil {
			dz = outLogits.at(w, t)
			clear(dz)
		}
		for p := range g {
			w.levels.levels(z[p*n : (p+1)*n])
			from, to := p*n*3*dy, (p+1)*n*3*dy
			for ch := range dy {
				w.levels.gradient(rows[from:to], dst[from:to], n, dy, ch, float64(y[p*dy+ch]), float64(g[p]))
				if dz != nil {
					w.levels.logitGradient(dz[p*n:(p+1)*n], float64(g[p]))
				}
			}
		}
	}
}

// gradient writes g·d log p/d(μ, s, a) of one channel. It leaves the posterior weights in s.joint.
func (s *levelScratch) gradient(rows, dst []float32, levels, dy, c int, y, g float64) {
	_, jointSum, weightSum := s.channel(rows, levels, dy, c, y)
	for k := range levels {
		posterior := s.joint[k] / jointSum
		s.joint[k] = posterior
		_, slope, _ := softplus(float64(rows[k*3*dy+dy+c]))
		d := dst[k*3*dy : (k+1)*3*dy]
		d[c] = float32(g * posterior * s.slope[k] / s.sigma[k])
		d[dy+c] = float32(g * posterior * (s.scaled[k]*s.slope[k] - 1) / s.sigma[k] * (1 - ops.LaplaceFloor) * slope)
		d[2*dy+c] = float32(g * (posterior - s.weight[k]/weightSum))
	}
}

// logitGradient adds g·d log p/dz of the channel that gradient saw last: the channels share their levels.
// d/dz of log τ(1−τ) is 1−2τ, and of ρ/σ it is (y−μ)/σ·τ(1−τ).
func (s *levelScratch) logitGradient(dz []float32, g float64) {
	for k := range dz {
		tau, rest := s.tau[k], s.rest[k]
		dz[k] += float32(g * s.joint[k] * (rest - tau - tau*rest*s.scaled[k]))
	}
}

// gaussian and gaussianGrad run over points or over levels of points; y is per point.
func (c *compiler) gaussian(u *unit) kernel {
	decoded, ys, out := c.in(u.in[0]), c.in(u.in[1]), c.out(u.out[0])
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

func (c *compiler) gaussianGrad(u *unit) kernel {
	grad, decoded, ys, out := c.in(u.in[0]), c.in(u.in[1]), c.in(u.in[2]), c.out(u.out[0])
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
