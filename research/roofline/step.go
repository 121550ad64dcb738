package main

import (
	"slices"

	"github.com/acqnp/acqnp/internal/engine/analysis"
	"github.com/acqnp/acqnp/internal/models/ops"
)

// A step adds up the kernels of a training step.
type step struct {
	e       ops.Extents
	kernels []work            // every kernel, with one kernel for each operation
	unfused []work            // the kernels outside the quantile branch
	fused   map[string][]work // the branch's two kernels in each precision, forward and backward
}

// add counts the kernels of a unit: one, or one for each product of a layer's gradient. A kernel
// reads its inputs once and writes its result once.
func (s *step) add(u *analysis.Unit) {
	if u.Op == nil {
		s.count(u, "add", s.bytes(append(u.Outs(), u.In...)...), 0)
		return
	}
	switch u.Op.Kind {
	case ops.Linear:
		s.count(u, "linear", s.bytes(u.Out[0], u.In[0], u.In[1], u.In[2]), s.flops(u, 0))
	case ops.LinearGrad: // inputs: the gradient, the result (read if there is a ReLU), in, W
		grad := []*analysis.Value{u.In[0]}
		if u.Op.ReLU {
			grad = append(grad, u.In[1])
		}
		if out := u.Out[ops.InGrad]; out != nil {
			s.count(u, "in_grad", s.bytes(append(grad, u.In[3], out)...), s.flops(u, ops.InGrad))
		}
		if out := u.Out[ops.WeightGrad]; out != nil {
			s.count(u, "weight_grad", s.bytes(append(grad, u.In[2], out)...), s.flops(u, ops.WeightGrad))
		}
		if out := u.Out[ops.BaseGrad]; out != nil && out.Space != ops.Parameter {
			s.count(u, "base_grad", s.bytes(append(grad, out)...), 0)
		}
	case ops.Attention, ops.AttentionGrad:
		name := map[bool]string{true: "attention", false: "attention_grad"}[u.Op.Kind == ops.Attention]
		s.count(u, name, s.bytes(append(u.Outs(), u.In...)...), (&analysis.Analysis{Units: []*analysis.Unit{u}}).FLOPs(s.e))
	case ops.MixtureLik:
		s.count(u, "mixture", s.bytes(append(u.Outs(), u.In...)...), 0)
	case ops.MixtureLikGrad:
		s.count(u, "mixture_grad", s.bytes(append(u.Outs(), u.In...)...), 0)
	case ops.LayerNorm:
		s.count(u, "layer_norm", s.bytes(append(u.Outs(), u.In...)...), 0)
	case ops.LayerNormGrad: // one kernel for the input, one for gain and shift
		s.count(u, "layer_norm_grad", s.bytes(slices.Concat(u.Outs(), u.In, u.In[:2])...), 0)
	case ops.Add:
		s.count(u, "add", s.bytes(append(u.Outs(), u.In...)...), 0)
	default:
		s.count(u, "other elementwise and sums", s.bytes(append(u.Outs(), u.In...)...), 0)
	}
}

// count adds one kernel to the list of all, and to the fused branch or to the rest. The fused
// branch has the layers over all rows.
func (s *step) count(u *analysis.Unit, name string, bytes, flops float64) {
	w := work{name, 1, flops, bytes}
	s.kernels = merge(s.kernels, w)
	if !s.branch(u) {
		s.unfused = merge(s.unfused, w)
		return
	}
	forward, backward := work{"branch_forward", 0, 0, 0}, work{"branch_backward", 0, flops, 0}
	switch {
	case name == "linear":
		forward.flops = flops
		if u.In[0].Space == ops.Point { // the first layer: reads base and level
			forward.launches, forward.bytes = 1, s.bytes(u.In[0], u.In[1])
		}
		if !u.Op.ReLU { // the last layer: its result is written, and not computed again on the way back
			forward.bytes, backward.flops = forward.bytes+s.bytes(u.Out[0]), 0
		}
	case name == "base_grad": // reads base and level again, writes the base's gradient
		backward.launches, backward.bytes = 1, 2*s.bytes(u.Out[ops.BaseGrad])+s.bytes(u.In[2])
	case name == "in_grad" && first(u): // the level's gradient
		backward.bytes = s.bytes(u.Out[ops.InGrad])
	case name == "weight_grad" && !u.Op.ReLU: // the gradient by the last layer's result
		backward.bytes = s.bytes(u.In[0])
	}
	hidden := name == "linear" && u.Op.ReLU
	if hidden { // the layers are kept, not computed again
		backward.flops = 0
	}
	for _, p := range precisions {
		forward, backward := forward, backward
		layer := p.element * float64(s.e.Rows(ops.Row)) * float64(u.Outs()[0].Width)
		switch {
		case hidden && u.In[0].Space == ops.Point: // the first layer is not written, nor is its gradient
			backward.bytes -= 2 * layer
		case hidden:
			forward.bytes, backward.bytes = forward.bytes+layer, backward.bytes+3*layer
		}
		s.fused[p.name] = merge(merge(s.fused[p.name], forward), backward)
	}
}

// first reports whether a layer's gradient is that of the branch's first layer, whose base is a
// matrix.
func first(u *analysis.Unit) bool {
	base := u.Out[ops.BaseGrad]
	return base != nil && base.Space == ops.Point
}

// branch reports whether a unit belongs to the quantile branch: ψ or the decoder over all rows of a
// model with quantile levels. Fewer than 10 levels are taken for BNP's bootstraps, which are not
// fused.
func (s *step) branch(u *analysis.Unit) bool {
	if u.Op == nil || u.Op.Kind != ops.Linear && u.Op.Kind != ops.LinearGrad || s.e.Levels < 10 {
		return false
	}
	in := u.In[1]
	if u.Op.Kind == ops.LinearGrad {
		in = u.In[2]
	}
	return in.Space == ops.Row
}

// flops returns the operations of one part of a unit.
func (s *step) flops(u *analysis.Unit, part int) float64 {
	alone := *u
	alone.Out = [3]*analysis.Value{}
	alone.Out[part] = u.Out[part]
	return (&analysis.Analysis{Units: []*analysis.Unit{&alone}}).FLOPs(s.e)
}

// bytes returns the bytes of float32 matrices, each counted once.
func (s *step) bytes(vs ...*analysis.Value) float64 {
	n := 0.0
	for _, v := range vs {
		n += 4 * float64(s.e.Rows(v.Space)) * float64(v.Width)
	}
	return n
}
