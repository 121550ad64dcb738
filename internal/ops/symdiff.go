package ops

import (
	"fmt"

	G "gorgonia.org/gorgonia"
)

// SymDiff builds the gradient nodes. Entries of inputs that DiffWRT refuses are nil.
func (o *Op) SymDiff(in G.Nodes, out, grad *G.Node) (G.Nodes, error) {
	r := make(G.Nodes, len(in))
	var err error
	part := func(i int, g *Op, args ...*G.Node) {
		if err == nil && o.diff[i] {
			r[i], err = apply(g, args...)
		}
	}
	switch o.Kind {
	case Linear:
		// base and W enter with their widths, out for the ReLU's mask.
		for i := range 3 {
			part(i, o.linearGrad(i), grad, out, in[1], in[2])
		}
	case SetMean:
		part(0, o.gradOf(SetMeanGrad, 0, 0), grad)
	case Sigmoid:
		part(0, o.gradOf(SigmoidGrad, 0, 0, result), grad, out)
	case Attention:
		for i := range 3 {
			part(i, o.gradOf(AttentionGrad, i, i, result, 0, 1, 2), grad, out, in[0], in[1], in[2])
		}
	case EnsembleAdd:
		for i := range 2 {
			part(i, o.gradOf(EnsembleAddGrad, i, i, result), grad, out)
		}
	case GaussianLik:
		part(0, o.gradOf(GaussianLikGrad, 0, 0, 0, 1), grad, in[0], in[1])
	case MixtureLik:
		for i := range 2 {
			part(i, o.gradOf(MixtureLikGrad, i, i, 0, 1, 2), grad, in[0], in[1], in[2])
		}
	case LogMeanExp:
		part(0, o.gradOf(LogMeanExpGrad, 0, 0, 0, result), grad, in[0], out)
	case NegMean:
		for i := range in {
			part(i, o.gradOf(NegMeanGrad, 0, i), grad)
		}
	default:
		return nil, fmt.Errorf("%v has no gradient", o)
	}
	return r, err
}

// differentiable reports whether gradients pass through the operation at all; the bootstrap's operations stop them, as
// the method does, and the others are only ever given data.
func (o *Op) differentiable() bool {
	switch o.Kind {
	case Columns, UniformLevel, UniformLogit, Gather, Residual, Perturb:
		return false
	}
	return true
}

func (o *Op) linearGrad(part int) *Op {
	g := &Op{Kind: LinearGrad, Part: part, ReLU: o.ReLU, capacity: o.capacity,
		In:     []Space{o.Out, o.Out, o.In[1], Parameter},
		Widths: []int{o.Width, o.Width, o.Widths[1], o.Widths[2]},
		ranks:  []int{2, 2, 2, 2}, rank: o.ranks[part],
		Out: o.In[part], Width: o.Widths[part]}
	switch part {
	case WeightGrad:
		g.Rows = o.Width
	default:
		g.Rows = o.capacity.Rows(g.Out)
	}
	return g
}

// result stands for an operation's own result among the inputs of its gradient.
const result = -1

// gradOf is the gradient towards input i. Its inputs are the incoming gradient, then o's inputs of these numbers, or
// o's result.
func (o *Op) gradOf(k Kind, part, i int, uses ...int) *Op {
	g := &Op{Kind: k, Part: part, ReLU: o.ReLU, Heads: o.Heads, capacity: o.capacity,
		Out: o.In[i], Width: o.Widths[i], Rows: o.capacity.Rows(o.In[i]), rank: o.ranks[i]}
	for _, use := range append([]int{result}, uses...) {
		if use == result {
			g.In, g.Widths, g.ranks = append(g.In, o.Out), append(g.Widths, o.Width), append(g.ranks, o.rank)
			continue
		}
		g.In, g.Widths, g.ranks = append(g.In, o.In[use]), append(g.Widths, o.Widths[use]), append(g.ranks, o.ranks[use])
	}
	return g
}
