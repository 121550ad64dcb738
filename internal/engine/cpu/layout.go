package cpu

import (
	"fmt"
	"maps"

	"github.com/acqnp/acqnp/internal/engine/analysis"
	"github.com/acqnp/acqnp/internal/models/ops"
)

// layout is a division of a graph into stages that is ready to run. A graph that allows it has two.
// In one, tiles hold whole groups, so that a group goes through all layers without waiting for
// others. In the other, for larger groups, tiles hold context points or points, and every attention
// waits until all keys and values are there. The extents of a run choose.
type layout struct {
	wholeGroups bool
	stages      []*compiledStage
	scatter     []scatter
	outputs     map[string]*operand
	arena       int                     // floats for values that outlive a tile
	give        []func(arena []float32) // gives each value its part of the arena
	scratch     int                     // floats of a worker for tile-local values
}

// scatter is a gradient to be copied to its block of the flat vector.
type scatter struct {
	block ops.Block
	from  *operand
}

// layouts returns the layouts that runs within a graph's capacity need: for each, whether tiles hold
// whole groups.
func layouts(g *ops.Graph) []bool {
	switch {
	case !g.WholeGroups:
		return []bool{false}
	case fits(g.Capacity):
		return []bool{true}
	}
	return []bool{false, true}
}

// choose returns the layout for a run. It depends on the extents alone, not on the capacity, so that
// a run has the same bits at any capacity.
func (p *Program) choose(e ops.Extents) *layout {
	for _, l := range p.layouts {
		if l.wholeGroups == fits(e) {
			return l
		}
	}
	return p.layouts[0]
}

// makeLayout makes everything of a layout but its memory:
//
//  1. stages with their sums over tiles
//  2. the plan of values that outlive a tile, then of tile-local ones, some of them in bfloat16
//  3. packed weights
//  4. kernels, stage by stage, and what layers fetch ahead
//  5. what is copied at the end of a run
func (c *compiler) makeLayout(wholeGroups bool) (*layout, error) {
	c.schedule = newSchedule(c.a, wholeGroups)
	c.operands, c.sums, c.cold = maps.Clone(c.leaves), map[*analysis.Value]*sum{}, map[*analysis.Unit]*cold{}
	l := &layout{wholeGroups: wholeGroups, outputs: map[string]*operand{}}
	for _, s := range c.stages {
		l.stages = append(l.stages, c.makeStage(s))
	}
	for v := range c.into {
		c.sums[v] = c.sums[c.merged(v)]
	}
	c.planHalves()
	c.planArena(l)
	l.scratch = c.planScratch()
	c.makeWeights()
	for i, s := range c.stages {
		c.linkLayers(s)
		for _, u := range s.units {
			k, err := c.makeKernel(u)
			if err != nil {
				return nil, err
			}
			l.stages[i].kernels = append(l.stages[i].kernels, k)
			l.stages[i].context = append(l.stages[i].context, domainOf(u, false) == ops.Context)
		}
	}
	for _, o := range c.p.graph.Outputs {
		l.outputs[o.Name] = c.operands[c.a.Values[o.Node]]
	}
	return l, c.planScatter(l)
}

// makeStage makes a stage without its kernels.
func (c *compiler) makeStage(s *stage) *compiledStage {
	st := &compiledStage{program: c.p, shape: shape{domain: s.domain, layers: !c.wholeGroups && c.p.graph.WholeGroups}}
	for _, u := range s.units {
		for _, v := range append(u.Outs(), u.In...) {
			st.levels = st.levels || s.domain != whole && leveled(v.Space)
			if s.domain == ops.Group && (v.Space == ops.Context || v.Space == ops.Point) {
				st.tokens = c.tokens()
			}
		}
	}
	for _, v := range s.sums {
		r := &sum{stage: st, space: v.Space, width: v.Width}
		if v.Space <= ops.Scalar {
			r.width = v.Rows * v.Width
		}
		c.sums[v] = r
		st.sums = append(st.sums, r)
	}
	st.runChunk = st.chunk
	st.finish = func(_, task int) { st.sums[task].finish() }
	return st
}

// planArena plans the memory of values that outlive a tile, and of partial sums.
func (c *compiler) planArena(l *layout) {
	last := len(c.stages)
	var buffers []*analysis.Buffer
	reserve := func(size, from, to int, set func(data []float32)) {
		b := &analysis.Buffer{Size: analysis.Align(size), From: from, To: to}
		buffers = append(buffers, b)
		l.give = append(l.give, func(arena []float32) { set(part(arena, b.Offset, size)) })
	}
	for _, u := range c.a.Units {
		for _, v := range u.Outs() {
			if c.local(v) || c.into[v] != nil {
				continue
			}
			o := &operand{space: v.Space, width: v.Width, stride: v.Width}
			if c.sums[v] == nil && v.Space > ops.Scalar {
				o.stride = stride(v)
			}
			c.operands[v] = o
			end := c.of[u].stage
			for _, user := range v.Users {
				end = max(end, c.of[user].stage)
			}
			if v.Result {
				end = last
			}
			if b, ok := c.flat[v]; ok {
				o.data = part(c.p.grads, b.Offset, b.Rows*b.Cols)
			} else {
				reserve(v.Rows*o.stride, c.of[u].stage, end, func(d []float32) { o.data = d })
			}
			if r := c.sums[v]; r != nil {
				n := maxChunks
				if v.Space > ops.Scalar {
					n += c.p.graph.Capacity.Groups
				}
				reserve(n*r.size(&c.p.graph.Capacity), c.of[u].stage, c.of[u].stage, func(d []float32) { r.partial, r.result = d, o.data })
			}
		}
	}
	l.arena = analysis.Place(buffers)
}

// planScatter plans the copies of the gradients to the flat vector at the end of a run: of those that
// were not computed there.
func (c *compiler) planScatter(l *layout) error {
	if c.p.graph.Grads == nil {
		return nil
	}
	for i, b := range c.p.graph.Blocks {
		v := c.a.Values[c.p.graph.Grads[i]]
		from := c.operands[v]
		if from == nil {
			return fmt.Errorf("cpu: no gradient for %s", b.Name)
		}
		if c.flat[v].Node != b.Node {
			l.scatter = append(l.scatter, scatter{b, from})
		}
	}
	return nil
}
