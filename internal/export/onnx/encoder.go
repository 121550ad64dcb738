package onnx

import "github.com/acqnp/acqnp/internal/config"

// aggregate returns r, the representation of the context: [B, 1, d], or [B, N, d] if each target
// has its own.
func (n *network) aggregate() value {
	switch n.config.Aggregation {
	case config.Attention:
		return n.attention()
	case config.Transformer:
		return n.transformer()
	}
	return n.setMean(n.contextMLP())
}

// contextMLP applies an MLP to [x, y] of each context point: [B, N_c, d].
func (n *network) contextMLP() value {
	return n.mlp(encoderName, n.config.Encoder, block{n.contextX, n.dx}, block{n.contextY, n.dy})
}

// setMean returns the mean over the context points of h […, N_c, ·], an axis that stays with size
// 1. It is 0 without context points.
func (n *network) setMean(h value) value {
	if n.present.mask == "" {
		return n.node("ReduceMean", with(wholes("axes", -2)), h)
	}
	return n.div(n.sum(n.op("Where", n.present.mask, h, n.scalar(0)), -2), n.cast(n.op("Max", n.present.count, n.ints(1)), float32s))
}
