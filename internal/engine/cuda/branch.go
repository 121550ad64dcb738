package cuda

import (
	"encoding/binary"
	"slices"

	"github.com/acqnp/acqnp/internal/engine/analysis"
	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/kernels/gpu"
)

// branch is a multilayer perceptron that fused kernels compute. The quantile branch is one of [r, x,
// level] over all levels of all points: the adaptor ψ or the decoder. The level has one column, or two in
// the decoder of a residual adaptor. The terms of r and x in the first layer, the base, are computed
// beforehand, once per point. Others (MLP) have a few columns of x or y in place of the level: the decoder
// of [r, x] over all points, whose base is the term of r, and encoders of the context, whose base is the
// bias of the first layer.
type branch struct {
	BranchKernels
	layers []*analysis.Unit  // linear layers, the first to the last
	grads  []*analysis.Unit  // their gradients, in the same order; nil if the graph has none
	mean   []*analysis.Value // the gradients, one or two, whose sum is that of the mean of the results, if there is a mean

	blocks           []ops.Block // the parameters: v, then W_l and b_l of each layer
	bias             *ops.Block  // of the first layer, if it is the base
	layout           region      // a table of the blocks
	weights, vectors region      // packed parameters
	hidden           region      // of the forward kernel, for the backward pass
}

// findBranches finds the branches that fused kernels compute, and counts the quantile branches for which
// there are none. An MLP is always float32, because it is small. Where there are no kernels for the quantile
// branches, all is float32.
func (c *compiler) findBranches(a *analysis.Analysis) error {
	training, asked := c.source.Grads != nil, c.asked
	c.asked = FP32
	for _, u := range a.Units {
		b := branchFrom(u)
		if b == nil {
			continue
		}
		b.Precision = "f32"
		if asked == FP16 && !b.MLP {
			b.Precision = "f16"
		}
		if training {
			b.grads = layerGradients(b.layers)
		}
		if !b.separable(training) {
			continue
		}
		k, ok, err := c.kernels(b.Perceptron)
		switch {
		case err != nil:
			return err
		case ok:
			b.BranchKernels = k
			c.branches = append(c.branches, b)
			if !b.MLP {
				c.asked = asked
			}
		case !b.MLP:
			c.missed++
		}
	}
	return nil
}

// kernels returns the kernels for a perceptron: those for sm_90a only if they pass the check.
func (c *compiler) kernels(p Perceptron) (BranchKernels, bool, error) {
	k, ok := Kernels(c.device, p)
	if !k.Pairs || c.check == nil {
		return k, ok, nil
	}
	agree, err := c.check.agree(p)
	if err != nil {
		return k, false, err
	}
	if !agree {
		c.doubted, c.device.Hopper = true, false
		k, ok = Kernels(c.device, p)
	}
	return k, ok, nil
}

// branchFrom returns the branch whose first layer is u; nil if u is not the first layer of a
// branch.
func branchFrom(u *analysis.Unit) *branch {
	if !isLinear(u) || !u.Op.ReLU || u.In[2].Block == nil {
		return nil
	}
	base, in, out := u.In[0], u.In[1], u.Out[0]
	b := &branch{layers: []*analysis.Unit{u}, blocks: []ops.Block{*u.In[2].Block}, bias: base.Block}
	b.Inputs, b.Width = in.Width, out.Width
	b.MLP, b.Biased = out.Space != ops.Row || base.Space != ops.Point, b.bias != nil
	if base.Made == nil && !b.Biased || b.Biased && !b.bias.Contiguous() || inStrips(b.blocks[0]) {
		return nil
	}
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
	if b.MLP && b.Outputs == b.Width {
		b.Depth, b.Outputs = len(b.layers), 0
		if slices.ContainsFunc(u.Out[0].Users, isLinear) {
			return nil // kernel chain computes it and the next layer in one launch
		}
	}
	return b
}

// last returns the last layer.
func (b *branch) last() *analysis.Unit { return b.layers[len(b.layers)-1] }

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
		if u != b.last() && !onlyWithin(u.Out[0], within) {
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
	if i == 0 && (!b.MLP || dx == nil && !b.Biased) {
		return base.Space == b.layers[0].In[0].Space
	}
	if i == 0 {
		return dx == nil && base.Grad && len(base.Users) == 0
	}
	return base.Grad && len(base.Users) == 0 && dx != nil && onlyWithin(dx, within) && b.grads[i-1].In[0] == dx
}

// onlyWithin reports whether only these units read a value.
func onlyWithin(v *analysis.Value, within map[*analysis.Unit]bool) bool {
	return !v.Result && !slices.ContainsFunc(v.Users, func(u *analysis.Unit) bool { return !within[u] })
}

// items returns the items of the branch: forward, then backward if the graph has gradients.
func (b *branch) items() []*item {
	first := b.layers[0]
	forward := &item{units: b.layers, in: made([]*analysis.Value{first.In[0], first.In[1]}), out: b.last().Outs(), forward: b}
	if b.grads == nil {
		return []*item{forward}
	}
	backward := &item{units: b.grads, backward: b}
	if b.Outputs == 0 {
		var units []*analysis.Unit
		b.mean, units = meanGradient(b.grad())
		backward.units = slices.Concat(b.grads, units)
	}
	in := []*analysis.Value{first.In[0], first.In[1]}
	if b.mean == nil {
		in = append(in, b.grad())
	}
	backward.in = made(append(in, b.mean...))
	for _, v := range b.inputGradients() {
		if v != nil {
			backward.out = append(backward.out, v)
		}
	}
	return []*item{forward, backward}
}

