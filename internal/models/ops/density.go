package ops

import (
	"math"

	G "gorgonia.org/gorgonia"
)

// What heads are made of, in primitives, by element.

// Sigma adds the scale floor + (1−floor)·softplus(s) for every element of s [rows, d].
func (b *Builder) Sigma(s *G.Node, floor float64) *G.Node {
	return b.Affine(b.Softplus(s), 1-floor, floor)
}

// Minus adds x − y.
func (b *Builder) Minus(x, y *G.Node) *G.Node { return b.Add(x, b.Affine(y, -1, 0)) }

// LogSoftmax adds x − log Σ exp(x), with the sum of LogSumExp(x, s, width).
func (b *Builder) LogSoftmax(x *G.Node, s Space, width int) *G.Node {
	if b.err != nil {
		return nil
	}
	space, _, d, _ := b.info(x)
	return b.Minus(x, b.Spread(b.LogSumExp(x, s, width), space, d))
}

// NormalLogDensity adds log N(y | mu, sigma²), by element of three tensors [rows, d].
func (b *Builder) NormalLogDensity(y, mu, sigma *G.Node) *G.Node {
	log := b.Log(sigma)
	z := b.Mul(b.Minus(y, mu), b.Exp(b.Affine(log, -1, 0)))
	return b.Minus(b.Affine(b.Mul(z, z), -0.5, -0.5*math.Log(2*math.Pi)), log)
}

// LaplaceLogDensity adds the log density of an asymmetric Laplace distribution, the paper's equation (1), by
// element of tensors [rows, d]. rest is 1 − τ, and peak is log τ(1−τ).
func (b *Builder) LaplaceLogDensity(y, mu, sigma, rest, peak *G.Node) *G.Node {
	log := b.Log(sigma)
	z := b.Mul(b.Minus(y, mu), b.Exp(b.Affine(log, -1, 0)))
	slope := b.Minus(b.Positive(z), rest) // of the pinball loss: τ, or −(1−τ) below μ
	return b.Minus(b.Minus(peak, log), b.Mul(slope, z))
}
