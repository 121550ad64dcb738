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
	// logLik adds the log-likelihood of each point, [B·N, 1], summed over the channels of y.
	logLik(c *construction, d decoding, y *G.Node) *G.Node
	// mixture adds the parts of the predictive distributions that the decoder's output states.
	mixture(c *construction, d decoding) mixture
}

// A mixture is what a head states at each point: the outputs of BuildHead.
type mixture struct{ mu, sigma, logWeight *G.Node }

// newHead returns the head of a model; nil if model.head names none.
func newHead(m *Model) head {
	switch name := m.config.HeadName(); {
	case m.arch.family == quantile:
		return quantileHead{m}
	case m.arch.family == bootstrap:
		return bootstrapHead{gaussianHead{m}}
	case name == config.GaussianHead:
		return gaussianHead{m}
	case name == config.MixtureHead:
		return mixtureHead{m, cmp.Or(m.config.Parts, config.DefaultParts)}
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
	return b.Finish(nil)
}

// Gaussians returns the mixtures that a model without levels predicts at a number of points, one for each
// channel of each point: [points·dy]. components are the points' rows of the output of this name.
func (m *Model) Gaussians(components []float32, points int) []likelihood.GaussianMixture {
	rows := make([]float64, len(components))
	for i, v := range components {
		rows[i] = float64(v)
	}
	levels := len(rows) / (points * m.RowWidth())
	states := m.states.Run(ops.Extents{Functions: 1, Points: points, Levels: levels}, nil, rows)
	all := make([]likelihood.GaussianMixture, 0, points*m.dy)
	for point := range points {
		for channel := range m.dy {
			parts, logWeights := make([]likelihood.Gaussian, 0, levels*m.parts), make([]float64, 0, levels*m.parts)
			for level := range levels {
				first := ((point*levels+level)*m.dy + channel) * m.parts
				for k := first; k < first+m.parts; k++ {
					parts, logWeights = append(parts, likelihood.Gaussian{Mean: states[0][k], Scale: states[1][k]}), append(logWeights, states[2][k])
				}
			}
			if m.parts == 1 { // bootstraps have the same weight
				all = append(all, likelihood.GaussianMixtureOf(parts))
			} else {
				all = append(all, likelihood.WeightedGaussians(parts, logWeights))
			}
		}
	}
	return all
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

func (h gaussianHead) logLik(c *construction, d decoding, y *G.Node) *G.Node {
	return c.GaussianLogLik(d.out, y, h.SigmaFloor())
}

func (h gaussianHead) mixture(c *construction, d decoding) mixture {
	log := c.Log(c.Sum(c.Ones(d.out), ops.Point, 1)) // of the number of a point's rows
	return mixture{c.Columns(d.out, 0, h.dy), c.Sigma(c.Columns(d.out, h.dy, 2*h.dy), h.SigmaFloor()), c.Spread(c.Affine(log, -1, 0), h.rows(), h.dy)}
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

func (h quantileHead) logLik(c *construction, d decoding, y *G.Node) *G.Node {
	return c.MixtureLogLik(d.out, d.logit, y, h.SigmaFloor(), h.Natural())
}

func (h quantileHead) mixture(c *construction, d decoding) mixture {
	scale := c.Sigma(c.Columns(d.out, h.dy, 2*h.dy), h.SigmaFloor())
	if h.Natural() {
		spread := c.Mul(c.Sigmoid(d.logit), c.Sigmoid(c.Affine(d.logit, -1, 0))) // τ(1−τ)
		scale = c.Mul(c.Spread(c.Affine(spread, 4, 0), ops.Row, h.dy), scale)
	}
	return mixture{c.Columns(d.out, 0, h.dy), scale, c.LogSoftmax(c.Columns(d.out, 2*h.dy, 3*h.dy), ops.Point, h.dy)}
}
