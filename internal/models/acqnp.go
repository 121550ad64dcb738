package models

// acqnp builds ACQNP, the paper's equations (8) and (9). The adaptor chooses the levels: τ =
// sigmoid(ψ([r, x, u])). The decoder maps [r, x, τ] to [μ…, s…, a…]. The likelihood reads the
// logits from ψ, not τ, so it keeps its digits where τ is near 0 or 1.
func acqnp(c *construction) decoding {
	r := c.encoder()
	z := c.rowMLP(adaptorName, r, c.u, c.config.Adaptor, 1)
	return decoding{out: c.rowMLP(decoderName, r, c.Sigmoid(z), c.config.Decoder, 3*c.dy), logit: z}
}
