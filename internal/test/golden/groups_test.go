package golden_test

import (
	"errors"
	"slices"

	"gorgonia.org/tensor"

	"github.com/acqnp/acqnp/internal/engine"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/models/ops"
)

// The ranges of a point, [from, to) each: columns of the file's tensor ranges [B, N, 4].
const (
	groupRange   = 0
	siblingRange = 2
	rangeColumns = 4
)

// fillRanges writes the ranges of a batch, if there are some, to the inputs of a graph that reads whole data
// sets.
func fillRanges[T engine.Float](p engine.Program[T], b batch) {
	e := b.extents
	for _, in := range []struct {
		name   string
		rows   int
		ranges []float64 // [B·rows, 4]
		column int
	}{
		{"context_group", e.Context, b.contextRanges, groupRange}, {"context_siblings", e.Context, b.contextRanges, siblingRange},
		{"group", e.Points, b.ranges, groupRange}, {"siblings", e.Points, b.ranges, siblingRange},
	} {
		for i := range len(in.ranges) / rangeColumns {
			fill(p.Input(in.name)[2*i:], in.ranges[rangeColumns*i+in.column:][:2])
		}
	}
}

// A cachedProgram predicts the points of a batch as a user's: it reads the siblings of a group once, and
// then each group with all points that have it. Its inputs are those of an Evaluation without y; ranges are
// in fields.
type cachedProgram[T engine.Float] struct {
	model    *models.Model
	params   []T
	compile  compileGraph[T]
	capacity ops.Extents
	programs map[programKey]engine.Program[T] // one for each size: the reference is slow to change its own
	inputs   map[string][]T
	outputs  map[string][]T
	batch    batch // whose ranges a Run uses
}

type programKey struct {
	siblings bool // the graph of BuildSiblings, or that of Prediction
	e        ops.Extents
}

// compileGraph compiles the graph that build makes.
type compileGraph[T engine.Float] func(build func(tensor.Dtype, ops.Extents) (*ops.Graph, error), capacity ops.Extents) (engine.Program[T], error)

func newCached[T engine.Float](m *models.Model, c ops.Extents, compile compileGraph[T]) engine.Program[T] {
	dx, dy := m.Dims()
	inputs := map[string][]T{"context": make([]T, c.Rows(ops.Context)*(dx+dy)), "x": make([]T, c.Rows(ops.Point)*dx), "u": make([]T, c.Rows(ops.Row))}
	c.Groups, c.Points = 1, c.Context+c.Points // a group's context points are points too
	return &cachedProgram[T]{model: m, params: make([]T, m.NumParams()), compile: compile, capacity: c, programs: map[programKey]engine.Program[T]{}, inputs: inputs}
}

func (p *cachedProgram[T]) Params() []T            { return p.params }
func (p *cachedProgram[T]) Grads() []T             { return nil }
func (p *cachedProgram[T]) Input(name string) []T  { return p.inputs[name] }
func (p *cachedProgram[T]) Output(name string) []T { return p.outputs[name] }

func (p *cachedProgram[T]) Close() (err error) {
	for _, one := range p.programs {
		err = errors.Join(err, one.Close())
	}
	return err
}

// program returns a program with the parameters, for runs of these extents.
func (p *cachedProgram[T]) program(siblings bool, e ops.Extents) (one engine.Program[T], err error) {
	one = p.programs[programKey{siblings, e}]
	if one == nil {
		build := func(d tensor.Dtype, c ops.Extents) (*ops.Graph, error) { return p.model.Build(d, c, models.Prediction) }
		if siblings {
			build = p.model.BuildSiblings
		}
		if one, err = p.compile(build, p.capacity); err != nil {
			return nil, err
		}
		p.programs[programKey{siblings, e}] = one
	}
	copy(one.Params(), p.params) // those of BuildSiblings are the first
	return one, nil
}

// Run implements [engine.Program].
func (p *cachedProgram[T]) Run(e ops.Extents) error {
	p.outputs = map[string][]T{"components": make([]T, e.Rows(ops.Point)*max(e.Levels, 1)*p.model.RowWidth()), "logit": make([]T, e.Rows(ops.Row))}
	dx, dy := p.model.Dims()
	for f := range e.Groups {
		context := p.inputs["context"][f*e.Context*(dx+dy):]
		points := p.batch.ranges[f*e.Points*rangeColumns:][:e.Points*rangeColumns]
		known := int(points[siblingRange+1]) // the siblings are the same for all points
		of := ops.Extents{Groups: 1, Context: known, Points: 1, Levels: e.Levels}
		reader, err := p.program(true, of)
		if err != nil {
			return err
		}
		copy(reader.Input("context"), context[:known*(dx+dy)])
		for i := range known {
			fill(reader.Input("context_group")[2*i:], p.batch.contextRanges[(f*e.Context+i)*rangeColumns+groupRange:][:2])
		}
		if err := reader.Run(of); err != nil {
			return err
		}
		groups := map[[2]int][]int{} // points by the range of their group
		for i := range e.Points {
			of := [2]int{int(points[rangeColumns*i]), int(points[rangeColumns*i+1])}
			groups[of] = append(groups[of], f*e.Points+i)
		}
		for of, asked := range groups {
			if err := p.ask(e.Levels, known, reader, context[of[0]*(dx+dy):of[1]*(dx+dy)], asked); err != nil {
				return err
			}
		}
	}
	return nil
}

// ask predicts the asked points of a group with these context points, after known rows of siblings, which
// reader has read.
func (p *cachedProgram[T]) ask(levels, known int, reader engine.Program[T], context []T, asked []int) error {
	dx, dy := p.model.Dims()
	n := len(context) / (dx + dy)
	e := ops.Extents{Groups: 1, Context: known, Points: n + len(asked), Levels: levels}
	g, err := p.program(false, e)
	if err != nil {
		return err
	}
	clear(g.Input("y"))
	for i := range n + len(asked) {
		row := g.Input("x")[i*dx:][:dx]
		if i < n {
			copy(row, context[i*(dx+dy):])
			copy(g.Input("y")[i*dy:][:dy], context[i*(dx+dy)+dx:])
			g.Input("asked")[i] = 0
		} else {
			copy(row, p.inputs["x"][asked[i-n]*dx:])
			g.Input("asked")[i] = 1
			if levels > 0 {
				copy(g.Input("u")[i*levels:][:levels], p.inputs["u"][asked[i-n]*levels:])
			}
		}
		g.Input("group")[2*i], g.Input("group")[2*i+1] = 0, T(n)
	}
	for l := range p.model.Config().Layers {
		keys, values := models.SiblingInputs(l)
		for _, name := range []string{keys, values} {
			copy(g.Input(name), reader.Output(name))
		}
	}
	if err := g.Run(e); err != nil {
		return err
	}
	for name, width := range map[string]int{"components": max(levels, 1) * p.model.RowWidth(), "logit": levels} {
		for i, point := range asked {
			if v := g.Output(name); v != nil {
				copy(p.outputs[name][point*width:][:width], v[(n+i)*width:])
			}
		}
	}
	return nil
}

// ranged returns ranges [B, N, 4] of the context points, and those of the points.
func ranged(ranges []float64, e ops.Extents) (ofContext, ofPoints []float64) {
	return part(ranges, e.Groups, e.Points, 0, e.Context, rangeColumns), slices.Clone(ranges)
}
