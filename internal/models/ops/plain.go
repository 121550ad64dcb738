package ops

import G "gorgonia.org/gorgonia"

// A Plain is a graph in float64 that the plain kernels run, at any extents.
type Plain struct {
	graph *Graph
	steps []step
	slot  map[*G.Node]int // of the values of a run: inputs, blocks, and what the steps compute
}

// A step computes a value from those of other slots, or is a constant.
type step struct {
	op       *Op
	in       []int
	constant []float64
}

// NewPlain returns the part of a graph that leads to its outputs.
func NewPlain(g *Graph) *Plain {
	p := &Plain{graph: g, slot: map[*G.Node]int{}}
	for _, in := range g.Inputs {
		p.slot[in.Node] = len(p.slot)
	}
	for _, b := range g.Blocks {
		p.slot[b.Node] = len(p.slot)
	}
	for _, n := range g.needed() {
		if _, ok := p.slot[n]; ok {
			continue
		}
		var s step
		if o, ok := n.Op().(*Op); ok {
			s.op = o
			for _, c := range Children(n) {
				s.in = append(s.in, p.slot[c])
			}
		} else {
			s.constant = Flat[float64](n.Value())
		}
		p.slot[n] = len(p.slot)
		p.steps = append(p.steps, s)
	}
	return p
}

// Run returns the outputs of the graph at the extents, in their order. params is the flat vector of the
// parameters, and inputs are in the graph's order.
func (p *Plain) Run(e Extents, params []float64, inputs ...[]float64) (outputs [][]float64) {
	values := append(make([][]float64, 0, len(p.slot)), inputs...)
	for _, b := range p.graph.Blocks {
		v := make([]float64, b.Rows*b.Cols)
		LoadBlock(v, params, b)
		values = append(values, v)
	}
	for _, s := range p.steps {
		v := s.constant
		if s.op != nil {
			v = make([]float64, e.Rows(s.op.Out)*s.op.Width)
			in := make([][]float64, len(s.in))
			for i, at := range s.in {
				in[i] = values[at]
			}
			Evaluate(s.op, e, v, in)
		}
		values = append(values, v)
	}
	for _, out := range p.graph.Outputs {
		outputs = append(outputs, values[p.slot[out.Node]])
	}
	return outputs
}
