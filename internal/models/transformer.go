package models

import (
	"fmt"

	G "gorgonia.org/gorgonia"

	"github.com/acqnp/acqnp/internal/models/ops"
)

// transformer returns an r for each point, [B·N, d]: the point's query token after the last layer.
// The encoder follows TNP-D (Nguyen and Grover, 2022): query tokens do not see one another.
//
// An MLP makes a context token of [x, y, 0] for each context point and a query token of [x, 0, 1]
// for each point. In each layer, context tokens and query tokens attend to the context tokens, with
// the same weights. A layer is PyTorch's TransformerEncoderLayer without dropout: attention, then a
// network with one hidden layer and a ReLU. After each of the two, its input is added and a layer
// norm is applied. Nothing reads the context tokens of the last layer, so they are not computed.
func (c *construction) transformer() *G.Node {
	context, query := c.embed()
	for l := range c.config.Layers {
		layer := c.transformerLayer(fmt.Sprintf("_encoder._transformer.layers.%d.", l))
		k, v := layer.attention[1].apply(c, context), layer.attention[2].apply(c, context)
		query = layer.apply(c, query, k, v)
		if l < c.config.Layers-1 {
			context = layer.apply(c, context, k, v)
		}
	}
	return query
}

// embed returns the tokens of the context [B·N_c, d] and of the points [B·N, d].
func (c *construction) embed() (context, query *G.Node) {
	e := c.embedder()
	xs, ys := c.Columns(c.context, 0, c.dx), c.Columns(c.context, c.dx, c.dx+c.dy)
	return e.tokens(c, xs, ys, nil), e.tokens(c, c.x, nil, c.Ones(c.x))
}

// An embedder is the MLP that makes tokens of [x, y, asked].
type embedder []affine

// embedder makes the parameters of the MLP.
func (c *construction) embedder() embedder {
	return c.network("_encoder._embedder._net", 0, []int{c.dx, c.dy, 1}, c.config.Encoder, c.config.Representation)
}

// tokens returns tokens [S, d] of x [S, dx], y [S, dy] and asked [S, 1]. y or asked may be nil, for zeros.
func (e embedder) tokens(c *construction, x, y, asked *G.Node) *G.Node {
	first := affine{bias: e[0].bias}
	var parts []*G.Node
	for i, in := range []*G.Node{asked, x, y} {
		if in != nil {
			parts, first.weight = append(parts, in), append(first.weight, e[0].weight[(i+2)%3])
		}
	}
	return c.layers(append([]affine{first}, e[1:]...), parts...)
}

// transformerLayer holds the parameters of a layer, which context tokens and query tokens share.
type transformerLayer struct {
	attention [3]affine // the maps of tokens to queries, keys and values
	out       affine    // the map of attention's result
	feed      []affine
	norms     [2]norm // after attention, and after the feed-forward network
}

// norm is the gain and the shift of a layer norm.
type norm struct{ gain, shift *G.Node }

// transformerLayer makes the parameters of a layer, in the order and under the names of PyTorch.
func (c *construction) transformerLayer(name string) *transformerLayer {
	l := &transformerLayer{}
	l.attention, l.out = c.projections(name + "self_attn.")
	l.feed = c.feedForward(name)
	for i := range l.norms {
		l.norms[i] = c.normOf(fmt.Sprintf("%snorm%d", name, i+1))
	}
	return l
}

// projections makes the maps of an attention to queries, keys and values, and that of its result, under
// the names of PyTorch's MultiheadAttention.
func (c *construction) projections(name string) (in [3]affine, out affine) {
	d := c.config.Representation
	w := c.WeightRows(name+"in_proj_weight", d, ops.Xavier(d, 3*d), d, d, d)
	b := c.Vectors(name+"in_proj_bias", ops.Constant(0), d, d, d)
	for i := range in {
		in[i] = affine{w[i : i+1], b[i]}
	}
	return in, affine{c.Weight(name+"out_proj.weight", d, d), c.Vectors(name+"out_proj.bias", ops.Constant(0), d)[0]}
}

// normOf makes the parameters of a layer norm.
func (c *construction) normOf(name string) norm {
	d := c.config.Representation
	return norm{c.Vectors(name+".weight", ops.Constant(1), d)[0], c.Vectors(name+".bias", ops.Constant(0), d)[0]}
}

// apply returns the layer's result [S, d] for tokens [S, d], whose queries attend to the keys and
// values [B·N_c, d].
func (l *transformerLayer) apply(c *construction, tokens, keys, values *G.Node) *G.Node {
	attended := c.Attention(l.attention[0].apply(c, tokens), keys, values, c.config.Heads)
	tokens = l.norms[0].apply(c, c.Add(tokens, l.out.apply(c, attended)))
	return l.norms[1].apply(c, c.Add(tokens, c.layers(l.feed, tokens)))
}

// feedForward makes the parameters of a network with one hidden layer and a ReLU.
func (c *construction) feedForward(name string) []affine {
	d, f := c.config.Representation, c.config.Feedforward
	return []affine{{c.Weight(name+"linear1.weight", f, d), c.Bias(name+"linear1.bias", f, d)},
		{c.Weight(name+"linear2.weight", d, f), c.Bias(name+"linear2.bias", d, f)}}
}

// apply returns the layer norm of in, [S, d].
func (n norm) apply(c *construction, in *G.Node) *G.Node { return c.LayerNorm(in, n.gain, n.shift) }
