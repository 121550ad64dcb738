package models

import G "gorgonia.org/gorgonia"

// cnp is the conditional neural process with a Gaussian likelihood: decoder([r, x]) → [μ…, s…].
func cnp(c *construction) (decoded, logit *G.Node) {
	return c.pointMLP(decoderName, c.encoder(), c.config.Decoder, 2*c.dy), nil
}
