package models

import (
	G "gorgonia.org/gorgonia"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/likelihood"
)

// A head is the end of a model: what the numbers of the decoder mean.
type head interface {
	// columns returns the width of the decoder's output.
	columns() int
	// logLik adds the log-likelihood of each point, [B·N, 1], summed over the channels of y.
	logLik(c *construction, d decoding, y *G.Node) *G.Node
	// parts returns the number of Gaussians that a row of the decoder's output states for a channel.
	parts() int
	// gaussians reads the mixture of one channel at a point from the point's rows of the decoder's
	// output. A head over quantile levels has none: likelihood.NewMixtureIn reads its rows.
	gaussians(raw []float32, channel int) likelihood.GaussianMixture
}

// heads makes the heads that model.head names, of the models without levels and bootstraps.
var heads = map[string]func(m *Model) head{
	config.GaussianHead: func(m *Model) head { return gaussianHead{m} },
	config.MixtureHead:  newMixtureHead,
}

// newHead returns the head of a model; nil if model.head names none.
func newHead(m *Model) head {
	switch m.arch.family {
	case quantile:
		return quantileHead{m}
	case bootstrap:
		return bootstrapHead{gaussianHead{m}}
	}
	if made := heads[m.config.HeadName()]; made != nil {
		return made(m)
	}
	return nil
}

// gaussianHead is a Gaussian for each channel: a row is [μ…, s…], as likelihood.NewGaussian reads it.
type gaussianHead struct{ *Model }

func (h gaussianHead) columns() int { return 2 * h.dy }

func (h gaussianHead) logLik(c *construction, d decoding, y *G.Node) *G.Node {
	return c.GaussianLogLik(d.out, y, h.SigmaFloor())
}

func (h gaussianHead) parts() int { return 1 }

func (h gaussianHead) gaussians(raw []float32, channel int) likelihood.GaussianMixture {
	return likelihood.NewGaussianMixture(raw, h.dy, channel, h.SigmaFloor())
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

func (h quantileHead) parts() int { return 0 }

func (h quantileHead) gaussians([]float32, int) likelihood.GaussianMixture {
	panic("models: a head over quantile levels states no Gaussians")
}
