package onnx

import (
	"fmt"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/predict/post"
)

// A network is the graph of a model's network under construction, as package models has it. All its
// values are float32. In the shapes, B is the number of functions, N_c of context points, N of
// targets, N_τ of levels and k of bootstraps.
type network struct {
	*graph
	config  config.Model
	post    post.Postprocessing
	dx, dy  int
	prefix  string               // of the names of its parameters in the graph
	tensors map[string][]float32 // the parameters, under PyTorch's names

	contextX, contextY value    // [B, N_c, dx], [B, N_c, dy]; see presence
	present            presence // of context points; empty for BNP, which needs a context
	x                  value    // [B, N, dx]
	u                  value    // [1, 1, N_τ, 1]: the levels; quantile models
	resample           value    // [2, k, B, N_c], int64; bootstrapping models
}

// newNetwork returns a network without parameters.
func newNetwork(g *graph, m *models.Model, p post.Postprocessing) *network {
	n := &network{graph: g, config: m.Config(), post: p}
	n.dx, n.dy = m.Dims()
	return n
}

// load takes the parameters of a network.
func (n *network) load(prefix string, m *models.Model, params []float32) {
	n.prefix, n.tensors = prefix, map[string][]float32{}
	for _, t := range m.Tensors() {
		n.tensors[t.Name] = params[t.Offset:][:t.Size()]
	}
}

// matrix and floats add parameters under the network's prefix.
func (n *network) matrix(name string, out, in int, at func(o, i int) float32) value {
	return n.graph.matrix(n.prefix+name, out, in, at)
}

func (n *network) floats(name string, v []float32, shape ...int) value {
	return n.graph.floats(n.prefix+name, v, shape...)
}

// decoding is the end of the network, which the likelihood reads.
type decoding struct {
	out   value // [B, N, N_τ, 3·dy] of quantile models, [B, N, k, 2·dy] of the others; k is 1 without bootstraps
	logit value // [B, N, N_τ, 1] or, if all points have the same, [1, 1, N_τ, 1]; quantile models
}

// decode builds the network of the model up to its decoder.
func (n *network) decode() (decoding, error) {
	switch n.config.Name {
	case "cnp":
		return n.cnp(n.aggregate()), nil
	case "canp":
		return n.cnp(n.attention()), nil
	case "bnp":
		return n.bnp(), nil
	case "cqnp":
		return n.cqnp(), nil
	case "acqnp":
		return n.acqnp(), nil
	}
	return decoding{}, fmt.Errorf("onnx: found model %q, expected one of %v", n.config.Name, models.Names())
}

// The PyTorch names of the MLPs that several models have.
const (
	encoderName = "_encoder._mlp._net"
	adaptorName = "_adaptor._net"
	decoderName = "_decoder._mlp._net"
)

// layer returns the PyTorch name of linear layer i in a Sequential with a ReLU between each two.
func layer(name string, i int) string { return fmt.Sprintf("%s.%d", name, 2*i) }

// matrix adds a weight [out, in] as [in, out], which a row is multiplied by. at returns an element.
func (g *graph) matrix(name string, out, in int, at func(o, i int) float32) value {
	v := make([]float32, 0, out*in)
	for i := range in {
		for o := range out {
			v = append(v, at(o, i))
		}
	}
	return g.floats(name, v, in, out)
}

// weight returns the weight of a linear layer.
func (n *network) weight(name string, in int) value {
	v := n.tensors[name]
	return n.matrix(name, len(v)/in, in, func(o, i int) float32 { return v[o*in+i] })
}

// blocks divides the weight of a linear layer into blocks of columns, whose numbers of inputs are widths.
func (n *network) blocks(name string, widths ...int) []value {
	v, in := n.tensors[name], 0
	for _, w := range widths {
		in += w
	}
	blocks, from := make([]value, len(widths)), 0
	for b, w := range widths {
		first := from
		blocks[b] = n.matrix(fmt.Sprintf("%s.%d", name, b), len(v)/in, w, func(o, i int) float32 { return v[o*in+first+i] })
		from += w
	}
	return blocks
}

// vector returns a bias, or another vector of parameters.
func (n *network) vector(name string) value {
	v := n.tensors[name]
	return n.floats(name, v, len(v))
}

// affine applies a linear layer, [·, in] → [·, out].
func (n *network) affine(name string, h value, in int, relu bool) value {
	h = n.add(n.matmul(h, n.weight(name+".weight", in)), n.vector(name+".bias"))
	return n.activate(h, relu)
}

func (g *graph) activate(h value, relu bool) value {
	if relu {
		return g.op("Relu", h)
	}
	return h
}

// A block is a part of a first layer's input. Blocks broadcast to a common shape.
type block struct {
	in    value
	width int
}

// first applies the first layer of an MLP to blocks of columns. The weight is split by columns, so
// that nothing is tiled.
func (n *network) first(name string, relu bool, blocks ...block) value {
	widths := make([]int, len(blocks))
	for i, b := range blocks {
		widths[i] = b.width
	}
	weights := n.blocks(name+".weight", widths...)
	h := n.vector(name + ".bias")
	for i, b := range blocks {
		h = n.add(n.matmul(b.in, weights[i]), h)
	}
	return n.activate(h, relu)
}

// mlp applies an MLP with hidden layers of these widths to blocks of columns.
func (n *network) mlp(name string, hidden []int, blocks ...block) value {
	h := n.first(layer(name, 0), len(hidden) > 0, blocks...)
	for i, width := range hidden {
		h = n.affine(layer(name, i+1), h, width, i < len(hidden)-1)
	}
	return h
}
