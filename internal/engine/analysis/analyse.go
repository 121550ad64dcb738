// Package analysis analyses a graph for the engines that run it. Analyse finds its values and, in
// order, its units, which are the kernel calls. Place puts buffers into an arena, one block of
// memory. FLOPs counts the floating-point operations of a run.
package analysis

import (
	"fmt"
	"slices"

	G "gorgonia.org/gorgonia"

	"github.com/acqnp/acqnp/internal/models/ops"
)

// Value is a node of the graph.
type Value struct {
	Node    *G.Node
	Space   ops.Space
	Rows    int // at capacity
	Width   int
	Block   *ops.Block // of a parameter; otherwise nil
	Made    *Unit      // the unit that computes it; nil for leaves
	Users   []*Unit    // the units that read it
	Reduced bool       // a row is a sum over several rows of an input
	Result  bool       // an output or a gradient of the run
	Grad    bool       // a gradient of the run
}

// Unit is one kernel call: an operation, or all parts of a gradient.
type Unit struct {
	Op  *ops.Op // of the first part; nil for Gorgonia's addition of gradients
	In  []*Value
	Out [3]*Value // by part; nil for parts that the graph does not need
}

// Outs returns the results that the graph needs, in the order of the parts.
func (u *Unit) Outs() []*Value {
	var vs []*Value
	for _, v := range u.Out {
		if v != nil {
			vs = append(vs, v)
		}
	}
	return vs
}

// Analysis is a graph taken apart into leaves and units in topological order.
type Analysis struct {
	Values map[*G.Node]*Value
	Units  []*Unit
}

// Analyse analyses the part of a graph that leads to its outputs and gradients. An operation that
// is neither of package ops nor Gorgonia's addition of gradients is an error.
func Analyse(g *ops.Graph) (*Analysis, error) {
	sorted, err := G.Sort(g.Expr)
	if err != nil {
		return nil, fmt.Errorf("engine: %w", err)
	}
	slices.Reverse(sorted)
	needed := map[*G.Node]bool{}
	for _, o := range g.Outputs {
		ops.AddNeeded(needed, o.Node)
	}
	for _, n := range g.Grads {
		ops.AddNeeded(needed, n)
	}
	a := &Analysis{Values: map[*G.Node]*Value{}}
	a.addLeaves(g)
	grouped := map[string]*Unit{}
	for _, n := range sorted {
		if !needed[n] || a.Values[n] != nil {
			continue
		}
		if err := a.add(n, grouped); err != nil {
			return nil, err
		}
	}
	for _, o := range g.Outputs {
		a.Values[o.Node].Result = true
	}
	for _, n := range g.Grads {
		a.Values[n].Result, a.Values[n].Grad = true, true
	}
	return a, nil
}

// addLeaves adds the values of inputs and parameters.
func (a *Analysis) addLeaves(g *ops.Graph) {
	for _, in := range g.Inputs {
		a.Values[in.Node] = &Value{Node: in.Node, Space: in.Space, Rows: g.Capacity.Rows(in.Space), Width: in.Width}
	}
	for i, b := range g.Blocks {
		a.Values[b.Node] = &Value{Node: b.Node, Space: ops.Parameter, Rows: b.Rows, Width: b.Cols, Block: &g.Blocks[i]}
	}
}

// add adds the value of a node. It also adds the node's unit, unless an earlier part of the same
// gradient did.
func (a *Analysis) add(n *G.Node, grouped map[string]*Unit) error {
	children := ops.Children(n)
	if len(children) == 0 {
		if n.Value() == nil {
			return fmt.Errorf("engine: leaf %v is neither an input nor a parameter nor a constant", n)
		}
		a.Values[n] = constant(n)
		return nil
	}
	in := make([]*Value, len(children))
	for i, c := range children {
		in[i] = a.Values[c]
	}
	v := &Value{Node: n}
	u, part := (*Unit)(nil), 0
	switch op := n.Op().(type) {
	case *ops.Op:
		v.Space, v.Rows, v.Width, v.Reduced = op.Out, op.Rows, op.Width, op.Reduces()
		part = op.Part
		key := fmt.Sprint(op.Kind, op.ReLU, op.Heads, op.From)
		for _, c := range in {
			key += fmt.Sprintf(" %p", c)
		}
		if u = grouped[key]; u == nil || u.Out[part] != nil {
			u = &Unit{Op: op, In: in}
			grouped[key] = u
			a.Units = append(a.Units, u)
			a.addUses(u)
		}
	default:
		if !isAdd(op) {
			return fmt.Errorf("engine: operation %v has type %T, want *ops.Op or an addition", op, op)
		}
		v.Space, v.Rows, v.Width = in[0].Space, in[0].Rows, in[0].Width
		u = &Unit{In: in}
		a.Units = append(a.Units, u)
		a.addUses(u)
	}
	v.Made = u
	u.Out[part] = v
	a.Values[n] = v
	return nil
}

// constant returns the Value of a constant leaf: a scalar, or a vector such as the zeros that stand
// for a bias.
func constant(n *G.Node) *Value {
	v := &Value{Node: n, Space: ops.Scalar, Rows: 1, Width: 1}
	if !n.IsScalar() {
		v.Space, v.Width = ops.Parameter, n.Shape().TotalSize()
	}
	return v
}

// addUses adds a unit to the users of its inputs.
func (a *Analysis) addUses(u *Unit) {
	for _, c := range u.In {
		c.Users = append(c.Users, u)
	}
}

// isAdd reports whether op is Gorgonia's addition of two tensors.
func isAdd(op G.Op) bool {
	_, binary := op.(G.BinaryOp)
	return binary && op.String() == "+ false"
}

// Constant returns the numbers of a constant leaf as float32; nil for any other value.
func Constant(v *Value) []float32 {
	if v.Node.Value() == nil {
		return nil
	}
	switch x := v.Node.Value().Data().(type) {
	case []float32:
		return x
	case float32:
		return []float32{x}
	case float64:
		return []float32{float32(x)}
	}
	return nil
}
