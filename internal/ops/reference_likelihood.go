package ops

import "math"

// GaussianLogLik is log N(y | μ, σ²) summed over channels; out = [μ…, s…], σ = 0.1 + 0.9·softplus(s).
func GaussianLogLik[T Float](out, y []T) T {
	dy := len(y)
	var ll T
	for c, v := range y {
		sigma := GaussianFloor + (1-GaussianFloor)*Softplus(out[dy+c])
		e := (v - out[c]) / sigma
		ll += -e*e/2 - log(sigma) - T(0.5*math.Log(2*math.Pi))
	}
	return ll
}

// GaussianGrad writes g times the gradient of GaussianLogLik by out.
func GaussianGrad[T Float](g T, out, y, grad []T) {
	dy := len(y)
	for c, v := range y {
		sigma := GaussianFloor + (1-GaussianFloor)*Softplus(out[dy+c])
		e := (v - out[c]) / sigma
		grad[c] = g * e / sigma
		grad[dy+c] = g * (e*e - 1) / sigma * (1 - GaussianFloor) * sigmoid(out[dy+c])
	}
}

// component is one asymmetric Laplace distribution at a value y.
type component[T Float] struct {
	sigma      T
	tau, rest  T // τ and 1−τ, each to its last digit
	residual   T // y − μ
	logDensity T
}

func laplace[T Float](y, mu, s, z T) component[T] {
	c := component[T]{sigma: LaplaceFloor + (1-LaplaceFloor)*Softplus(s), tau: sigmoid(z), rest: sigmoid(-z), residual: y - mu}
	c.logDensity = -Softplus(-z) - Softplus(z) - log(c.sigma) - c.pinball()/c.sigma
	return c
}

// pinball is ρ_τ(y−μ) = max(τe, (τ−1)e).
func (c component[T]) pinball() T {
	if c.residual >= 0 {
		return c.tau * c.residual
	}
	return -c.rest * c.residual
}

// mixture: inputs components [Row, 3dy], logits z [Row, 1] and y [Point, dy].
func mixture[T Float](o *Op, e Extents, out []T, in [][]T) {
	dy, width := o.Widths[2], o.Widths[0]
	for p := range out {
		rows := in[0][p*e.Levels*width : (p+1)*e.Levels*width]
		z := row(in[1], p, e.Levels)
		out[p] = 0
		for c, y := range row(in[2], p, dy) {
			out[p] += logMixture(rows, z, y, dy, c)
		}
	}
}

// logMixture is log Σ_k w_k AL_k(y) = lse(a_k + log AL_k) − lse(a_k), for channel c of rows [N_τ, 3dy].
func logMixture[T Float](rows, z []T, y T, dy, c int) T {
	joint, weights := newLogSum[T](), newLogSum[T]()
	for k, zk := range z {
		r := row(rows, k, 3*dy)
		a := r[2*dy+c]
		joint.add(a + laplace(y, r[c], r[dy+c], zk).logDensity)
		weights.add(a)
	}
	return joint.value() - weights.value()
}

// logSum is a running log Σ exp.
type logSum[T Float] struct{ max, sum T }

func newLogSum[T Float]() logSum[T] { return logSum[T]{max: T(math.Inf(-1))} }

func (l *logSum[T]) add(v T) {
	if !(v <= l.max) { // also for NaN, so that it stays visible
		l.sum = l.sum*exp(l.max-v) + 1
		l.max = v
		return
	}
	l.sum += exp(v - l.max)
}

func (l *logSum[T]) value() T { return l.max + log(l.sum) }

// mixtureGrad: inputs the gradient [Point, 1], components, z and y.
func mixtureGrad[T Float](o *Op, e Extents, out []T, in [][]T) {
	clear(out)
	dy, width := o.Widths[3], o.Widths[1]
	for p, g := range in[0] {
		rows := in[1][p*e.Levels*width : (p+1)*e.Levels*width]
		z := row(in[2], p, e.Levels)
		dst := out[p*e.Levels*o.Width : (p+1)*e.Levels*o.Width]
		for c, y := range row(in[3], p, dy) {
			channelGrad(o, g, rows, z, y, dy, c, dst)
		}
	}
}

func channelGrad[T Float](o *Op, g T, rows, z []T, y T, dy, c int, dst []T) {
	joint, weights := newLogSum[T](), newLogSum[T]()
	for k, zk := range z {
		r := row(rows, k, 3*dy)
		joint.add(r[2*dy+c] + laplace(y, r[c], r[dy+c], zk).logDensity)
		weights.add(r[2*dy+c])
	}
	for k, zk := range z {
		r := row(rows, k, 3*dy)
		a, s := r[2*dy+c], r[dy+c]
		l := laplace(y, r[c], s, zk)
		weight := exp(a - weights.value())
		posterior := exp(a + l.logDensity - joint.value())
		if o.Part == LogitGrad { // every channel shares the level
			dst[k] += g * posterior * (l.rest - l.tau - l.tau*l.rest*l.residual/l.sigma)
			continue
		}
		slope := l.tau // dρ/de; at e = 0 the right derivative
		if l.residual < 0 {
			slope = -l.rest
		}
		d := row(dst, k, 3*dy)
		d[c] = g * posterior * slope / l.sigma
		d[dy+c] = g * posterior * (l.pinball()/l.sigma - 1) / l.sigma * (1 - LaplaceFloor) * sigmoid(s)
		d[2*dy+c] = g * (posterior - weight)
	}
}
