package models

import (
	"github.com/acqnp/acqnp/internal/config"
)

// acqnp builds ACQNP, the paper's equations (8) and (9). The adaptor chooses the levels: τ =
// sigmoid(ψ([r, x, u])). The decoder maps [r, x, τ] to [μ…, s…, a…]. The likelihood reads the
// logits from ψ, not τ, so it keeps its digits where τ is near 0 or 1.
//
// The residual adaptor is not the paper's. It adds ψ to the logit of CQNP's level, τ =
// sigmoid(logit(0.001 + 0.998·u) + ψ([r, x, u])), and its decoder maps [r, x, τ, u]. So the levels
// start apart, and the components of a point can differ even if its levels coincide.
func acqnp(c *construction) decoding {
	r := c.aggregate()
	z := c.rowMLP(adaptorName, r, c.u, 1, c.config.Adaptor, 1)
	if c.config.AdaptorForm != config.Residual {
		return decoding{out: c.rowMLP(decoderName, r, c.Sigmoid(z), 1, c.config.Decoder, c.head.columns()), logit: z}
	}
	z = c.Add(c.UniformLogit(c.u), z)
	level := c.Join(c.Sigmoid(z), c.u)
	return decoding{out: c.rowMLP(decoderName, r, level, 2, c.config.Decoder, c.head.columns()), logit: z}
}
