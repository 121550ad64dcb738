package models

// cnp is the conditional neural process with a Gaussian likelihood: decoder([r, x]) → [μ…, s…].
func cnp(c *construction) decoding {
	return decoding{out: c.pointMLP(decoderName, c.encoder(), c.config.Decoder, 2*c.dy)}
}
