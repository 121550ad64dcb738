package ops

import (
	"math"

	G "gorgonia.org/gorgonia"
)

// The definitions of the likelihoods in primitives. They compute by element; an element belongs to a
// level of a mixture or to a part of a head. The kernels of GaussianLogLik and MixtureLogLik compute
// the same, faster, and are tested against them.

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
	of, _, d, _ := b.info(x)
	return b.Minus(x, b.Spread(b.LogSumExp(x, s, width), of, d))
}

// NormalLogDensity adds log N(y | mu, sigma²), by element of three tensors [rows, d].
func (b *Builder) NormalLogDensity(y, mu, sigma *G.Node) *G.Node {
	log := b.Log(sigma)
	z := b.Mul(b.Minus(y, mu), b.Exp(b.Affine(log, -1, 0)))
	return b.Minus(b.Affine(b.Mul(z, z), -0.5, -0.5*math.Log(2*math.Pi)), log)
}

// LaplaceLogDensity adds the log density of y under asymmetric Laplace distributions, by element of
// four tensors [rows, d]: of the medians mu, the decoder's scales and the logits z. If natural, σ is
// 4τ(1−τ) times the scale.
func (b *Builder) LaplaceLogDensity(y, mu, scale, z *G.Node, natural bool) *G.Node {
	log, rest, slope := b.Log(scale), b.Affine(z, -1, 0), b.Sigmoid // slope of z is that of the loss above μ, of rest below
	if natural {
		slope = b.quarter
	}
	residual := b.Minus(y, mu)
	up := b.rectify(residual)
	loss := b.Mul(b.Add(b.Mul(slope(z), up), b.Mul(slope(rest), b.Minus(up, residual))), b.Exp(b.Affine(log, -1, 0)))
	below := b.Affine(b.Add(log, loss), -1, 0)
	if natural {
		return b.Affine(below, 1, -math.Log(4))
	}
	return b.Minus(b.Minus(below, b.Softplus(rest)), b.Softplus(z))
}

// quarter adds 1/(4·sigmoid(−z)) = exp(softplus(z))/4, for a sigmoid of at least 1e-30.
func (b *Builder) quarter(z *G.Node) *G.Node {
	most := 30 * math.Ln10
	up := b.Softplus(z)
	return b.Affine(b.Exp(b.Minus(up, b.rectify(b.Affine(up, 1, -most)))), 0.25, 0)
}

// rectify adds max(x, 0).
func (b *Builder) rectify(x *G.Node) *G.Node { return b.Mul(x, b.Positive(x)) }

// DefineGaussian adds what GaussianLogLik does, in primitives.
func (b *Builder) DefineGaussian(decoded, y *G.Node, floor float64) *G.Node {
	if b.err != nil {
		return nil
	}
	s, _, _, _ := b.info(decoded)
	_, _, dy, _ := b.info(y)
	mu, sigma := b.Columns(decoded, 0, dy), b.Sigma(b.Columns(decoded, dy, 2*dy), floor)
	return b.Sum(b.NormalLogDensity(b.Spread(y, s, dy), mu, sigma), s, 1)
}

// DefineMixture adds what MixtureLogLik does, in primitives.
func (b *Builder) DefineMixture(components, z, y *G.Node, floor float64, natural bool) *G.Node {
	if b.err != nil {
		return nil
	}
	_, _, dy, _ := b.info(y)
	mu, a := b.Columns(components, 0, dy), b.Columns(components, 2*dy, 3*dy)
	scale := b.Sigma(b.Columns(components, dy, 2*dy), floor)
	density := b.LaplaceLogDensity(b.Spread(y, Row, dy), mu, scale, b.Spread(z, Row, dy), natural)
	joint, weights := b.LogSumExp(b.Add(a, density), Point, dy), b.LogSumExp(a, Point, dy)
	return b.Sum(b.Minus(joint, weights), Point, 1)
}
