package cpu

import (
	"github.com/acqnp/acqnp/internal/engine/analysis"
	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/internal/simd"
)

// compiler turns an analysis into a program. compile fills its maps one after another; makeKernel
// only reads them.
type compiler struct {
	p *Program
	a *analysis.Analysis
	*schedule
	*memory
	widest   widths
	leaves   map[*analysis.Value]*operand  // inputs, parameters and constants
	operands map[*analysis.Value]*operand  // of the current layout: inputs and results, with the final values of sums over tiles
	sums     map[*analysis.Value]*sum      // of the current layout: the partial sums of values that are summed over tiles
	cold     map[*analysis.Unit]*cold      // of the current layout: wide layers
	flat     map[*analysis.Value]ops.Block // gradients that are computed in the flat vector, with their blocks
	weights  map[*analysis.Value]*weight
	halves   map[*analysis.Value]bool // of the current layout: values that are stored in bfloat16
}

// compile makes everything that a run needs:
//
//  1. memory of inputs, parameters and constants
//  2. layouts: stages and their kernels
//  3. the arena, which all layouts share: only one of them runs at a time
//  4. workers
func (p *Program) compile(a *analysis.Analysis, threads int, m *memory) error {
	c := &compiler{p: p, a: a, memory: m, leaves: map[*analysis.Value]*operand{},
		flat: map[*analysis.Value]ops.Block{}, weights: map[*analysis.Value]*weight{}}
	c.makeLeaves()
	c.measure()
	arena, scratch := 0, 0
	for _, wholeGroups := range layouts(p.graph) {
		l, err := c.makeLayout(wholeGroups)
		if err != nil {
			return err
		}
		p.layouts = append(p.layouts, l)
		arena, scratch = max(arena, l.arena), max(scratch, l.scratch)
	}
	data := c.floats(arena)
	for _, l := range p.layouts {
		for _, give := range l.give {
			give(data)
		}
	}
	for range threads {
		p.workers = append(p.workers, c.makeWorker(scratch))
	}
	p.layout = p.layouts[0]
	return nil
}

// makeWorker makes a worker with scratch floats for tile-local values.
func (c *compiler) makeWorker(scratch int) *worker {
	before := c.bytes
	rows, widest := c.tileRows(ops.Point, ops.Row), c.widest
	w := &worker{scratch: c.floats(scratch), masked: c.floats(rows * widest.gradient), column: c.floats(narrow * widest.gradient), norm: c.floats(2 * widest.norm),
		mixture: newMixtureScratch(c.floats(mixtureNumbers * rows))}
	for i := range w.rounded {
		w.rounded[i] = c.floats(simd.HalvesSize(rows, widest.halves))
	}
	if widest.head > 0 {
		w.attention = newAttentionScratch(c.memory, max(1, widest.keys), widest.head)
	}
	c.memory.worker = c.bytes - before
	return w
}

// widths are the greatest widths in a graph; 0 where no unit has any.
type widths struct {
	gradient int // of a gradient that a kernel masks, or writes although no unit needs it
	norm     int // of a layer norm with a gradient
	token    int // of an attention
	head     int // of a head of an attention
	keys     int // not a width: the keys of a group in an attention
	halves   int // the stride of a matrix that a worker rounds to bfloat16
}

// measure finds the greatest widths.
func (c *compiler) measure() {
	w := &c.widest
	for _, u := range c.a.Units {
		if c.inHalves(u) {
			b := weightOf(u).Block
			w.halves = max(w.halves, halfStride(b.Rows), halfStride(b.Cols))
		}
		switch {
		case u.Op == nil:
		case u.Op.Kind == ops.Attention:
			w.token = max(w.token, u.Out[0].Width)
			w.head = max(w.head, u.Out[0].Width/u.Op.Heads)
			w.keys = max(w.keys, c.p.graph.Capacity.Ratio(u.In[1].Space, ops.Group))
		case u.Op.Kind == ops.LinearGrad, u.Op.Kind == ops.EnsembleAddGrad:
			w.gradient = max(w.gradient, u.In[0].Width)
		case u.Op.Kind == ops.LayerNormGrad:
			w.gradient, w.norm = max(w.gradient, u.In[0].Width), max(w.norm, u.In[0].Width)
		}
	}
}

// makeLeaves makes the memory of inputs, parameters, their gradients and constants.
func (c *compiler) makeLeaves() {
	g := c.p.graph
	c.p.params = c.floats(ops.NumParams(g.Tensors))
	for _, in := range g.Inputs {
		data := c.floats(g.Capacity.Rows(in.Space) * in.Width)
		c.p.inputs[in.Name] = data
		c.leaves[c.a.Values[in.Node]] = &operand{space: in.Space, width: in.Width, stride: in.Width, data: data}
	}
	for _, b := range g.Blocks {
		if b.Vector {
			c.leaves[c.a.Values[b.Node]] = &operand{space: ops.Parameter, width: b.Cols, stride: b.Cols, data: part(c.p.params, b.Offset, b.Cols)}
		}
	}
	if g.Grads != nil {
		c.p.grads = c.floats(ops.NumParams(g.Tensors))
	}
	for i, n := range g.Grads {
		if v, b := c.a.Values[n], g.Blocks[i]; b.Contiguous() {
			c.flat[v] = b
		}
	}
	for n, v := range c.a.Values {
		if v.Made == nil && n.Op() != nil {
			c.leaves[v] = &operand{space: v.Space, width: v.Width, stride: v.Width, data: analysis.Constant(v)}
		}
	}
}

