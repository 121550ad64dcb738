// Package reference runs graphs on Gorgonia's TapeMachine with the plain kernels of package ops, in
// float64 or float32. It is slow and simple. Other engines are tested against it.
package reference

import (
	"fmt"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"github.com/acqnp/acqnp/internal/engine"
	"github.com/acqnp/acqnp/internal/models/ops"
)

// Program keeps the graph of the last run and builds a new one when the extents change.
type Program[T engine.Float] struct {
	build    func(ops.Extents) (*ops.Graph, error)
	capacity ops.Extents
	params   []T
	grads    []T
	inputs   map[string][]T
	outputs  map[string][]T
	last     *bound[T]
}

// bound is a graph with memory for its leaves and a machine to run it.
type bound[T engine.Float] struct {
	e      ops.Extents
	graph  *ops.Graph
	inputs [][]T
	blocks [][]T
	vm     G.VM
}

var _ engine.Program[float64] = (*Program[float64])(nil)

// New returns a program for the graph that build makes at given extents, with elements of type T.
// Run calls build again when the extents change.
func New[T engine.Float](build func(ops.Extents) (*ops.Graph, error), capacity ops.Extents) (engine.Program[T], error) {
	g, err := build(capacity)
	if err != nil {
		return nil, err
	}
	p := &Program[T]{build: build, capacity: capacity, inputs: map[string][]T{}, outputs: map[string][]T{}}
	n := ops.NumParams(g.Tensors)
	p.params = make([]T, n)
	if g.Cost != nil {
		p.grads = make([]T, n)
	}
	for _, in := range g.Inputs {
		p.inputs[in.Name] = make([]T, capacity.Rows(in.Space)*in.Width)
	}
	return p, nil
}

// Params returns the flat parameter vector.
func (p *Program[T]) Params() []T { return p.params }

// Grads returns the gradient of the cost with respect to Params.
func (p *Program[T]) Grads() []T { return p.grads }

// Input returns the buffer of an input, at capacity.
func (p *Program[T]) Input(name string) []T { return p.inputs[name] }

// Output returns an output of the last run.
func (p *Program[T]) Output(name string) []T { return p.outputs[name] }

// Close ends the machine.
func (p *Program[T]) Close() error {
	if p.last == nil {
		return nil
	}
	vm := p.last.vm
	p.last = nil
	return vm.Close()
}

// Run evaluates the graph at the extents.
func (p *Program[T]) Run(e ops.Extents) error {
	if !e.Fits(p.capacity) {
		return fmt.Errorf("reference: %v exceed the capacity of %v", e, p.capacity)
	}
	if p.last == nil || p.last.e != e {
		if err := p.bind(e); err != nil {
			return err
		}
	}
	b := p.last
	if err := b.graph.Check(e); err != nil {
		return fmt.Errorf("reference: %w", err)
	}
	for i, in := range b.graph.Inputs {
		copy(b.inputs[i], p.inputs[in.Name])
	}
	for i, block := range b.graph.Blocks {
		ops.LoadBlock(b.blocks[i], p.params, block)
	}
	b.vm.Reset()
	if err := b.vm.RunAll(); err != nil {
		return fmt.Errorf("reference: %w", err)
	}
	for _, o := range b.graph.Outputs {
		p.outputs[o.Name] = append(p.outputs[o.Name][:0], ops.Flat[T](o.Node.Value())...)
	}
	for i, n := range b.graph.Grads {
		ops.StoreBlock(p.grads, ops.Flat[T](n.Value()), b.graph.Blocks[i])
	}
	return nil
}

// bind builds the graph for the extents and gives its leaves memory.
func (p *Program[T]) bind(e ops.Extents) error {
	if err := p.Close(); err != nil {
		return err
	}
	g, err := p.build(e)
	if err != nil {
		return err
	}
	b := &bound[T]{e: e, graph: g}
	let := func(n *G.Node) ([]T, error) {
		v := make([]T, n.Shape().TotalSize())
		return v, G.Let(n, tensor.New(tensor.WithShape(n.Shape()...), tensor.WithBacking(v)))
	}
	for _, in := range g.Inputs {
		v, err := let(in.Node)
		if err != nil {
			return fmt.Errorf("reference: input %s: %w", in.Name, err)
		}
		b.inputs = append(b.inputs, v)
	}
	for _, block := range g.Blocks {
		v, err := let(block.Node)
		if err != nil {
			return fmt.Errorf("reference: parameter %s: %w", block.Name, err)
		}
		b.blocks = append(b.blocks, v)
	}
	b.vm = G.NewTapeMachine(g.Expr)
	p.last = b
	return nil
}
