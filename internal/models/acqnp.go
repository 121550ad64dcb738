package models

// acqnp is the paper's ACQNP: the adaptor chooses the levels, τ = sigmoid(ψ([r, x, u])); decoder([r, x, τ]) →
// [μ…, s…, a…]. The logits stay at hand, so that the likelihood loses no digits where ψ saturates.
func acqnp(c *construction) decoding {
	r := c.encoder()
	z := c.rowMLP(adaptorName, r, c.u, c.config.Adaptor, 1)
	return decoding{out: c.rowMLP(decoderName, r, c.Sigmoid(z), c.config.Decoder, 3*c.dy), logit: z}
}
