package onnx

import (
	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/models/ops"
)

// cnp maps [r, x] of each target to [μ…, s…] of a Gaussian.
func (n *network) cnp(r value) decoding {
	out := n.mlp(decoderName, n.config.Decoder, n.representation(r), block{n.x, n.dx})
	return decoding{out: n.unsqueeze(out, 2)}
}

// cqnp maps [r, x, τ] of each row to [μ…, s…, a…], with τ = 0.001 + 0.998·u.
func (n *network) cqnp() decoding {
	return decoding{out: n.rowMLP(decoderName, n.config.Decoder, n.aggregate(), n.uniformLevel(n.u)), logit: n.uniformLogit()}
}

// acqnp maps [r, x, u] of each row to a level τ, and [r, x, τ] to [μ…, s…, a…]. The residual
// adaptor adds to the logit of CQNP's level, and its decoder reads u too.
func (n *network) acqnp() decoding {
	r := n.aggregate()
	z := n.rowMLP(adaptorName, n.config.Adaptor, r, n.u)
	if n.config.AdaptorForm != config.Residual {
		return decoding{out: n.rowMLP(decoderName, n.config.Decoder, r, n.op("Sigmoid", z)), logit: z}
	}
	z = n.add(n.uniformLogit(), z)
	return decoding{out: n.rowMLP(decoderName, n.config.Decoder, r, n.op("Sigmoid", z), n.u), logit: z}
}

// rowMLP applies an MLP to r, x and columns [·, ·, N_τ, 1] of each row: [B, N, N_τ, ·].
func (n *network) rowMLP(name string, hidden []int, r value, columns ...value) value {
	blocks := []block{n.representation(n.unsqueeze(r, 2)), {n.unsqueeze(n.x, 2), n.dx}}
	for _, c := range columns {
		blocks = append(blocks, block{c, 1})
	}
	return n.mlp(name, hidden, blocks...)
}

func (n *network) representation(r value) block { return block{r, n.config.Representation} }

// uniformLevel returns 0.001 + 0.998·u.
func (n *network) uniformLevel(u value) value {
	return n.add(n.scalar(ops.LevelFloor), n.mul(n.scalar(1-2*ops.LevelFloor), u))
}

// uniformLogit returns log(τ/(1−τ)) of these levels, computed from u as package ops does.
func (n *network) uniformLogit() value {
	rest := n.uniformLevel(n.sub(n.scalar(1), n.u))
	return n.sub(n.op("Log", n.uniformLevel(n.u)), n.op("Log", rest))
}
