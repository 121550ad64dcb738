package models

import (
	"cmp"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/models/ops"
)

// A head is the end of a model: what the numbers of the decoder mean.
type head interface {
	// columns returns the width of the decoder's output.
	columns() int
	// start returns what is added to the initial values of the decoder's last bias, [columns], so that the parts of
	// a point start apart; nil for nothing.
	start() []float64
	// logLik adds the log-likelihood of each point, [B·N, 1], summed over the channels of y.
	logLik(c *construction, d decoding, y *G.Node) *G.Node
	// mixture adds the parts of the predictive distributions that the decoder's output states.
	mixture(c *construction, d decoding) mixture
}

// A mixture is what a head states at each point: the outputs of BuildHead.
type mixture struct{ mu, sigma, logWeight, logit *G.Node }

// newHead returns the head of a model; nil if model.head names none.
func newHead(m *Model) head {
	parts := mixtureHead{m, cmp.Or(m.config.Parts, config.DefaultParts)}
	switch name := m.config.HeadName(); {
	case m.arch.family == quantile:
		return quantileHead{m}
	case m.arch.family == bootstrap:
		return bootstrapHead{gaussianHead{m}}
	case name == config.GaussianHead:
		return gaussianHead{m}
	case name == config.MixtureHead:
		return parts
	case name == config.QuantileMixtureHead:
		return levelsHead{parts}
	}
	return nil
}

// BuildHead builds the graph of the model's head at a capacity: from the outputs of Prediction to the
// parts of the predictive distributions, in the units of the model. So the exports know no head. The
// inputs are components and, of quantile models, logit. The outputs have the rows of components and
// P = Parts() columns for each channel of y, those of the first channel first:
//
//	mu, sigma   [·, dy·P]  of each part: of a Gaussian or, of quantile models, of an asymmetric Laplace
//	                       distribution at the level of the row
//	log_weight  [·, dy·P]  of each part; the weights of all parts of a point and a channel sum to 1
//	logit       [·, P]     of the level of each part, if the row states it
func (m *Model) BuildHead(dtype tensor.Dtype, capacity ops.Extents) (*ops.Graph, error) {
	b := ops.NewBuilder(dtype, capacity)
	d := decoding{out: b.Input("components", m.rows(), m.RowWidth())}
	if m.Quantile() {
		d.logit = b.Input("logit", ops.Row, 1)
	}
	parts := m.head.mixture(&construction{Builder: b, Model: m}, d)
	b.Output("mu", parts.mu)
	b.Output("sigma", parts.sigma)
	b.Output("log_weight", parts.logWeight)
	if parts.logit != nil {
		b.Output("logit", parts.logit)
	}
	return b.Finish(nil)
}

// States are the parts of the predictive distributions that a model without levels of its input predicts at some
// points: the outputs of BuildHead.
type States struct {
	mu, sigma, logWeight, logit []float64 // logit is nil for Gaussians
	rows, dy, parts             int       // of a point, of y, of a row and a channel
}

// States returns those of a number of points, whose rows components are.
func (m *Model) States(components []float32, points int) States {
	raw := make([]float64, len(components))
	for i, v := range components {
		raw[i] = float64(v)
	}
	s := States{rows: len(raw) / (points * m.RowWidth()), dy: m.dy, parts: m.parts}
	out := m.states.Run(ops.Extents{Groups: 1, Points: points, Levels: s.rows}, nil, raw)
	s.mu, s.sigma, s.logWeight = out[0], out[1], out[2]
	if len(out) > 3 {
		s.logit = out[3]
	}
	return s
}

// At returns the distribution of a channel of y at a point, in the units that u converts to.
func (s States) At(point, channel int, u likelihood.Units) likelihood.Distribution {
	if s.logit != nil {
		return s.laplace(point, channel).In(u)
	}
	return s.gaussians(point, channel).In(u)
}

