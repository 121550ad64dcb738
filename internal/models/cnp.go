package models

// cnp builds CNP, the paper's equations (3) and (4). The decoder maps [r, x] to [μ…, s…] of a
// Gaussian.
func cnp(c *construction) decoding {
	return decoding{out: c.pointMLP(decoderName, c.aggregate(), c.config.Decoder, c.head.columns())}
}