// inputGradients returns the gradients of the base and of the level, which may be nil.
func (b *branch) inputGradients() [2]*analysis.Value {
	end := b.grads[0]
	if b.Biased {
		return [2]*analysis.Value{nil, end.Out[ops.InGrad]}
	}
	return [2]*analysis.Value{end.Out[ops.BaseGrad], end.Out[ops.InGrad]}
}

// grad returns the gradient of the result.
func (b *branch) grad() *analysis.Value { return b.grads[len(b.grads)-1].In[0] }

// meanGradient returns the gradients whose sum is that of the mean over the rows of each group, if a
// gradient is computed from it, and the units that do so. The result is nil if others read the gradient.
func meanGradient(grad *analysis.Value) (of []*analysis.Value, units []*analysis.Unit) {
	alone := func(v *analysis.Value) bool { return v.Made != nil && !v.Result && len(v.Users) == 1 }
	u := grad.Made
	if !alone(grad) || u.Op == nil || u.Op.Kind != ops.SetMeanGrad || grad.Space != ops.Context {
		return nil, nil
	}
	if sum := u.In[0]; alone(sum) && sum.Made.Op == nil {
		return sum.Made.In, []*analysis.Unit{u, sum.Made}
	}
	return u.In[:1], []*analysis.Unit{u}
}

// persistent returns the shape of a launch with a block on each multiprocessor, at most n. The
// registers of the kernels allow no second one. Results have the same bits for any grid.
func (c *compiler) persistent(n, threads, shared int) gpu.Dims {
	return gpu.Line(max(1, min(n, c.device.Multiprocessors)), threads, shared)
}

// packBranches reserves memory for the branches' packed parameters and hidden values, and adds the
// launches that pack the parameters: one for all branches that have the same kernel. They come one after
// another, the encoders' last, which the step begins with: in one chain each launch can start early.
func (c *compiler) packBranches() {
	var done []string
	slices.SortStableFunc(c.branches, func(a, b *branch) int { return flag(a.MLP) - flag(b.MLP) })
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
		if len(c.steps) > 0 {
			s.reads = append(s.reads, c.steps[len(c.steps)-1].writes...)
		}
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
	if k.Outputs == 0 {
		layout = append(layout, make([]byte, 8)...)
	}
	base := 0
	if b.Biased {
		base = b.bias.Offset
	}
	layout = binary.LittleEndian.AppendUint32(layout, uint32(base))
	b.layout = c.keepTable(binary.LittleEndian.AppendUint32(layout, uint32(k.Width)))
	b.weights, b.vectors = c.keep(ceilDiv(k.WeightBytes(), 4)), c.keep(k.Vectors())
	points, rows := b.layers[0].In[0].Rows, b.layers[0].Out[0].Rows
	if n := k.HiddenBytes(points, rows/points, b.grads != nil); n > 0 {
		b.hidden = c.keep(ceilDiv(n, 4))
	}
	return task{op: branchPack, other: int(b.above()), k: k.Inputs, d: k.Outputs, depth: k.Depth, a: c.params, b: b.layout, out: b.weights, more: b.vectors}
}

// space and above return the spaces of the rows and of the base.
func (b *branch) space() ops.Space { return b.layers[0].Out[0].Space }
func (b *branch) above() ops.Space { return b.layers[0].In[0].Space }

// base returns the memory of the base, null for a bias.
func (c *compiler) base(b *branch) region {
	if b.Biased {
		return region{}
	}
	return c.region(b.layers[0].In[0])
}

// branchForward adds the launch of a branch's forward kernel.
func (c *compiler) branchForward(b *branch) {
	k, first, out := b.BranchKernels, b.layers[0], b.last().Out[0]
	parts := k.Resident // of layers, or with pairs of rows
	if k.Pairs {
		parts = k.Chunks
	}
	args := []any{c.step, c.base(b), c.region(first.In[1]), b.weights, b.vectors, written{b.hidden}, written{c.region(out)},
		parts, flag(b.grads != nil), k.Inputs, k.Depth, k.Outputs}
	if k.MLP {
		args = append(args, int(b.space()), int(b.above()))
	}
	c.emit(k.Forward(), c.persistent(out.Rows, k.ForwardThreads(), k.ForwardShared()), args...)
}

// branchBackward adds the launch of a branch's gradient, which writes the sums of every chunk, and the
// task that adds them.
func (c *compiler) branchBackward(b *branch) {
	k, grads, to := b.BranchKernels, b.mean, b.inputGradients()
	if b.mean == nil {
		grads = []*analysis.Value{b.grad()}
	}
	grads = append(grads, nil)
	partials := c.reserve(k.Chunks * k.Partials())
	for _, pass := range k.Backward() {
		from := k.Stages
		if k.Pairs {
			from = pass.Layer
		}
		args := []any{c.step, c.base(b), c.region(b.layers[0].In[1]), b.weights, b.vectors, c.region(grads[0]), written{b.hidden},
			written{c.region(to[0])}, written{c.region(to[1])}, written{partials}, from, k.Chunks, k.Inputs, k.Depth, k.Outputs}
		if k.MLP {
			args = append(args, int(b.space()), int(b.above()), flag(b.mean != nil), c.region(grads[1]))
		}
		c.emit(pass.Kernel, c.persistent(k.Chunks, BranchThreads, k.BackwardShared()), args...)
	}
	c.steps[len(c.steps)-1].gradient = k.MLP
	c.put(bySums, task{op: branchSum, s: int(b.space()), other: int(b.above()), k: k.Inputs, d: k.Outputs, depth: k.Depth, chunks: k.Chunks,
		a: partials, b: b.layout, out: c.grads})
	c.steps[len(c.steps)-1].writes = []region{c.grads.plus(b.blocks[0].Offset)} // so that two branches can share a launch
}
