package models

import (
	"fmt"

	G "gorgonia.org/gorgonia"
)

// canp builds CANP, which is CNP with aggregation by attention.
func canp(c *construction) decoding {
	return decoding{out: c.pointMLP(decoderName, c.attention(), c.config.Decoder, c.head.columns())}
}

// attention returns an r for each point, [B·N, d]: multi-head attention of the point's query over
// the keys and values of the context points.
func (c *construction) attention() *G.Node {
	d := c.config.Representation
	values := c.contextMLP()
	dx := []int{c.dx}
	query := c.mlp("_encoder._attention._query_mlp._net", dx, c.config.QueryEncoder, d, c.x)
	key := c.mlp("_encoder._attention._key_mlp._net", dx, c.config.KeyEncoder, d, c.Columns(c.context, 0, c.dx))
	zeros := c.Zeros(d)
	headsIn := func(name string, in *G.Node) *G.Node {
		return c.Linear(zeros, in, c.HeadsIn(headWeight(name), c.config.Heads, d, d), false)
	}
	q, k, v := headsIn("query", query), headsIn("key", key), headsIn("value", values)
	attended := c.Attention(q, k, v, c.config.Heads)
	return c.Linear(zeros, attended, c.HeadsOut(headWeight("output"), c.config.Heads, d, d), false)
}

// headWeight returns a function that names the weight of each head in one of attention's linear maps:
// query, key, value or output.
func headWeight(name string) func(int) string {
	return func(h int) string {
		return fmt.Sprintf("_encoder._attention._attention._%s_layers.%d.weight", name, h)
	}
}
