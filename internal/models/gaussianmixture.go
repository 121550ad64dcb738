package models

import (
	"math"

	G "gorgonia.org/gorgonia"

	"github.com/acqnp/acqnp/internal/models/ops"
)

// mixtureHead is a mixture of K Gaussians for each channel of y: a row is [μ…, s…, a…], each with the
// K numbers of the first channel first, with σ = floor + (1−floor)·softplus(s) and weights softmax(a).
type mixtureHead struct {
	*Model
	k int
}

func (h mixtureHead) columns() int { return h.column(3, 0) }

// start spreads the means of a channel evenly over (−2, 2), in the model's units, and makes the deviations as wide
// as neighbours are apart. On circles and lissajous that trains faster than means that start together, or wide
// parts; on double sines it does not.
func (h mixtureHead) start() []float64 {
	offsets, apart := make([]float64, h.columns()), 4/float64(h.k)
	for i := range h.dy * h.k {
		offsets[h.column(0, 0)+i] = apart*(float64(i%h.k)+0.5) - 2
		offsets[h.column(1, 0)+i] = math.Log(math.Expm1(apart)) // softplus of it is apart
	}
	return offsets
}

// column returns the first column of a channel's μ, s or a: block 0, 1 or 2.
func (h mixtureHead) column(block, channel int) int { return (block*h.dy + channel) * h.k }

// block returns a channel's μ, s or a: [B·N, K].
func (h mixtureHead) block(c *construction, d decoding, block, channel int) *G.Node {
	return c.Columns(d.out, h.column(block, channel), h.column(block, channel)+h.k)
}

func (h mixtureHead) logLik(c *construction, d decoding, y *G.Node) *G.Node {
	return h.logLikOf(c, d, y, func(value, mu, s *G.Node) *G.Node {
		return c.NormalLogDensity(value, mu, c.Sigma(s, h.SigmaFloor()))
	})
}

// logLikOf adds the log-likelihood of a mixture. density adds the log densities of its parts for y, μ and s, all
// [B·N, K].
func (h mixtureHead) logLikOf(c *construction, d decoding, y *G.Node, density func(value, mu, s *G.Node) *G.Node) (ll *G.Node) {
	for channel := range h.dy {
		value := c.Spread(c.Columns(y, channel, channel+1), ops.Point, h.k)
		a := h.block(c, d, 2, channel)
		joint := c.Add(a, density(value, h.block(c, d, 0, channel), h.block(c, d, 1, channel)))
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
		logWeight = joined(c, logWeight, c.LogSoftmax(h.block(c, d, 2, channel), ops.Point, 1))
	}
	all := func(block int) *G.Node { return c.Columns(d.out, h.column(block, 0), h.column(block+1, 0)) }
	return mixture{mu: all(0), sigma: c.Sigma(all(1), h.SigmaFloor()), logWeight: logWeight}
}

// joined returns the columns of the channels before, nil for none, and those of the next one.
func joined(c *construction, before, next *G.Node) *G.Node {
	if before == nil {
		return next
	}
	return c.Join(before, next)
}
