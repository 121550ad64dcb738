package models

import (
	G "gorgonia.org/gorgonia"

	"github.com/acqnp/acqnp/internal/models/ops"
)

// mixtureHead is a mixture of K Gaussians for each channel of y: a row is [μ…, s…, a…], each with the
// K numbers of the first channel first, with σ = floor + (1−floor)·softplus(s) and weights softmax(a).
type mixtureHead struct {
	*Model
	k int
}

func (h mixtureHead) columns() int { return 3 * h.k * h.dy }

// column returns the first column of a channel's μ, s or a: block 0, 1 or 2.
func (h mixtureHead) column(block, channel int) int { return (block*h.dy + channel) * h.k }

func (h mixtureHead) logLik(c *construction, d decoding, y *G.Node) (ll *G.Node) {
	for channel := range h.dy {
		block := func(i int) *G.Node { return c.Columns(d.out, h.column(i, channel), h.column(i, channel)+h.k) }
		value := c.Spread(c.Columns(y, channel, channel+1), ops.Point, h.k)
		a := block(2)
		joint := c.Add(a, c.NormalLogDensity(value, block(0), c.Sigma(block(1), h.SigmaFloor())))
		own := c.Minus(c.LogSumExp(joint, ops.Point, 1), c.LogSumExp(a, ops.Point, 1))
		if ll != nil {
			own = c.Add(ll, own)
		}
		ll = own
	}
	return ll
}

func (h mixtureHead) mixture(c *construction, d decoding) mixture {
	var logWeight *G.Node
	for channel := range h.dy {
		own := c.LogSoftmax(c.Columns(d.out, h.column(2, channel), h.column(2, channel)+h.k), ops.Point, 1)
		if channel > 0 {
			own = c.Join(logWeight, own)
		}
		logWeight = own
	}
	block := func(i int) *G.Node { return c.Columns(d.out, h.column(i, 0), h.column(i+1, 0)) }
	return mixture{block(0), c.Sigma(block(1), h.SigmaFloor()), logWeight}
}
