// Package cpu runs graphs on the CPU's cores: compiled once at capacity, memory planned, no allocation per run. The
// row-wise stretch of a graph is taken tile by tile: forward, likelihood and backward while the tile is in cache, so
// that memory does not grow with the number of quantile levels.
package cpu

import (
	"errors"
	"fmt"

	G "gorgonia.org/gorgonia"

	"github.com/acqnp/acqnp/internal/engine"
	"github.com/acqnp/acqnp/internal/engine/plan"
	"github.com/acqnp/acqnp/internal/ops"
	"github.com/acqnp/acqnp/internal/simd"
)

// Program is a compiled graph. It is an engine.Program and a gorgonia.VM.
type Program struct {
	graph   *ops.Graph
	e       ops.Extents
	params  []float32
	grads   []float32
	inputs  map[string][]float32
	outputs map[string]output
	stages  []*compiled
	weights []*weight
	scatter []scatter
	pool    *pool
	workers []*worker
}

type output struct {
	space ops.Space
	width int
	data  []float32
}

// worker is what one core needs to itself.
type worker struct {
	scratch   []float32 // tile-local values, planned per stage
	masked    []float32 // a gradient after the ReLU's mask
	column    []float32 // the gradient of a narrow weight, transposed
	ahead     simd.Ahead
	attention attentionScratch
	levels    levelScratch
	tile      tile
}

var (
	_ engine.Program[float32] = (*Program)(nil)
	_ G.VM                    = (*Program)(nil)
)

// New compiles a float32 graph for up to threads cores; 0 means all of them.
func New(g *ops.Graph, threads int) (engine.Program[float32], error) {
	a, err := plan.Analyse(g)
	if err != nil {
		return nil, err
	}
	p := emptyProgram(g)
	if err := p.compile(a, cores(threads), &memory{}); err != nil {
		return nil, err
	}
	p.pool = newPool(cores(threads))
	return p, nil
}

func emptyProgram(g *ops.Graph) *Program {
	return &Program{graph: g, e: g.Capacity, inputs: map[string][]float32{}, outputs: map[string]output{}}
}

// Params is the flat parameter vector.
func (p *Program) Params() []float32 { return p.params }

// Grads is the gradient of the cost by Params.
func (p *Program) Grads() []float32 { return p.grads }

// Input is the capacity-sized buffer of an input.
func (p *Program) Input(name string) []float32 { return p.inputs[name] }

// Output is a result of the last run.
func (p *Program) Output(name string) []float32 {
	o, ok := p.outputs[name]
	if !ok {
		return nil
	}
	return o.data[:p.e.Rows(o.space)*o.width]
}

// Run evaluates the graph at the extents.
func (p *Program) Run(e ops.Extents) error {
	if !e.Fits(p.graph.Capacity) {
		return fmt.Errorf("cpu: %v exceed the capacity of %v", e, p.graph.Capacity)
	}
	if e.Functions < 1 || e.Points < 1 || e.Context < 1 || e.Levels < 1 && p.graph.Capacity.Levels > 0 {
		return fmt.Errorf("cpu: nothing to run at %v", e)
	}
	p.e = e
	return p.RunAll()
}

// RunAll runs at the extents of the last Run, or at capacity.
func (p *Program) RunAll() error {
	if p.pool.closed {
		return errors.New("cpu: the program is closed")
	}
	for _, w := range p.weights {
		w.pack(p.params)
	}
	for _, s := range p.stages {
		s.begin(&p.e)
		p.pool.each(s.chunks, s.runChunk)
		p.pool.each(len(s.sums), s.finish)
	}
	for _, s := range p.scatter {
		ops.StoreBlock(p.grads, s.from, s.block)
	}
	return nil
}

// Reset does nothing: a program can run again at once. It is there for gorgonia.VM.
func (p *Program) Reset() {}

// Close ends the workers.
func (p *Program) Close() error {
	p.pool.close()
	return nil
}
