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
		part(0, o.gradOf(SetMeanGrad, 0, 0, o.Out), grad)
	case Sigmoid:
		part(0, o.gradOf(SigmoidGrad, 0, 0, o.Out, o.Out), grad, out)
	case GaussianLik:
		part(0, o.gradOf(GaussianLikGrad, 0, 0, o.Out, o.In[0], o.In[1]), grad, in[0], in[1])
	case MixtureLik:
		for i := range 2 {
			part(i, o.gradOf(MixtureLikGrad, i, i, o.Out, o.In[0], o.In[1], o.In[2]), grad, in[0], in[1], in[2])
		}
	case NegMean:
		part(0, o.gradOf(NegMeanGrad, 0, 0, o.Out), grad)
	default:
		return nil, fmt.Errorf("%v has no gradient", o)
	}
	return r, err
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
	g.Sums = g.Out.Contains(o.Out)
	return g
}

// gradOf is the gradient towards input i from inputs in these spaces: the incoming gradient, then o's own inputs or
// its result.
func (o *Op) gradOf(k Kind, part, i int, in ...Space) *Op {
	g := &Op{Kind: k, Part: part, In: in, capacity: o.capacity,
		Out: o.In[i], Width: o.Widths[i], Rows: o.capacity.Rows(o.In[i]), rank: o.ranks[i]}
	g.Widths = []int{o.Width}
	g.ranks = []int{o.rank}
	for j := range in[1:] {
		w := o.Width // the result itself
		if k != SigmoidGrad {
			w = o.Widths[j]
		}
		g.Widths = append(g.Widths, w)
		g.ranks = append(g.ranks, 2)
	}
	return g
}
