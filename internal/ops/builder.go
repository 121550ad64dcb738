package ops

import (
	"errors"
	"fmt"
	"sync"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Builder makes a Graph at a capacity. Its methods take and return nodes; the first error sticks and Finish reports it.
type Builder struct {
	g     *Graph
	dtype tensor.Dtype
	leaf  map[*G.Node]leafInfo
	size  int // of the flat parameter vector so far
	err   error
}

// gradMu guards a global that Gorgonia sets at its first Grad.
var gradMu sync.Mutex

type leafInfo struct {
	space      Space
	rank, cols int
	param      bool
}

// NewBuilder starts a graph of one precision (tensor.Float32 or tensor.Float64).
func NewBuilder(dtype tensor.Dtype, capacity Extents) *Builder {
	return &Builder{g: &Graph{Expr: G.NewGraph(), Capacity: capacity}, dtype: dtype, leaf: map[*G.Node]leafInfo{}}
}

// Input adds a matrix [rows(space), width] that the caller fills before every run.
func (b *Builder) Input(name string, space Space, width int) *G.Node {
	n := G.NewMatrix(b.g.Expr, b.dtype, G.WithShape(b.g.Capacity.Rows(space), width), G.WithName(name))
	b.leaf[n] = leafInfo{space: space, rank: 2, cols: width}
	b.g.Inputs = append(b.g.Inputs, Input{Name: name, Space: space, Width: width, Node: n})
	return n
}

// Weight adds a PyTorch weight [out, Σ cols] and returns its blocks of columns, one leaf each.
func (b *Builder) Weight(name string, out int, cols ...int) []*G.Node {
	in := 0
	for _, c := range cols {
		in += c
	}
	t := Tensor{Name: name, Shape: []int{out, in}, Offset: b.size, FanIn: in}
	b.add(t)
	nodes := make([]*G.Node, len(cols))
	at := 0
	for i, c := range cols {
		leaf := fmt.Sprintf("%s[:,%d:%d]", name, at, at+c)
		n := G.NewMatrix(b.g.Expr, b.dtype, G.WithShape(out, c), G.WithName(leaf))
		b.leaf[n] = leafInfo{space: Parameter, rank: 2, cols: c, param: true}
		b.g.Blocks = append(b.g.Blocks, Block{Name: leaf, Rows: out, Cols: c, Offset: t.Offset + at, Stride: in, Node: n})
		nodes[i] = n
		at += c
	}
	return nodes
}

// Bias adds a PyTorch bias [out] of a layer with fanIn inputs.
func (b *Builder) Bias(name string, out, fanIn int) *G.Node {
	t := Tensor{Name: name, Shape: []int{out}, Offset: b.size, FanIn: fanIn}
	b.add(t)
	n := G.NewVector(b.g.Expr, b.dtype, G.WithShape(out), G.WithName(name))
	b.leaf[n] = leafInfo{space: Parameter, rank: 1, cols: out, param: true}
	b.g.Blocks = append(b.g.Blocks, Block{Name: name, Rows: out, Offset: t.Offset, Stride: 1, Node: n})
	return n
}

func (b *Builder) add(t Tensor) {
	b.g.Tensors = append(b.g.Tensors, t)
	b.size += t.Size()
}

func (b *Builder) info(n *G.Node) (s Space, rank, cols int, live bool) {
	if l, ok := b.leaf[n]; ok {
		return l.space, l.rank, l.cols, l.param
	}
	o := n.Op().(*Op)
	for _, d := range o.diff {
		live = live || d
	}
	return o.Out, o.rank, o.Width, live
}

// op adds an operation with a result of width columns in the space out.
func (b *Builder) op(k Kind, out Space, width int, relu bool, in ...*G.Node) *G.Node {
	if b.err != nil {
		return nil
	}
	o := &Op{Kind: k, Out: out, Width: width, Rows: b.g.Capacity.Rows(out), ReLU: relu, capacity: b.g.Capacity, rank: 2}
	if out == Scalar {
		o.rank = 0
	}
	for _, n := range in {
		s, rank, cols, live := b.info(n)
		o.In = append(o.In, s)
		o.ranks = append(o.ranks, rank)
		o.Widths = append(o.Widths, cols)
		o.diff = append(o.diff, live)
		o.Sums = o.Sums || s != Parameter && out.Contains(s)
	}
	n, err := apply(o, in...)
	if err != nil {
		b.err = err
	}
	return n
}

// Linear is act(base↑ + in·Wᵀ) in the space of in. base is a bias or a matrix of an ancestor space, each of whose rows
// serves all the rows of in below it; so a first layer reads r once per function, x once per point and the level once
// per row.
func (b *Builder) Linear(base, in, w *G.Node, relu bool) *G.Node {
	if b.err != nil {
		return nil
	}
	s, _, k, _ := b.info(in)
	above, _, d, _ := b.info(base)
	ws, wrank, wk, _ := b.info(w)
	if ws != Parameter || wrank != 2 || wk != k || w.Shape()[0] != d || above != s && !above.Contains(s) {
		b.err = fmt.Errorf("ops: linear layer of %v %v with weight %v and base %v %v", s, in.Shape(), w.Shape(), above, base.Shape())
		return nil
	}
	return b.op(Linear, s, d, relu, base, in, w)
}

// SetMean averages the context points of every function: [B·N_c, d] → [B, d].
func (b *Builder) SetMean(in *G.Node) *G.Node { return b.unary(SetMean, Context, Function, in) }

// Sigmoid is 1/(1+exp(−z)), elementwise.
func (b *Builder) Sigmoid(z *G.Node) *G.Node { return b.unary(Sigmoid, Row, Row, z) }

// UniformLevel maps uniform numbers to CQNP's levels τ = 0.001 + 0.998·u; it has no gradient.
func (b *Builder) UniformLevel(u *G.Node) *G.Node { return b.unary(UniformLevel, Row, Row, u) }

// UniformLogit is log(τ/(1−τ)) of the same levels, from u so that no digits are lost near 1.
func (b *Builder) UniformLogit(u *G.Node) *G.Node { return b.unary(UniformLogit, Row, Row, u) }

// GaussianLogLik is the log-likelihood of y [B·N, dy] summed over channels, [B·N, 1], from the decoder's
// [B·N, 2·dy] = [μ…, s…] with σ = 0.1 + 0.9·softplus(s).
func (b *Builder) GaussianLogLik(out, y *G.Node) *G.Node {
	return b.likelihood(GaussianLik, out, y, out, y)
}

// MixtureLogLik is the log-likelihood of y [B·N, dy] under the mixture of asymmetric Laplace distributions over the
// levels of a point, summed over channels, [B·N, 1] (the paper's equation for the ACQNP's likelihood). components
// [B·N·N_τ, 3·dy] = [μ…, s…, a…] with σ = 0.01 + 0.99·softplus(s) and weights softmax(a); z [B·N·N_τ, 1] are the
// levels' logits.
func (b *Builder) MixtureLogLik(components, z, y *G.Node) *G.Node {
	return b.likelihood(MixtureLik, components, y, components, z, y)
}

func (b *Builder) likelihood(k Kind, out, y *G.Node, in ...*G.Node) *G.Node {
	if b.err != nil {
		return nil
	}
	space, numbers := Point, 2
	if k == MixtureLik {
		space, numbers = Row, 3
	}
	s, _, width, _ := b.info(out)
	ys, _, dy, _ := b.info(y)
	if s != space || ys != Point || width != numbers*dy {
		b.err = fmt.Errorf("ops: %v of %v %v and y %v", k, s, out.Shape(), y.Shape())
		return nil
	}
	return b.op(k, Point, 1, false, in...)
}

// Cost is −mean of ll [B·N, 1] over all points and functions.
func (b *Builder) Cost(ll *G.Node) *G.Node { return b.unary(NegMean, Point, Scalar, ll) }

func (b *Builder) unary(k Kind, from, to Space, in *G.Node) *G.Node {
	if b.err != nil {
		return nil
	}
	s, _, width, _ := b.info(in)
	if s != from {
		b.err = fmt.Errorf("ops: %v of a tensor in %v space, want %v", k, s, from)
		return nil
	}
	n := b.op(k, to, width, false, in)
	if b.err == nil && (k == UniformLevel || k == UniformLogit) {
		n.Op().(*Op).diff = []bool{false}
	}
	return n
}

// Output keeps a node's value through a run.
func (b *Builder) Output(name string, n *G.Node) {
	if b.err != nil {
		return
	}
	s, _, cols, _ := b.info(n)
	b.g.Outputs = append(b.g.Outputs, Output{Name: name, Space: s, Width: cols, Node: n})
}

// Finish closes the graph; with a cost it adds the gradient by every parameter.
func (b *Builder) Finish(cost *G.Node) (*Graph, error) {
	if b.err != nil {
		return nil, b.err
	}
	if cost != nil {
		b.g.Cost = cost
		params := make(G.Nodes, len(b.g.Blocks))
		for i, p := range b.g.Blocks {
			params[i] = p.Node
		}
		gradMu.Lock()
		grads, err := G.Grad(cost, params...)
		gradMu.Unlock()
		if err != nil {
			return nil, fmt.Errorf("ops: gradient: %w", err)
		}
		if len(grads) != len(params) {
			return nil, errors.New("ops: gradient: a parameter has none")
		}
		b.g.Grads = grads
	}
	return b.g, Verify(b.g.Expr)
}
