package ops

import (
	"fmt"
	"slices"
	"strings"

	G "gorgonia.org/gorgonia"
)

// Lower writes the part of a graph that leads to its outputs in a dialect, in the order in which the
// graph was made. It returns the outputs by their names.
func Lower(g *Graph, d Dialect) (map[string]Value, error) {
	l := lowering{words{d}, map[*G.Node]Value{}, map[*G.Node]string{}}
	nodes := g.needed()
	l.name(g, nodes)
	for _, in := range g.Inputs {
		l.values[in.Node] = d.Input(in)
	}
	for _, n := range nodes {
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
func (g *Graph) needed() (nodes []*G.Node) {
	seen := map[*G.Node]bool{}
	var visit func(n *G.Node)
	visit = func(n *G.Node) {
		if seen[n] {
			return
		}
		seen[n] = true
		nodes = append(nodes, n)
		for _, c := range Children(n) {
			visit(c)
		}
	}
	for _, out := range g.Outputs {
		visit(out.Node)
	}
	slices.SortFunc(nodes, func(a, b *G.Node) int { return int(a.ID() - b.ID()) })
	return nodes
}

// lowering is a graph that is being written.
type lowering struct {
	words
	values map[*G.Node]Value
	names  map[*G.Node]string
}

// lower writes one node.
func (l lowering) lower(g *Graph, n *G.Node) error {
	o, ok := n.Op().(*Op)
	if !ok {
		return l.leaf(g, n)
	}
	write := table[o.Kind].form
	_, ranging := l.Dialect.(Ranging)
	if write == nil || within(o) && !ranging {
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
	v := write(l.words, o, in)
	if name := l.names[n]; name != "" {
		v = l.Named(name, v)
	}
	l.values[n] = v
	return nil
}

// leaf writes a parameter. Inputs are written already, and a constant stands for a bias that a layer
// does not have.
func (l lowering) leaf(g *Graph, n *G.Node) error {
	if _, ok := l.values[n]; ok {
		return nil
	}
	if i := slices.IndexFunc(g.Blocks, func(b Block) bool { return b.Node == n }); i >= 0 {
		l.values[n] = l.Parameter(g.Blocks[i], g.slices(g.Blocks[i]))
		return nil
	}
	if !strings.HasPrefix(n.Name(), zerosName) {
		return fmt.Errorf("ops: %v has no form", n)
	}
	l.values[n] = zero
	return nil
}

// name sets the names of values: a layer by its weight, an argument of attention by its part
// in it, an output by its name, and others by their kind. A name that means values of several spaces
// tells them apart. Values without a name are short, and stand where they are read.
func (l lowering) name(g *Graph, nodes []*G.Node) {
	readers := map[*G.Node][]*G.Node{}
	for _, n := range nodes {
		for _, c := range Children(n) {
			readers[c] = append(readers[c], n)
		}
	}
	for _, n := range nodes {
		if o, ok := n.Op().(*Op); ok && !inPlace(n, readers[n]) {
			l.names[n] = nameOf(n, o, readers[n])
		}
	}
	spaces := map[string]Space{}
	clash := map[string]bool{}
	for n, name := range l.names {
		s, seen := spaces[name]
		spaces[name] = n.Op().(*Op).Out
		clash[name] = clash[name] || seen && s != spaces[name]
	}
	for n, name := range l.names {
		if clash[name] {
			l.names[n] = name + "_" + n.Op().(*Op).Out.String()
		}
	}
	for _, out := range g.Outputs {
		l.names[out.Node] = out.Name
	}
}

// inPlace reports whether a value stands where it is read: columns of another, and a sum, columns side
// by side, a primitive or a part of a layer that one operation reads.
func inPlace(n *G.Node, readers []*G.Node) bool {
	o := n.Op().(*Op)
	switch o.Kind {
	case Columns, Ones:
		return true
	case Add, Join, Mul, Affine, Exp, Log, Softplus, Spread, Sum, LogSumExp:
		return len(readers) == 1
	case Sigmoid:
		return len(readers) == 1 && readers[0].Op().(*Op).Kind == Mul
	case Linear:
		return len(readers) == 1 && readers[0].Op().(*Op).Kind == Linear && Children(readers[0])[0] == n
	}
	return false
}

// nameOf returns the name of an operation's value.
func nameOf(n *G.Node, o *Op, readers []*G.Node) string {
	for _, r := range readers {
		if r.Op().(*Op).Kind == Attention {
			return []string{"queries", "keys", "values"}[slices.Index(Children(r), n)]
		}
	}
	switch o.Kind {
	case Linear:
		return layerName(Children(n)[2].Name())
	case LayerNorm:
		return layerName(Children(n)[1].Name())
	}
	return string(o.Kind)
}

// containers are modules of PyTorch whose names say little.
var containers = []string{"mlp", "net", "transformer", "self_attn"}

// layerName turns the PyTorch name of a parameter into the name of its layer's result:
// _decoder._mlp._net.2.weight into decoder_2.
func layerName(parameter string) string {
	parameter, heads := strings.CutSuffix(parameter, "…")
	parameter, _, _ = strings.Cut(parameter, "[")
	path := strings.Split(parameter, ".")
	path = path[:len(path)-1]
	if heads { // the number of the head
		path = path[:len(path)-1]
	}
	var parts []string
	for _, p := range path {
		if p = strings.TrimSuffix(strings.TrimPrefix(p, "_"), "_mlp"); !slices.Contains(containers, p) {
			parts = append(parts, p)
		}
	}
	if len(parts) > 2 && parts[0] == "encoder" {
		parts = parts[1:]
	}
	return strings.Join(slices.Compact(parts), "_")
}
