package models

// cqnp is the paper's CQNP: the levels are τ = 0.001 + 0.998·u themselves; decoder([r, x, τ]) → [μ…, s…, a…].
func cqnp(c *construction) decoding {
	tau := c.UniformLevel(c.u)
	return decoding{out: c.rowMLP(decoderName, c.encoder(), tau, c.config.Decoder, 3*c.dy), logit: c.UniformLogit(c.u)}
}
