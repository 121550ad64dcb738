package onnx

import (
	"fmt"
	"math"
)

// attention returns an r for each target, [B, N, d]: multi-head attention of the target's query
// over the keys and values of the context points.
func (n *network) attention() value {
	const name = "_encoder._attention."
	values := n.contextMLP()
	query := n.mlp(name+"_query_mlp._net", n.config.QueryEncoder, block{n.x, n.dx})
	key := n.mlp(name+"_key_mlp._net", n.config.KeyEncoder, block{n.contextX, n.dx})
	d := n.config.Representation
	w := d / n.config.Heads
	in := func(h value, which string) value {
		return n.matmul(h, n.heads(which, func(head []([]float32), o, i int) float32 { return head[o/w][o%w*d+i] }))
	}
	attended := n.attend(in(query, "query"), in(key, "key"), in(values, "value"))
	return n.matmul(attended, n.heads("output", func(head [][]float32, o, i int) float32 { return head[i/w][o*w+i%w] }))
}

// heads returns the weight [d, d] of one of attention's maps, whose heads have a tensor each.
func (n *network) heads(which string, at func(heads [][]float32, o, i int) float32) value {
	const name = "_encoder._attention._attention._%s_layers"
	tensors := make([][]float32, n.config.Heads)
	for h := range tensors {
		tensors[h] = n.tensors[fmt.Sprintf(name+".%d.weight", which, h)]
	}
	d := n.config.Representation
	return n.matrix(fmt.Sprintf(name, which), d, d, func(o, i int) float32 { return at(tensors, o, i) })
}

// excluded is the score of a key that takes no part: e to its power is 0.
const excluded = -1e30

// attend returns softmax(q·kᵀ/√(d/H))·v of every head, for q [B, S, d] and k and v [B, N_c, d].
// Without context points it is 0: the one key is excluded, and its value is 0.
func (n *network) attend(q, k, v value) value {
	heads, d := n.config.Heads, n.config.Representation
	split := func(h value, order ...int) value {
		return n.transpose(n.op("Reshape", h, n.ints(0, 0, heads, d/heads)), order...)
	}
	scores := n.mul(n.matmul(split(q, 0, 2, 1, 3), split(k, 0, 2, 3, 1)), n.scalar(float32(1/math.Sqrt(float64(d/heads)))))
	scores = n.op("Where", n.transpose(n.present.mask, 1, 0), scores, n.scalar(excluded))
	v = n.op("Where", n.present.mask, v, n.scalar(0))
	weights := n.node("Softmax", with(whole("axis", -1)), scores)
	return n.op("Reshape", n.transpose(n.matmul(weights, split(v, 0, 2, 1, 3)), 0, 2, 1, 3), n.ints(0, 0, d))
}
