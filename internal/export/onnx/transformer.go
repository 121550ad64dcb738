package onnx

import (
	"fmt"

	"github.com/acqnp/acqnp/internal/models/ops"
)

// transformer returns an r for each target, [B, N, d]: the target's query token after the last
// layer. Context tokens and query tokens attend to the context tokens.
func (n *network) transformer() value {
	context, query := n.embed()
	for l := range n.config.Layers {
		layer := transformerLayer{n, fmt.Sprintf("_encoder._transformer.layers.%d.", l)}
		k, v := layer.project(context, 1), layer.project(context, 2)
		query = layer.apply(query, k, v)
		if l < n.config.Layers-1 {
			context = layer.apply(context, k, v)
		}
	}
	return query
}

// embed returns the tokens of the context points, [B, N_c, d], made of [x, y, 0], and those of the
// targets, [B, N, d], made of [x, 0, 1].
func (n *network) embed() (context, query value) {
	const name = "_encoder._embedder._net"
	w := n.blocks(layer(name, 0)+".weight", n.dx, n.dy, 1)
	bias := n.vector(layer(name, 0) + ".bias")
	context = n.add(n.add(n.matmul(n.contextX, w[0]), n.matmul(n.contextY, w[1])), bias)
	query = n.add(n.add(n.matmul(n.x, w[0]), w[2]), bias)
	for i, width := range n.config.Encoder {
		context = n.affine(layer(name, i+1), n.op("Relu", context), width, false)
		query = n.affine(layer(name, i+1), n.op("Relu", query), width, false)
	}
	return context, query
}

// A transformerLayer is a layer of the transformer, whose parameters have a prefix in their names.
type transformerLayer struct {
	*network
	name string
}

// project applies a map of tokens [B, S, d] to queries (0), keys (1) or values (2).
func (l transformerLayer) project(tokens value, which int) value {
	d := l.config.Representation
	weight, bias := l.name+"self_attn.in_proj_weight", l.name+"self_attn.in_proj_bias"
	rows := l.tensors[weight][which*d*d:]
	w := l.matrix(fmt.Sprintf("%s.%d", weight, which), d, d, func(o, i int) float32 { return rows[o*d+i] })
	return l.add(l.matmul(tokens, w), l.floats(fmt.Sprintf("%s.%d", bias, which), l.tensors[bias][which*d:][:d], d))
}

// apply returns the layer's result for tokens [B, S, d] whose queries attend to keys and values [B,
// N_c, d].
func (l transformerLayer) apply(tokens, keys, values value) value {
	d := l.config.Representation
	attended := l.attend(l.project(tokens, 0), keys, values)
	tokens = l.norm("norm1", l.add(tokens, l.affine(l.name+"self_attn.out_proj", attended, d, false)))
	hidden := l.affine(l.name+"linear1", tokens, d, true)
	return l.norm("norm2", l.add(tokens, l.affine(l.name+"linear2", hidden, l.config.Feedforward, false)))
}

// norm returns the layer norm of tokens [B, S, d].
func (l transformerLayer) norm(which string, tokens value) value {
	name := l.name + which
	return l.node("LayerNormalization", with(whole("axis", -1), number("epsilon", ops.LayerNormEpsilon)), tokens,
		l.vector(name+".weight"), l.vector(name+".bias"))
}
