package ops

import (
	"fmt"
	"slices"

	G "gorgonia.org/gorgonia"
)

// SymDiff builds the gradient nodes. The entry of an input is nil if DiffWRT is false for it.
func (o *Op) SymDiff(in G.Nodes, out, grad *G.Node) (G.Nodes, error) {
	build := table[o.Kind].gradients
	if build == nil {
		return nil, fmt.Errorf("%v has no gradient", o)
	}
	return build(o, in, out, grad)
}

// differentiable reports whether gradients pass through the operation.
func (o *Op) differentiable() bool { return table[o.Kind].gradients != nil }

// each calls build for those of the first n inputs that lead to a parameter. It returns a node for
// every input, nil for the others.
func (o *Op) each(n int, build func(i int) (*G.Node, error)) (G.Nodes, error) {
	nodes := make(G.Nodes, len(o.In))
	for i := range n {
		if !o.diff[i] {
			continue
		}
		var err error
		if nodes[i], err = build(i); err != nil {
			return nil, err
		}
	}
	return nodes, nil
}

// result stands for an operation's own result in gradOf.
const result = -1

// gradOf returns the operation that computes the gradient with respect to input i. Its own inputs
// are the gradient of o's result, then what uses lists: inputs of o by their index, or result.
func (o *Op) gradOf(k Kind, part, i int, uses ...int) *Op {
	g := &Op{Kind: k, Part: part, ReLU: o.ReLU, Heads: o.Heads, Floor: o.Floor, Natural: o.Natural, capacity: o.capacity,
		Out: o.In[i], Width: o.Widths[i], Rows: o.capacity.memory(o.In[i]), rank: o.ranks[i]}
	for _, use := range append([]int{result}, uses...) {
		if use == result {
			g.In, g.Widths, g.ranks = append(g.In, o.Out), append(g.Widths, o.Width), append(g.ranks, o.rank)
			continue
		}
		g.In, g.Widths, g.ranks = append(g.In, o.In[use]), append(g.Widths, o.Widths[use]), append(g.ranks, o.ranks[use])
	}
	return g
}

// inParts returns the gradients of an operation that a kind computes: part i that of input i, of the
// first n inputs. uses lists what it reads, as for gradOf; inputs that an operation does not have are
// left out.
func inParts(k Kind, n int, uses ...int) func(o *Op, in G.Nodes, out, grad *G.Node) (G.Nodes, error) {
	return func(o *Op, in G.Nodes, out, grad *G.Node) (G.Nodes, error) {
		own := slices.DeleteFunc(slices.Clone(uses), func(use int) bool { return use >= len(in) })
		read := G.Nodes{grad}
		for _, use := range own {
			if use == result {
				read = append(read, out)
			} else {
				read = append(read, in[use])
			}
		}
		return o.each(n, func(i int) (*G.Node, error) {
			g := o.gradOf(k, i, i, own...)
			if o.In[i] == Parameter && g.rank == 2 {
				g.Rows = in[i].Shape()[0]
			}
			return apply(g, read...)
		})
	}
}

// parts are the nodes of which a gradient consists.
type parts struct {
	*Builder
	op        *Op
	in        G.Nodes
	out, grad *G.Node // of op
}

// composed returns the gradients of an operation that consist of operations. build adds those of
// input i.
func composed(build func(p parts, i int) *G.Node) func(o *Op, in G.Nodes, out, grad *G.Node) (G.Nodes, error) {
	return func(o *Op, in G.Nodes, out, grad *G.Node) (G.Nodes, error) {
		b := &Builder{g: &Graph{Capacity: o.capacity}, leaf: map[*G.Node]leafInfo{}}
		for i, n := range in {
			b.leaf[n] = leafInfo{space: o.In[i], rank: o.ranks[i], cols: o.Widths[i]}
		}
		for _, n := range []*G.Node{out, grad} {
			b.leaf[n] = leafInfo{space: o.Out, rank: o.rank, cols: o.Width}
		}
		return o.each(len(in), func(i int) (*G.Node, error) {
			n := build(parts{b, o, in, out, grad}, i)
			return n, b.err
		})
	}
}
