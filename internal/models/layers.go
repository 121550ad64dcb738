package models

import (
	"fmt"
	"slices"

	G "gorgonia.org/gorgonia"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/models/ops"
)

// construction is a graph under construction: the builder, the model and the inputs that all models
// share.
type construction struct {
	*ops.Builder
	*Model
	mode    Mode
	context *G.Node // [B·N_c, dx+dy]
	x       *G.Node // [B·N, dx]
	u       *G.Node // [B·N·N_τ, 1]; quantile models only
}

// aggregate returns r, the representation of the context: one for each group, [B, d], or one for
// each point, [B·N, d].
func (c *construction) aggregate() *G.Node {
	switch c.config.Aggregation {
	case config.Attention:
		c.WholeGroups()
		return c.attention()
	case config.Transformer:
		c.WholeGroups()
		return c.transformer()
	case config.Groups:
		return c.groups()
	}
	return c.SetMean(c.contextMLP())
}

// contextMLP applies an MLP to [x, y] of each context point: [B·N_c, d].
func (c *construction) contextMLP() *G.Node {
	return c.mlp("_encoder._mlp._net", []int{c.dx + c.dy}, c.config.Encoder, c.config.Representation, c.context)
}

// pointMLP applies an MLP to [r, x] of each point: [B·N, out]. r is [B, d] or [B·N, d].
func (c *construction) pointMLP(name string, r *G.Node, hidden []int, out int) *G.Node {
	return c.mlp(name, []int{c.config.Representation, c.dx}, hidden, out, r, c.x)
}

// rowMLP applies an MLP to [r, x, level] of each row: [B·N·N_τ, out]. level is [B·N·N_τ, columns].
func (c *construction) rowMLP(name string, r, level *G.Node, columns int, hidden []int, out int) *G.Node {
	return c.mlp(name, []int{c.config.Representation, c.dx, columns}, hidden, out, r, c.x, level)
}

// mlp applies an MLP to the columns of several inputs.
func (c *construction) mlp(name string, columns, hidden []int, out int, in ...*G.Node) *G.Node {
	return c.layers(c.network(name, 0, columns, hidden, out), in...)
}

// affine is the weight and the bias of a linear layer. The weight of a first layer is split into
// blocks of columns, one for each input.
type affine struct {
	weight []*G.Node
	bias   *G.Node
}

// network makes the parameters of an MLP, a Sequential with a ReLU between each two linear layers.
// Their PyTorch numbers are from, from+2, and so on. The first layer reads inputs with these columns.
func (c *construction) network(name string, from int, columns, hidden []int, out int) []affine {
	var layers []affine
	for i, width := range append(slices.Clone(hidden), out) {
		fanIn := 0
		for _, n := range columns {
			fanIn += n
		}
		layer := fmt.Sprintf("%s.%d", name, from+2*i)
		layers = append(layers, affine{c.Weight(layer+".weight", width, columns...), c.Bias(layer+".bias", width, fanIn)})
		columns = []int{width}
	}
	return layers
}

// layers applies linear layers with a ReLU between each two. Each block of the first layer's weight is
// applied in the space of its input, which is that of the next input or an ancestor of it: the block
// for r once for each row of r, that for x once for each point, that for the level once for each row.
func (c *construction) layers(ls []affine, in ...*G.Node) *G.Node {
	var h *G.Node
	for i, l := range ls {
		h = c.join(l, in, i < len(ls)-1)
		in = []*G.Node{h}
	}
	return h
}

// join applies a linear layer to the columns of several inputs.
func (c *construction) join(l affine, in []*G.Node, relu bool) *G.Node {
	h := l.bias
	for i, v := range in {
		h = c.Linear(h, v, l.weight[i], relu && i == len(in)-1)
	}
	return h
}

// apply returns the linear layer's result for in, [S, out].
func (a affine) apply(c *construction, in *G.Node) *G.Node { return c.join(a, []*G.Node{in}, false) }

// The PyTorch names of the MLPs that several models have.
const (
	decoderName = "_decoder._mlp._net"
	adaptorName = "_adaptor._net"
)
