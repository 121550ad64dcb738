package models

import (
	"fmt"

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

// aggregate returns r, the representation of the context: one for each function, [B, d], or one for
// each point, [B·N, d].
func (c *construction) aggregate() *G.Node {
	switch c.config.Aggregation {
	case config.Attention:
		c.WholeFunctions()
		return c.attention()
	case config.Transformer:
		c.WholeFunctions()
		return c.transformer()
	case config.Groups:
		return c.groups()
	}
	return c.SetMean(c.contextMLP())
}

// contextMLP applies an MLP to [x, y] of each context point: [B·N_c, d].
func (c *construction) contextMLP() *G.Node {
	const name = "_encoder._mlp._net"
	widths := append(append([]int{}, c.config.Encoder...), c.config.Representation)
	first := c.dense(name, 0, c.context, c.dx+c.dy, widths[0], len(widths) > 1)
	return c.rest(name, first, widths)
}

// pointMLP applies an MLP to [r, x] of each point: [B·N, out]. r is [B, d] or [B·N, d].
func (c *construction) pointMLP(name string, r *G.Node, hidden []int, out int) *G.Node {
	widths := append(append([]int{}, hidden...), out)
	blocks, ofR := c.first(name, r, widths[0], c.dx)
	h := c.Linear(ofR, c.x, blocks[1], len(widths) > 1)
	return c.rest(name, h, widths)
}

// rowMLP applies an MLP to [r, x, level] of each row: [B·N·N_τ, out]. level is [B·N·N_τ, columns].
// The weight of the first layer is split by columns: the part for r is applied to each row of r,
// the part for x to each point, and the part for the level to each row.
func (c *construction) rowMLP(name string, r, level *G.Node, columns int, hidden []int, out int) *G.Node {
	widths := append(append([]int{}, hidden...), out)
	blocks, ofR := c.first(name, r, widths[0], c.dx, columns)
	perPoint := c.Linear(ofR, c.x, blocks[1], false)
	h := c.Linear(perPoint, level, blocks[2], len(widths) > 1)
	return c.rest(name, h, widths)
}

// first makes the parameters of a first layer over [r, others…] and applies the part for r and the
// bias. It returns the weight's blocks of columns, the block of r first, and the result, which has
// the space of r.
func (c *construction) first(name string, r *G.Node, width int, others ...int) (blocks []*G.Node, ofR *G.Node) {
	cols := append([]int{c.config.Representation}, others...)
	fanIn := 0
	for _, n := range cols {
		fanIn += n
	}
	blocks = c.Weight(layer(name, 0)+".weight", width, cols...)
	bias := c.Bias(layer(name, 0)+".bias", width, fanIn)
	return blocks, c.Linear(bias, r, blocks[0], false)
}

// rest applies the layers after the first. widths are the widths of all layers' outputs.
func (c *construction) rest(name string, h *G.Node, widths []int) *G.Node {
	for i := 1; i < len(widths); i++ {
		h = c.dense(name, i, h, widths[i-1], widths[i], i < len(widths)-1)
	}
	return h
}

// dense applies linear layer i of an MLP, [·, fanIn] → [·, out].
func (c *construction) dense(name string, i int, in *G.Node, fanIn, out int, relu bool) *G.Node {
	w := c.Weight(layer(name, i)+".weight", out, fanIn)
	bias := c.Bias(layer(name, i)+".bias", out, fanIn)
	return c.Linear(bias, in, w[0], relu)
}

// layer returns the PyTorch name of linear layer i in a Sequential with a ReLU between each two.
func layer(name string, i int) string { return fmt.Sprintf("%s.%d", name, 2*i) }

// The PyTorch names of the MLPs that several models have.
const (
	decoderName = "_decoder._mlp._net"
	adaptorName = "_adaptor._net"
)
