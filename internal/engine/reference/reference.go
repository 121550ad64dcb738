// Package reference runs graphs on Gorgonia's TapeMachine with the plain kernels of package ops, in float64 or
// float32. It is slow and simple: the truth that other engines are tested against.
package reference

import (
	"fmt"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"github.com/acqnp/acqnp/internal/engine"
	"github.com/acqnp/acqnp/internal/ops"
)

// Program builds a graph anew for every run at that run's exact extents.
type Program[T engine.Float] struct {
	build    func(ops.Extents) (*ops.Graph, error)
	capacity ops.Extents
	params   []T
	grads    []T
	inputs   map[string][]T
	outputs  map[string][]T
}

var _ engine.Program[float64] = (*Program[float64])(nil)

// New makes a program from a function that builds the graph at given extents, in T's precision.
func New[T engine.Float](build func(ops.Extents) (*ops.Graph, error), capacity ops.Extents) (engine.Program[T], error) {
	g, err := build(capacity)
	if err != nil {
		return nil, err
	}
	p := &Program[T]{build: build, capacity: capacity, inputs: map[string][]T{}, outputs: map[string][]T{}}
	n := 0
	for _, t := range g.Tensors {
		n += t.Size()
	}
	p.params = make([]T, n)
	if g.Cost != nil {
		p.grads = make([]T, n)
	}
	for _, in := range g.Inputs {
		p.inputs[in.Name] = make([]T, capacity.Rows(in.Space)*in.Width)
	}
	return p, nil
}

func (p *Program[T]) Params() []T            { return p.params }
func (p *Program[T]) Grads() []T             { return p.grads }
func (p *Program[T]) Input(name string) []T  { return p.inputs[name] }
func (p *Program[T]) Output(name string) []T { return p.outputs[name] }
func (p *Program[T]) Close() error           { return nil }

// Run builds, binds and runs the graph.
func (p *Program[T]) Run(e ops.Extents) error {
	if !e.Fits(p.capacity) {
		return fmt.Errorf("reference: %v exceed the capacity of %v", e, p.capacity)
	}
	g, err := p.build(e)
	if err != nil {
		return err
	}
	if err := p.bind(g, e); err != nil {
		return err
	}
	vm := G.NewTapeMachine(g.Expr)
	defer vm.Close()
	if err := vm.RunAll(); err != nil {
		return fmt.Errorf("reference: %w", err)
	}
	for _, o := range g.Outputs {
		p.outputs[o.Name] = append(p.outputs[o.Name][:0], ops.Flat[T](o.Node.Value())...)
	}
	if g.Grads == nil {
		return nil
	}
	for i, b := range g.Blocks {
		scatter(p.grads, ops.Flat[T](g.Grads[i].Value()), b)
	}
	return nil
}

func (p *Program[T]) bind(g *ops.Graph, e ops.Extents) error {
	for _, in := range g.Inputs {
		v := append([]T{}, p.inputs[in.Name][:e.Rows(in.Space)*in.Width]...)
		if err := G.Let(in.Node, tensor.New(tensor.WithShape(e.Rows(in.Space), in.Width), tensor.WithBacking(v))); err != nil {
			return fmt.Errorf("reference: input %s: %w", in.Name, err)
		}
	}
	for _, b := range g.Blocks {
		v, shape := gather(p.params, b), tensor.Shape{b.Rows, b.Cols}
		if b.Cols == 0 {
			shape = tensor.Shape{b.Rows}
		}
		if err := G.Let(b.Node, tensor.New(tensor.WithShape(shape...), tensor.WithBacking(v))); err != nil {
			return fmt.Errorf("reference: parameter %s: %w", b.Name, err)
		}
	}
	return nil
}

// gather copies a block out of the flat vector, scatter puts one back.
func gather[T engine.Float](flat []T, b ops.Block) []T {
	cols := max(b.Cols, 1)
	v := make([]T, 0, b.Rows*cols)
	for i := range b.Rows {
		at := b.Offset + i*b.Stride
		v = append(v, flat[at:at+cols]...)
	}
	return v
}

func scatter[T engine.Float](flat, v []T, b ops.Block) {
	cols := max(b.Cols, 1)
	for i := range b.Rows {
		copy(flat[b.Offset+i*b.Stride:][:cols], v[i*cols:])
	}
}
