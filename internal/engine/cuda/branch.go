package cuda

import (
	"encoding/binary"
	"slices"

	"github.com/acqnp/acqnp/internal/engine/analysis"
	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/kernels/gpu"
)

// branch is a multilayer perceptron of [r, x, level] over all levels of all points: the adaptor ψ or
// the decoder. Fused kernels compute it. The level has one column, or two in the decoder of a
// residual adaptor. The terms of r and x in the first layer are computed beforehand, once per point.
type branch struct {
	BranchKernels
	layers []*analysis.Unit // linear layers, the first to the last
	grads  []*analysis.Unit // their gradients, in the same order; nil if the graph has none

	blocks           []ops.Block // the parameters: v, then W_l and b_l of each layer
	layout           region      // a table of the blocks
	weights, vectors region      // packed parameters
	hidden           region      // of the forward kernel, for the backward pass
}

// findBranches returns the branches that fused kernels compute, and the number of those for which there
// are none.
func findBranches(d gpu.Device, a *analysis.Analysis, g *ops.Graph, p Precision) (found []*branch, missed int) {
	for _, u := range a.Units {
		b := branchFrom(u)
		if b == nil {
			continue
		}
		b.Precision = map[Precision]string{FP32: "f32", FP16: "f16"}[p]
		if g.Grads != nil {
			b.grads = layerGradients(b.layers)
		}
		if !b.separable(g.Grads != nil) {
			continue
		}
		var ok bool
		if b.BranchKernels, ok = Kernels(d, b.Perceptron); ok {
			found = append(found, b)
		} else {
			missed++
		}
	}
	return found, missed
}

// branchFrom returns the branch whose first layer is u; nil if u is not the first layer of a
// branch.
func branchFrom(u *analysis.Unit) *branch {
	if !isLinear(u) || u.Out[0].Space != ops.Row || u.In[0].Space != ops.Point || !u.Op.ReLU {
		return nil
	}
	b := &branch{}
	v := u.In[2].Block
	if v == nil {
		return nil
	}
	b.layers, b.blocks, b.Inputs, b.Width = []*analysis.Unit{u}, []ops.Block{*v}, u.In[1].Width, u.Out[0].Width
	for u.Op.ReLU {
		if u = nextLayer(u); u == nil {
			return nil
		}
		w, bias := u.In[2].Block, u.In[0].Block
		if w == nil || bias == nil || !w.Contiguous() || !bias.Contiguous() || u.Op.ReLU && u.Out[0].Width != b.Width {
			return nil
		}
		b.layers, b.blocks = append(b.layers, u), append(b.blocks, *w, *bias)
	}
	b.Depth, b.Outputs = len(b.layers)-1, u.Out[0].Width
	return b
}

// isLinear reports whether a unit is a linear layer.
func isLinear(u *analysis.Unit) bool { return u.Op != nil && u.Op.Kind == ops.Linear }

// nextLayer returns the only layer that reads the result of u; nil if there is not exactly one.
func nextLayer(u *analysis.Unit) (next *analysis.Unit) {
	for _, user := range u.Out[0].Users {
		if !isLinear(user) || user.In[1] != u.Out[0] {
			continue
		}
		if next != nil {
			return nil
		}
		next = user
	}
	return next
}

// layerGradients returns the units of the layers' gradients, in the order of the layers; nil if one
// is missing.
func layerGradients(layers []*analysis.Unit) []*analysis.Unit {
	var grads []*analysis.Unit
	for _, u := range layers {
		g := gradientOf(u)
		if g == nil {
			return nil
		}
		grads = append(grads, g)
	}
	return grads
}

// separable reports whether all values that exist only in the fused kernels are read only there.
func (b *branch) separable(training bool) bool {
	if training && b.grads == nil {
		return false
	}
	within := map[*analysis.Unit]bool{}
	for _, u := range slices.Concat(b.layers, b.grads) {
		within[u] = true
	}
	for i, u := range b.layers {
		if i < b.Depth && !onlyWithin(u.Out[0], within) {
			return false
		}
		if training && !b.gradientsWithin(i, within) {
			return false
		}
	}
	return true
}

// gradientOf returns the only unit of a layer's gradients; nil if there is not exactly one.
func gradientOf(u *analysis.Unit) (g *analysis.Unit) {
	for _, user := range u.Out[0].Users {
		if user.Op == nil || user.Op.Kind != ops.LinearGrad || user.In[1] != u.Out[0] || user.In[2] != u.In[1] || user.In[3] != u.In[2] {
			continue
		}
		if g != nil && g != user {
			return nil
		}
		g = user
	}
	return g
}

// gradientsWithin reports whether the fused kernels compute all that the graph needs of layer i's
// gradients. The gradients of its parameters may be used only as results of the graph, and the
// gradient of its input only by the layer before.
func (b *branch) gradientsWithin(i int, within map[*analysis.Unit]bool) bool {
	g := b.grads[i]
	base, dx, dw := g.Out[ops.BaseGrad], g.Out[ops.InGrad], g.Out[ops.WeightGrad]
	if dw == nil || !dw.Grad || len(dw.Users) > 0 || base == nil {
		return false
	}
	if i == 0 {
		return base.Space == ops.Point
	}
	return base.Grad && len(base.Users) == 0 && dx != nil && onlyWithin(dx, within) && b.grads[i-1].In[0] == dx
}

