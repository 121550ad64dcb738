package cpu

import (
	"fmt"
	"reflect"
	"slices"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"github.com/acqnp/acqnp/internal/ops"
)

// value is a node of the graph as the compiler sees it.
type value struct {
	node  *G.Node
	space ops.Space
	rows  int // at capacity
	width int
	made  *unit // nil for leaves
	users []*unit
	// reduced: the unit that makes it sums over tiles, so it is complete only after the unit's stage.
	reduced bool
	result  bool // of the run: an output or a gradient
}

// unit is one kernel call per tile: an operation, or the parts of a gradient that read the same inputs.
type unit struct {
	op     *ops.Op // of the first part; nil for Gorgonia's addition of gradients
	in     []*value
	out    [3]*value // by part
	domain domain
	stage  int
	pos    int // in its stage
}

func (u *unit) outs() []*value {
	var vs []*value
	for _, v := range u.out {
		if v != nil {
			vs = append(vs, v)
		}
	}
	return vs
}

// domain is what the tiles of a stage are runs of.
type domain uint8

const (
	whole     domain = iota // parameters and scalars: one tile
	functions               // runs of functions with all their levels
	contexts                // runs of context points with all their levels
	points                  // runs of points with all their levels
)

func domainOf(spaces ...ops.Space) domain {
	d := whole
	for _, s := range spaces {
		switch s {
		case ops.Function, ops.Ensemble:
			d = max(d, functions)
		case ops.Context, ops.Resample:
			d = max(d, contexts)
		case ops.Point, ops.Row:
			d = max(d, points)
		}
	}
	return d
}

// unitSpace is the index space that a domain's tiles are runs of.
func (d domain) unitSpace() ops.Space {
	return [...]ops.Space{ops.Parameter, ops.Function, ops.Context, ops.Point}[d]
}

// analysis is a graph taken apart into leaves and units in topological order.
type analysis struct {
	values map[*G.Node]*value
	units  []*unit
}

func analyse(g *ops.Graph) (*analysis, error) {
	sorted, err := G.Sort(g.Expr)
	if err != nil {
		return nil, fmt.Errorf("cpu: %w", err)
	}
	slices.Reverse(sorted)
	needed := neededBy(g)
	a := &analysis{values: map[*G.Node]*value{}}
	a.leaves(g)
	grouped := map[string]*unit{}
	for _, n := range sorted {
		if !needed[n] || a.values[n] != nil {
			continue
		}
		if err := a.add(n, grouped); err != nil {
			return nil, err
		}
	}
	for _, o := range g.Outputs {
		a.values[o.Node].result = true
	}
	for _, n := range g.Grads {
		a.values[n].result = true
	}
	return a, nil
}

// neededBy are the nodes that lead to a result.
func neededBy(g *ops.Graph) map[*G.Node]bool {
	needed := map[*G.Node]bool{}
	var visit func(n *G.Node)
	visit = func(n *G.Node) {
		if needed[n] {
			return
		}
		needed[n] = true
		for _, c := range ops.Children(n) {
			visit(c)
		}
	}
	for _, o := range g.Outputs {
		visit(o.Node)
	}
	for _, n := range g.Grads {
		visit(n)
	}
	return needed
}

func (a *analysis) leaves(g *ops.Graph) {
	for _, in := range g.Inputs {
		a.values[in.Node] = &value{node: in.Node, space: in.Space, rows: g.Capacity.Rows(in.Space), width: in.Width}
	}
	for _, b := range g.Blocks {
		a.values[b.Node] = &value{node: b.Node, space: ops.Parameter, rows: b.Rows, width: b.Cols}
	}
}

// add makes the value of a node, and its unit unless a part with the same inputs has made it already.
func (a *analysis) add(n *G.Node, grouped map[string]*unit) error {
	children := ops.Children(n)
	if len(children) == 0 {
		if n.Value() == nil {
			return fmt.Errorf("cpu: leaf %v has neither value nor place among the inputs", n)
		}
		a.values[n] = constant(n)
		return nil
	}
	in := make([]*value, len(children))
	for i, c := range children {
		in[i] = a.values[c]
	}
	v := &value{node: n}
	u, part := (*unit)(nil), 0
	switch op := n.Op().(type) {
	case *ops.Op:
		v.space, v.rows, v.width = op.Out, op.Rows, op.Width
		part = op.Part
		key := fmt.Sprint(op.Kind, op.ReLU, op.Heads, op.From)
		for _, c := range in {
			key += fmt.Sprintf(" %p", c)
		}
		if u = grouped[key]; u == nil || u.out[part] != nil {
			u = &unit{op: op, in: in, domain: domainOf(append([]ops.Space{op.Out}, op.In...)...)}
			grouped[key] = u
			a.units = append(a.units, u)
			a.use(u)
		}
		unit := u.domain.unitSpace()
		v.reduced = op.Sums() && unit != v.space && !unit.Contains(v.space)
	default:
		if !isAdd(op) {
			return fmt.Errorf("cpu: operation %v of %T is not ours", op, op)
		}
		v.space, v.rows, v.width = in[0].space, in[0].rows, in[0].width
		u = &unit{in: in, domain: domainOf(v.space)}
		a.units = append(a.units, u)
		a.use(u)
	}
	v.made = u
	u.out[part] = v
	a.values[n] = v
	return nil
}

// constant is a leaf with a value of its own: a scalar, or a vector such as the zeros in place of a bias.
func constant(n *G.Node) *value {
	v := &value{node: n, space: ops.Scalar, rows: 1, width: 1}
	if !n.IsScalar() {
		v.space, v.width = ops.Parameter, n.Shape().TotalSize()
	}
	return v
}

func (a *analysis) use(u *unit) {
	for _, c := range u.in {
		c.users = append(c.users, u)
	}
}

// addType is the type of Gorgonia's own elementwise operations, of which only the addition of gradients turns up.
var addType = func() reflect.Type {
	g := G.NewGraph()
	m := func(name string) *G.Node { return G.NewMatrix(g, tensor.Float32, G.WithShape(2, 2), G.WithName(name)) }
	return reflect.TypeOf(G.Must(G.Add(m("a"), m("b"))).Op())
}()

func isAdd(op G.Op) bool {
	_, binary := op.(G.BinaryOp)
	return binary && reflect.TypeOf(op) == addType && op.String() == "+ false"
}