// planScratch plans the memory of every stage's tile-local values. It returns the number of floats
// that a worker needs.
func (c *compiler) planScratch() int {
	size := 0
	for _, s := range c.stages {
		var buffers []*analysis.Buffer
		of := map[*analysis.Value]*analysis.Buffer{}
		for _, u := range s.units {
			for _, v := range u.Outs() {
				f, adds := c.fused[v]
				if adds {
					v = f.sum
				}
				if !c.local(v) {
					continue
				}
				b := of[c.overwrites(u, v)]
				if f.inPlace {
					b = of[f.base]
				}
				if b == nil {
					p := c.of[u].pos
					b = &analysis.Buffer{Size: analysis.Align(c.localSize(s.domain, v)), From: p, To: p}
					buffers = append(buffers, b)
				}
				for _, user := range v.Users {
					b.To = max(b.To, c.of[user].pos)
				}
				of[v] = b
			}
		}
		size = max(size, analysis.Place(buffers))
		for v, b := range of {
			c.operands[v] = &operand{space: v.Space, width: v.Width, stride: stride(v), slot: b.Offset, halves: c.halves[v]}
		}
	}
	return size
}

// localSize returns the floats of a tile-local value.
func (c *compiler) localSize(d ops.Space, v *analysis.Value) int {
	if c.halves[v] {
		return simd.HalvesSize(c.tileRows(d, v.Space), stride(v))
	}
	return c.tileRows(d, v.Space) * stride(v)
}

// overwrites returns the value whose memory v reuses; nil if there is none. The gradient with
// respect to a layer's input is masked by that input. It overwrites the input if no later unit
// reads the input, which saves memory in the tile.
func (c *compiler) overwrites(u *analysis.Unit, v *analysis.Value) *analysis.Value {
	if u.Op == nil || u.Op.Kind != ops.LinearGrad || v != u.Out[ops.InGrad] || !masks(u) {
		return nil
	}
	in := u.In[2]
	if !c.local(in) || c.of[in.Made].stage != c.of[u].stage || stride(in) != stride(v) || c.halves[in] != c.halves[v] {
		return nil
	}
	for _, user := range in.Users {
		// The gradient of the layer that made the input comes later, but v is masked already.
		if user != u && user != in.Made && user != v.Users[0] && c.of[user].pos > c.of[u].pos {
			return nil
		}
	}
	return in
}

// stride returns the distance between the rows of a value that outlives its unit. If it were a power
// of two, the rows would share a few sets of the cache and evict one another. So values that only row
// kernels read and write get one more cache line per row.
func stride(v *analysis.Value) int {
	if v.Width < 64 || v.Width%16 != 0 || v.Result || !byRows(v.Made) {
		return v.Width
	}
	for _, u := range v.Users {
		if !byRows(u) {
			return v.Width
		}
	}
	return v.Width + 16
}

// layer reports whether a unit is a linear layer or the gradient of one.
func layer(u *analysis.Unit) bool {
	return u.Op != nil && (u.Op.Kind == ops.Linear || u.Op.Kind == ops.LinearGrad)
}

// tileRows returns an upper bound on the rows of a space in one tile.
func (c *compiler) tileRows(d ops.Space, s ops.Space) int {
	if d == ops.Group && !leveled(s) {
		return max(c.tokens(), min(tileRows, max(c.p.graph.Capacity.Points, c.p.graph.Capacity.Context)))
	}
	if d != whole && d.Contains(s) {
		return max(tileRows, c.p.graph.Capacity.Levels)
	}
	return tileRows
}

// reads returns the operand from which a kernel reads v.
func (c *compiler) reads(v *analysis.Value) *operand { return c.operands[v] }

// writes returns the operand to which a kernel writes v: its rows, or the chunk's partial sum of a sum
// over tiles. It returns nil for nil.
func (c *compiler) writes(v *analysis.Value) *operand {
	if v == nil {
		return nil
	}
	if f, adds := c.fused[v]; adds {
		v = f.sum
	}
	if r := c.sums[v]; r != nil {
		return &operand{space: v.Space, width: v.Width, stride: v.Width, sum: r}
	}
	return c.operands[v]
}

// base returns the operand to which the maker of the gradient v adds it, to write the sum; nil if
// there is none.
func (c *compiler) base(v *analysis.Value) *operand {
	if f, adds := c.fused[v]; adds {
		return c.reads(f.base)
	}
	return nil
}