// onlyWithin reports whether only these units read a value.
func onlyWithin(v *analysis.Value, within map[*analysis.Unit]bool) bool {
	for _, u := range v.Users {
		if !within[u] {
			return false
		}
	}
	return !v.Result
}

// items returns the items of the branch: forward, then backward if the graph has gradients.
func (b *branch) items() []*item {
	first, last := b.layers[0], b.layers[b.Depth]
	forward := &item{units: b.layers, in: made([]*analysis.Value{first.In[0], first.In[1]}), out: last.Outs(), forward: b}
	if b.grads == nil {
		return []*item{forward}
	}
	begin, end := b.grads[b.Depth], b.grads[0]
	backward := &item{units: b.grads, in: made([]*analysis.Value{begin.In[0], first.In[0], first.In[1]}), backward: b}
	for _, v := range []*analysis.Value{end.Out[ops.BaseGrad], end.Out[ops.InGrad]} {
		if v != nil {
			backward.out = append(backward.out, v)
		}
	}
	return []*item{forward, backward}
}

// persistent returns the shape of a launch with a block on each multiprocessor, at most n. The
// registers of the kernels allow no second one. Results have the same bits for any grid.
func (c *compiler) persistent(n, threads, shared int) gpu.Dims {
	return gpu.Line(max(1, min(n, c.device.Multiprocessors)), threads, shared)
}

// packBranches reserves memory for the branches' packed parameters and hidden values, and adds the
// launches that pack the parameters: one for all branches that have the same kernel.
func (c *compiler) packBranches() {
	var done []string
	for _, b := range c.branches {
		kernel := b.Pack()
		if slices.Contains(done, kernel) {
			continue
		}
		done = append(done, kernel)
		s, most := &step{}, 0
		var tasks []task
		for _, other := range c.branches {
			if other.Pack() == kernel {
				t := c.packBranch(other)
				tasks, most = append(tasks, t), max(most, other.Partials())
				s.reads, s.writes = append(s.reads, t.reads()...), append(s.writes, t.writes()...)
			}
		}
		s.launch = launch{kernel: kernel, dims: c.grid(2*most, BranchThreads, BranchThreads), args: []any{c.keepTable(nil, tasks...)}}
		s.dims.Grid[1] = uint32(len(tasks))
		c.steps = append(c.steps, s)
	}
}

// packBranch reserves memory for a branch's packed parameters and hidden values, and returns the task
// that packs the parameters.
func (c *compiler) packBranch(b *branch) task {
	k := b.BranchKernels
	var layout []byte
	for i, block := range b.blocks {
		layout = binary.LittleEndian.AppendUint32(layout, uint32(block.Offset))
		if i == 0 {
			layout = binary.LittleEndian.AppendUint32(layout, uint32(block.Stride))
		}
	}
	b.layout = c.keepTable(layout)
	b.weights, b.vectors = c.keep(ceilDiv(k.WeightBytes(), 4)), c.keep(k.Vectors())
	points, rows := b.layers[0].In[0].Rows, b.layers[0].Out[0].Rows
	if n := k.HiddenBytes(points, rows/points, b.grads != nil); n > 0 {
		b.hidden = c.keep(ceilDiv(n, 4))
	}
	return task{op: branchPack, k: k.Inputs, d: k.Outputs, depth: k.Depth, a: c.params, b: b.layout, out: b.weights, more: b.vectors}
}

// branchForward adds the launch of a branch's forward kernel.
func (c *compiler) branchForward(b *branch) {
	k, first, out := b.BranchKernels, b.layers[0], b.layers[b.Depth].Out[0]
	parts := k.Resident // of layers, or with pairs of rows
	if k.Pairs {
		parts = k.Chunks
	}
	c.emit(k.Forward(), c.persistent(out.Rows, k.ForwardThreads(), k.ForwardShared()), c.step, c.region(first.In[0]), c.region(first.In[1]), b.weights,
		b.vectors, written{b.hidden}, written{c.region(out)}, parts, flag(b.grads != nil), k.Inputs, k.Depth, k.Outputs)
}

// branchBackward adds the launch of a branch's gradient, which writes the sums of every chunk, and the
// task that adds them.
func (c *compiler) branchBackward(b *branch) {
	k := b.BranchKernels
	partials := c.reserve(k.Chunks * k.Partials())
	for _, pass := range k.Backward() {
		first, begin, end := b.layers[0], b.grads[b.Depth], b.grads[0]
		from := k.Stages
		if k.Pairs {
			from = pass.Layer
		}
		c.emit(pass.Kernel, c.persistent(k.Chunks, BranchThreads, k.BackwardShared()), c.step, c.region(first.In[0]), c.region(first.In[1]),
			b.weights, b.vectors, c.region(begin.In[0]), written{b.hidden}, written{c.region(end.Out[ops.BaseGrad])},
			written{c.region(end.Out[ops.InGrad])}, written{partials}, from, k.Chunks, k.Inputs, k.Depth, k.Outputs)
	}
	c.put(bySums, task{op: branchSum, k: k.Inputs, d: k.Outputs, other: k.Width, depth: k.Depth, chunks: k.Chunks,
		a: partials, b: b.layout, out: c.grads})
	c.steps[len(c.steps)-1].writes = []region{c.grads.plus(b.blocks[0].Offset)} // so that two branches can share a launch
}
