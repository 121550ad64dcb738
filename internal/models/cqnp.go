package models

// cqnp builds CQNP, the paper's equation (9) with τ = u, here τ = 0.001 + 0.998·u. The decoder maps
// [r, x, τ] to [μ…, s…, a…].
func cqnp(c *construction) decoding {
	tau := c.UniformLevel(c.u)
	return decoding{out: c.rowMLP(decoderName, c.aggregate(), tau, 1, c.config.Decoder, c.head.columns()), logit: c.UniformLogit(c.u)}
}
