package models

import (
	"fmt"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"github.com/acqnp/acqnp/internal/models/ops"
)

// groups returns an r for each point, [B·N, d], of groups that are data sets of inner groups: a group's
// context holds the rows of many groups, and the context points of others whose targets are its points.
// So r tells what the points of the target's own group say and what those of its siblings say. The
// siblings are the groups of which all rows are context.
//
// The tokens are those of transformer. In each layer a token attends to the context tokens of its own
// group, then to those of the siblings, and then goes through a network with one hidden layer and a
// ReLU. Each of the three reads a layer norm of the token and adds to the token. Queries, keys and values
// of an attention have the same norm. No sibling reads a group with targets, so [Model.BuildSiblings]
// can read the siblings once for all groups.
//
// Which rows are whose is an input, a range of context rows for each row: see ops.AttentionWithin.
func (c *construction) groups() *G.Node {
	if c.mode == Prediction {
		return c.oneGroup()
	}
	c.WholeGroups()
	context, query := c.embed()
	known := ranges{group: c.Input("context_group", ops.Context, 2), siblings: c.Input("context_siblings", ops.Context, 2)}
	points := ranges{group: c.Input("group", ops.Point, 2), siblings: c.Input("siblings", ops.Point, 2)}
	for l := range c.config.Layers {
		layer := c.groupLayer(l)
		within := layer.within.read(c, context)
		context = layer.within.apply(c, context, within, known.group)
		query = layer.within.apply(c, query, within, points.group)
		across := layer.across.read(c, context)
		query = layer.feed(c, layer.across.apply(c, query, across, points.siblings))
		if l < c.config.Layers-1 {
			context = layer.feed(c, layer.across.apply(c, context, across, known.siblings))
		}
	}
	return c.normOf(groupsName+"norm").apply(c, query)
}

// ranges says which context rows each row reads, [·, 2]: those of its own group, and of the siblings.
type ranges struct{ group, siblings *G.Node }

const groupsName = "_encoder._groups."

// oneGroup is groups for the rows of one group, context points and targets, as points: the siblings are
// known by what BuildSiblings returns for them.
func (c *construction) oneGroup() *G.Node {
	c.WholeGroups()
	e := c.embedder()
	tokens := e.tokens(c, c.x, c.Input("y", ops.Point, c.dy), c.Input("asked", ops.Point, 1))
	group := c.Input("group", ops.Point, 2)
	for l := range c.config.Layers {
		layer := c.groupLayer(l)
		tokens = layer.within.apply(c, tokens, layer.within.read(c, tokens), group)
		tokens = layer.across.apply(c, tokens, c.siblings(l), nil)
		tokens = layer.feed(c, tokens)
	}
	return c.normOf(groupsName+"norm").apply(c, tokens)
}

// siblings adds the inputs of a layer's keys and values of the siblings.
func (c *construction) siblings(l int) memory {
	keys, values := SiblingInputs(l)
	d := c.config.Representation
	return memory{c.Input(keys, ops.Context, d), c.Input(values, ops.Context, d)}
}

// SiblingInputs returns the names of what layer l remembers of the siblings: outputs of BuildSiblings and
// inputs of Prediction.
func SiblingInputs(l int) (keys, values string) {
	return fmt.Sprintf("keys.%d", l), fmt.Sprintf("values.%d", l)
}

// BuildSiblings builds the graph in which aggregation by groups reads the siblings. Its inputs are
// "context" [B·N_c, dx+dy] and "context_group" [B·N_c, 2], the rows of the siblings and the ranges of
// their groups; its outputs are those that SiblingInputs names, [B·N_c, d] each. Its parameters are the
// first of the model's vector.
func (m *Model) BuildSiblings(dtype tensor.Dtype, capacity ops.Extents) (*ops.Graph, error) {
	b := ops.NewBuilder(dtype, capacity)
	c := &construction{Builder: b, Model: m, context: b.Input("context", ops.Context, m.dx+m.dy)}
	c.WholeGroups()
	e := c.embedder()
	xs, ys := c.Columns(c.context, 0, c.dx), c.Columns(c.context, c.dx, c.dx+c.dy)
	tokens := e.tokens(c, xs, ys, nil)
	group := c.Input("context_group", ops.Context, 2)
	for l := range c.config.Layers {
		layer := c.groupLayer(l)
		tokens = layer.within.apply(c, tokens, layer.within.read(c, tokens), group)
		across := layer.across.read(c, tokens)
		keys, values := SiblingInputs(l)
		b.Output(keys, across.keys)
		b.Output(values, across.values)
		if l < c.config.Layers-1 {
			tokens = layer.feed(c, layer.across.apply(c, tokens, across, nil))
		}
	}
	return b.Finish(nil)
}

// A groupLayer holds the parameters of a layer, which all tokens share.
type groupLayer struct {
	within, across attentionHeads
	norm           norm
	network        []affine
}

// groupLayer makes the parameters of layer l.
func (c *construction) groupLayer(l int) *groupLayer {
	name := fmt.Sprintf("%slayers.%d.", groupsName, l)
	return &groupLayer{within: c.headsOf(name + "within."), across: c.headsOf(name + "across."), norm: c.normOf(name + "norm"),
		network: c.feedForward(name)}
}

// feed adds the network with one hidden layer.
func (l *groupLayer) feed(c *construction, tokens *G.Node) *G.Node {
	return c.Add(tokens, c.layers(l.network, l.norm.apply(c, tokens)))
}

// attentionHeads holds the parameters of an attention: the norm of what it reads, and its maps.
type attentionHeads struct {
	norm norm
	in   [3]affine // to queries, keys and values
	out  affine
}

// headsOf makes the parameters of an attention.
func (c *construction) headsOf(name string) attentionHeads {
	h := attentionHeads{norm: c.normOf(name + "norm")}
	h.in, h.out = c.projections(name)
	return h
}

// memory is what tokens offer to an attention.
type memory struct{ keys, values *G.Node }

// read returns the keys and values of tokens.
func (h attentionHeads) read(c *construction, tokens *G.Node) memory {
	normed := h.norm.apply(c, tokens)
	return memory{h.in[1].apply(c, normed), h.in[2].apply(c, normed)}
}

// apply adds what each token finds in m, within its range if ranges is not nil.
func (h attentionHeads) apply(c *construction, tokens *G.Node, m memory, ranges *G.Node) *G.Node {
	q := h.in[0].apply(c, h.norm.apply(c, tokens))
	attended := c.Attention
	if ranges != nil {
		attended = func(q, k, v *G.Node, heads int) *G.Node { return c.AttentionWithin(q, k, v, ranges, heads) }
	}
	return c.Add(tokens, h.out.apply(c, attended(q, m.keys, m.values, c.config.Heads)))
}
