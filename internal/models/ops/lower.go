package ops

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	G "gorgonia.org/gorgonia"
)

// Lower writes the part of a graph that leads to its outputs in a dialect, in the order in which the
// graph was made. It returns the outputs by their names.
func Lower(g *Graph, d Dialect) (map[string]Value, error) {
	l := lowering{words{d}, map[*G.Node]Value{}}
	for _, in := range g.Inputs {
		l.values[in.Node] = d.Input(in)
	}
	for _, n := range g.needed() {
		if err := l.lower(g, n); err != nil {
			return nil, err
		}
	}
	outputs := map[string]Value{}
	for _, out := range g.Outputs {
		outputs[out.Name] = l.values[out.Node]
	}
	return outputs, nil
}

// needed returns the nodes that lead to an output, in the order in which they were made.
func (g *Graph) needed() []*G.Node {
	known := map[*G.Node]bool{}
	for _, out := range g.Outputs {
		AddNeeded(known, out.Node)
	}
	return slices.SortedFunc(maps.Keys(known), func(a, b *G.Node) int { return int(a.ID() - b.ID()) })
}

// AddNeeded adds a node and those that lead to it to the known ones.
func AddNeeded(known map[*G.Node]bool, n *G.Node) {
	if known[n] {
		return
	}
	known[n] = true
	for _, c := range Children(n) {
		AddNeeded(known, c)
	}
}

// lowering is a graph that is being written.
type lowering struct {
	words
	values map[*G.Node]Value
}

// lower writes one node.
func (l lowering) lower(g *Graph, n *G.Node) error {
	o, ok := n.Op().(*Op)
	if !ok {
		return l.leaf(g, n)
	}
	write := table[o.Kind].form
	if write == nil {
		return fmt.Errorf("ops: %v has no form", o)
	}
	var in []Value
	for _, c := range Children(n) {
		v, ok := l.values[c]
		if !ok {
			return fmt.Errorf("ops: %v comes before its input %v", n, c)
		}
		in = append(in, v)
	}
	l.values[n] = write(l.words, o, in)
	return nil
}

// leaf writes a parameter. Inputs are written already, and a constant stands for a bias that a layer
// does not have.
func (l lowering) leaf(g *Graph, n *G.Node) error {
	if _, ok := l.values[n]; ok {
		return nil
	}
	if i := slices.IndexFunc(g.Blocks, func(b Block) bool { return b.Node == n }); i >= 0 {
		l.values[n] = l.Parameter(g.Blocks[i], g.nameOf(g.Blocks[i]))
		return nil
	}
	if !strings.HasPrefix(n.Name(), zerosName) {
		return fmt.Errorf("ops: %v has no form", n)
	}
	l.values[n] = zero
	return nil
}

// nameOf returns the name of the tensor that is the block, or of the block if it is none.
func (g *Graph) nameOf(b Block) string {
	for _, t := range g.Tensors {
		if t.Offset == b.Offset && t.Size() == b.Rows*b.Cols && b.Contiguous() {
			return t.Name
		}
	}
	return b.Name
}
