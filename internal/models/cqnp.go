package models

import G "gorgonia.org/gorgonia"

// cqnp is the paper's CQNP: the levels are τ = 0.001 + 0.998·u themselves; decoder([r, x, τ]) → [μ…, s…, a…].
func cqnp(c *construction) (decoded, logit *G.Node) {
	tau := c.UniformLevel(c.u)
	return c.rowMLP(decoderName, c.encoder(), tau, c.config.Decoder, 3*c.dy), c.UniformLogit(c.u)
}
