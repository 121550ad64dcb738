package models

import (
	"math"

	G "gorgonia.org/gorgonia"
)

// levelsHead is ACQNP's density in one pass, the paper's equation (9): a mixture of K asymmetric Laplace
// distributions for each channel of y, whose levels the decoder states too. A row is [μ…, s…, a…, z…]: the
// blocks of a mixtureHead, and the K numbers of the levels, which all channels share. τ = 0.001 +
// 0.998·sigmoid(z) has CQNP's range. The scale is that of a quantileHead, the paper's or natural.
type levelsHead struct{ mixtureHead }

func (h levelsHead) columns() int { return h.column(3, 0) + h.k }

// start spreads the levels evenly over (0, 1), in the order of the locations.
func (h levelsHead) start() []float64 {
	offsets := h.mixtureHead.start()
	for k := range h.k {
		offsets = append(offsets, math.Log((float64(k)+0.5)/(float64(h.k-k)-0.5)))
	}
	return offsets
}

// stated are the levels of a row and what the density needs of them: tensors [B·N, K].
type stated struct{ tau, rest, logTau, logRest *G.Node }

func (h levelsHead) levels(c *construction, d decoding) stated {
	z := c.Columns(d.out, h.column(3, 0), h.columns())
	within := func(z *G.Node) *G.Node { return c.Affine(c.Sigmoid(z), 0.998, 0.001) }
	tau, rest := within(z), within(c.Affine(z, -1, 0))
	return stated{tau, rest, c.Log(tau), c.Log(rest)}
}

// scale returns σ for the block s of a channel.
func (h levelsHead) scale(c *construction, l stated, s *G.Node) *G.Node {
	scale := c.Sigma(s, h.SigmaFloor())
	if h.Natural() {
		scale = c.Mul(c.Affine(c.Mul(l.tau, l.rest), 4, 0), scale)
	}
	return scale
}

func (h levelsHead) logLik(c *construction, d decoding, y *G.Node) *G.Node {
	l := h.levels(c, d)
	peak := c.Add(l.logTau, l.logRest)
	return h.logLikOf(c, d, y, func(value, mu, s *G.Node) *G.Node {
		return c.LaplaceLogDensity(value, mu, h.scale(c, l, s), l.rest, peak)
	})
}

func (h levelsHead) mixture(c *construction, d decoding) mixture {
	l, m := h.levels(c, d), h.mixtureHead.mixture(c, d)
	m.sigma, m.logit = nil, c.Minus(l.logTau, l.logRest)
	for channel := range h.dy {
		m.sigma = joined(c, m.sigma, h.scale(c, l, h.block(c, d, 1, channel)))
	}
	return m
}
