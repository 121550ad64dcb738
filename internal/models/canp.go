package models

import (
	"fmt"

	G "gorgonia.org/gorgonia"

	"github.com/acqnp/acqnp/internal/config"
)

// canp builds CANP, which is CNP with aggregation by attention.
func canp(c *construction) decoding {
	return decoding{out: c.pointMLP(decoderName, c.attention(), c.config.Decoder, c.head.columns())}
}

// attention returns an r for each point, [B·N, d]: multi-head attention of the point's query over
// the keys and values of the context points. Heads that share their maps are all alike, so one is
// computed, and their sum is a multiple of it.
func (c *construction) attention() *G.Node {
	d, heads := c.config.Representation, c.config.Heads
	values := c.contextMLP()
	dx := []int{c.dx}
	query := c.mlp("_encoder._attention._query_mlp._net", dx, c.config.QueryEncoder, d, c.x)
	key := c.mlp("_encoder._attention._key_mlp._net", dx, c.config.KeyEncoder, d, c.Columns(c.context, 0, c.dx))
	width, alike := d, 1
	if c.config.HeadsForm == config.Shared {
		width, alike, heads = d/heads, heads, 1
	}
	zeros := c.Zeros(width)
	headsIn := func(name string, in *G.Node) *G.Node {
		return c.Linear(zeros, in, c.HeadsIn(headWeight(name), heads, width, d), false)
	}
	q, k, v := headsIn("query", query), headsIn("key", key), headsIn("value", values)
	attended := c.Attention(q, k, v, heads)
	out := c.Linear(c.Zeros(d), attended, c.HeadsOut(headWeight("output"), heads, d, width), false)
	if alike > 1 {
		out = c.Affine(out, float64(alike), 0)
	}
	return out
}

// headWeight returns a function that names the weight of each head in one of attention's linear maps:
// query, key, value or output.
func headWeight(name string) func(int) string {
	return func(h int) string {
		return fmt.Sprintf("_encoder._attention._attention._%s_layers.%d.weight", name, h)
	}
}