// laplace returns the mixture of a point's asymmetric Laplace distributions.
func (s States) laplace(point, channel int) likelihood.Mixture {
	parts, logits := make([]likelihood.AsymmetricLaplace, s.parts), make([]float64, s.parts)
	for k := range parts {
		at := (point*s.dy+channel)*s.parts + k
		parts[k], logits[k] = likelihood.AsymmetricLaplace{Location: s.mu[at], Scale: s.sigma[at], Logit: s.logit[point*s.parts+k]}, s.logWeight[at]
	}
	return likelihood.MixtureOf(parts, logits)
}

// gaussians returns the mixture of a point's Gaussians.
func (s States) gaussians(point, channel int) likelihood.GaussianMixture {
	parts, logits := make([]likelihood.Gaussian, 0, s.rows*s.parts), make([]float64, 0, s.rows*s.parts)
	for row := range s.rows {
		first := ((point*s.rows+row)*s.dy + channel) * s.parts
		for at := first; at < first+s.parts; at++ {
			parts, logits = append(parts, likelihood.Gaussian{Mean: s.mu[at], Scale: s.sigma[at]}), append(logits, s.logWeight[at])
		}
	}
	if s.parts == 1 { // bootstraps have the same weight
		return likelihood.GaussianMixtureOf(parts)
	}
	return likelihood.WeightedGaussians(parts, logits)
}

// rows returns the space of the decoder's output.
func (m *Model) rows() ops.Space {
	if m.arch.family == gaussian {
		return ops.Point
	}
	return ops.Row
}

// gaussianHead is a Gaussian for each channel: a row is [μ…, s…], as likelihood.NewGaussian reads it.
type gaussianHead struct{ *Model }

func (h gaussianHead) columns() int { return 2 * h.dy }

func (h gaussianHead) start() []float64 { return nil }

func (h gaussianHead) logLik(c *construction, d decoding, y *G.Node) *G.Node {
	return c.GaussianLogLik(d.out, y, h.SigmaFloor())
}

func (h gaussianHead) mixture(c *construction, d decoding) mixture {
	log := c.Log(c.Sum(c.Ones(d.out), ops.Point, 1)) // of the number of a point's rows
	return mixture{c.Columns(d.out, 0, h.dy), c.Sigma(c.Columns(d.out, h.dy, 2*h.dy), h.SigmaFloor()), c.Spread(c.Affine(log, -1, 0), h.rows(), h.dy), nil}
}

// bootstrapHead is a mixture, with equal weights, of the Gaussians of a point's bootstraps.
type bootstrapHead struct{ gaussianHead }

func (h bootstrapHead) logLik(c *construction, d decoding, y *G.Node) *G.Node {
	return c.LogMeanExp(h.gaussianHead.logLik(c, d, y))
}

// quantileHead is a mixture of asymmetric Laplace distributions over a point's levels: a row is
// [μ…, s…, a…], as likelihood.NewMixture reads it.
type quantileHead struct{ *Model }

func (h quantileHead) columns() int { return 3 * h.dy }

func (h quantileHead) start() []float64 { return nil }

func (h quantileHead) logLik(c *construction, d decoding, y *G.Node) *G.Node {
	return c.MixtureLogLik(d.out, d.logit, y, h.SigmaFloor(), h.Natural())
}

func (h quantileHead) mixture(c *construction, d decoding) mixture {
	scale := c.Sigma(c.Columns(d.out, h.dy, 2*h.dy), h.SigmaFloor())
	if h.Natural() {
		spread := c.Mul(c.Sigmoid(d.logit), c.Sigmoid(c.Affine(d.logit, -1, 0))) // τ(1−τ)
		scale = c.Mul(c.Spread(c.Affine(spread, 4, 0), ops.Row, h.dy), scale)
	}
	return mixture{c.Columns(d.out, 0, h.dy), scale, c.LogSoftmax(c.Columns(d.out, 2*h.dy, 3*h.dy), ops.Point, h.dy), nil}
}
