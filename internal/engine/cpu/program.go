// Package cpu runs graphs on the CPU's cores. New compiles a graph once, at its capacity; a run
// allocates nothing.
//
// A unit is one kernel call (analysis.Unit). Units whose rows are independent form a stage, which runs
// tile by tile: a tile of about 256 rows goes through all units of the stage, forward, likelihood
// and backward, while it is in the cache. So memory hardly grows with the number of quantile
// levels. A stage begins when all tiles of the one before are done.
//
// The tiles of a stage are divided into chunks, which the workers take one after another. A sum
// over tiles, such as a weight's gradient, has one partial sum for each chunk. The number of chunks
// depends only on the extents, and the partial sums are added in order, so any number of threads
// gives the same bits.
//
// A layout is a division of the units into stages. Most graphs have one. A model with attention can
// have a second one, whose tiles hold whole groups.
package cpu

import (
	"errors"
	"fmt"

	"github.com/acqnp/acqnp/internal/engine"
	"github.com/acqnp/acqnp/internal/engine/analysis"
	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/internal/simd"
)

// Program is a compiled graph. It is an engine.Program.
type Program struct {
	graph   *ops.Graph
	e       ops.Extents
	params  []float32
	grads   []float32
	inputs  map[string][]float32
	layouts []*layout
	layout  *layout // of the last run
	weights []*weight
	stale   bool                   // the packed weights, since Params was called
	bf16    bool                   // products of wide layers are of bfloat16 numbers
	pack    func(worker, task int) // packs a weight; made once, because each use of a method value allocates it
	pool    *pool
	workers []*worker
}

// worker is the memory of one thread.
type worker struct {
	scratch   []float32    // the tile-local values of a stage
	masked    []float32    // a masked gradient
	column    []float32    // the transposed gradient of a narrow weight
	norm      []float32    // the gradients of a layer norm's gain and shift
	rounded   [2][]float32 // a layer's gradient and its input in bfloat16, if they are not stored so
	ahead     simd.Ahead
	attention attentionScratch
	mixture   mixtureScratch
	tile      tile
}

var _ engine.Program[float32] = (*Program)(nil)

// New compiles a float32 graph for a number of threads; 0 means one per core.
func New(g *ops.Graph, threads int) (engine.Program[float32], error) {
	return compileGraph(g, threads, false)
}

// NewBF16 is New in precision bf16: layers at least 32 wide multiply bfloat16 numbers, forward and in
// both gradients, and what only such layers read is stored in bfloat16. All sums, the other operations,
// parameters and their gradients are float32.
func NewBF16(g *ops.Graph, threads int) (engine.Program[float32], error) {
	return compileGraph(g, threads, true)
}

func compileGraph(g *ops.Graph, threads int, bf16 bool) (engine.Program[float32], error) {
	a, err := analysis.Analyse(g)
	if err != nil {
		return nil, err
	}
	p := emptyProgram(g)
	p.bf16 = bf16
	if err := p.compile(a, cores(threads), &memory{}); err != nil {
		return nil, err
	}
	p.pool = newPool(cores(threads))
	return p, nil
}

func emptyProgram(g *ops.Graph) *Program {
	p := &Program{graph: g, e: g.Capacity, stale: true, inputs: map[string][]float32{}}
	p.pack = func(_, task int) { p.weights[task].pack(p.params) }
	return p
}

// Params returns the flat parameter vector.
func (p *Program) Params() []float32 {
	p.stale = true
	return p.params
}

// Grads returns the gradient of the cost with respect to Params.
func (p *Program) Grads() []float32 { return p.grads }

// Input returns the buffer of an input, at capacity.
func (p *Program) Input(name string) []float32 { return p.inputs[name] }

// Output returns an output of the last run; nil if the graph has none of that name.
func (p *Program) Output(name string) []float32 {
	o := p.layout.outputs[name]
	if o == nil {
		return nil
	}
	return o.data[:p.e.Rows(o.space)*o.width]
}

// Run runs the graph at the extents.
func (p *Program) Run(e ops.Extents) error {
	if err := p.graph.Check(e); err != nil {
		return fmt.Errorf("cpu: %w", err)
	}
	if p.pool.closed {
		return errors.New("cpu: the program is closed")
	}
	p.e = e
	if p.stale {
		p.pool.each(len(p.weights), p.pack)
		p.stale = false
	}
	p.layout = p.choose(p.e)
	for _, s := range p.layout.stages {
		s.begin(&p.e)
		p.pool.each(s.chunks, s.runChunk)
		p.pool.each(len(s.sums), s.finish)
	}
	for _, s := range p.layout.scatter {
		ops.StoreBlock(p.grads, s.from.data, s.block)
	}
	return nil
}

// Close ends the workers.
func (p *Program) Close() error {
	p.pool.close()
	return nil
}
