package ops

import (
	"errors"
	"fmt"
	"slices"
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
	offset := b.tensor(name, in, out, in)
	nodes := make([]*G.Node, len(cols))
	at := 0
	for i, c := range cols {
		nodes[i] = b.block(Block{Name: fmt.Sprintf("%s[:,%d:%d]", name, at, at+c), Rows: out, Cols: c, Offset: offset + at, Stride: in})
		at += c
	}
	return nodes
}

// HeadsIn adds one PyTorch tensor [out/heads, in, 1] a head and returns them as one weight [out, in]: the rows of a
// head's result lie side by side.
func (b *Builder) HeadsIn(name func(head int) string, heads, out, in int) *G.Node {
	offset := b.size
	for h := range heads {
		b.tensor(name(h), in, out/heads, in, 1)
	}
	return b.block(Block{Name: name(0) + "…", Rows: out, Cols: in, Offset: offset, Stride: in})
}

// HeadsOut adds one PyTorch tensor [out, in/heads, 1] a head and returns them as one weight [out, in], so that one
// product sums the heads' results.
func (b *Builder) HeadsOut(name func(head int) string, heads, out, in int) *G.Node {
	offset := b.size
	for h := range heads {
		b.tensor(name(h), in/heads, out, in/heads, 1)
	}
	return b.block(Block{Name: name(0) + "…", Rows: out, Cols: in, Offset: offset, Stride: in / heads, Panel: in / heads})
}

// tensor reserves a tensor's place in the flat vector.
func (b *Builder) tensor(name string, fanIn int, shape ...int) (offset int) {
	t := Tensor{Name: name, Shape: shape, Offset: b.size, FanIn: fanIn}
	b.g.Tensors = append(b.g.Tensors, t)
	b.size += t.Size()
	return t.Offset
}

func (b *Builder) block(p Block) *G.Node {
	p.Node = G.NewMatrix(b.g.Expr, b.dtype, G.WithShape(p.Rows, p.Cols), G.WithName(p.Name))
	b.leaf[p.Node] = leafInfo{space: Parameter, rank: 2, cols: p.Cols, param: true}
	b.g.Blocks = append(b.g.Blocks, p)
	return p.Node
}

// Bias adds a PyTorch bias [out] of a layer with fanIn inputs.
func (b *Builder) Bias(name string, out, fanIn int) *G.Node {
	offset := b.tensor(name, fanIn, out)
	n := G.NewVector(b.g.Expr, b.dtype, G.WithShape(out), G.WithName(name))
	b.leaf[n] = leafInfo{space: Parameter, rank: 1, cols: out, param: true}
	b.g.Blocks = append(b.g.Blocks, Block{Name: name, Rows: 1, Cols: out, Vector: true, Offset: offset, Stride: out, Node: n})
	return n
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

// op adds an operation whose kind, space, width and attributes are set.
func (b *Builder) op(o *Op, in ...*G.Node) *G.Node {
	if b.err != nil {
		return nil
	}
	o.Rows, o.capacity, o.rank = b.g.Capacity.Rows(o.Out), b.g.Capacity, 2
	if o.Out == Scalar {
		o.rank = 0
	}
	for _, n := range in {
		s, rank, cols, live := b.info(n)
		o.In = append(o.In, s)
		o.ranks = append(o.ranks, rank)
		o.Widths = append(o.Widths, cols)
		o.diff = append(o.diff, live && o.differentiable())
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
	return b.op(&Op{Kind: Linear, Out: s, Width: d, ReLU: relu}, base, in, w)
}

// Zeros is a base for linear layers without a bias.
func (b *Builder) Zeros(d int) *G.Node {
	v := tensor.New(tensor.Of(b.dtype), tensor.WithShape(d))
	n := b.g.Expr.AddNode(G.NewConstant(v, G.WithName(fmt.Sprintf("zeros %d", d))))
	b.leaf[n] = leafInfo{space: Parameter, rank: 1, cols: d}
	return n
}

// SetMean averages over the context points: of every function, [B·N_c, d] → [B, d], or of every bootstrap,
// [B·N_c·k, d] → [B·k, d].
func (b *Builder) SetMean(in *G.Node) *G.Node {
	to := Function
	if b.err == nil {
		if s, _, _, _ := b.info(in); s == Resample {
			to = Ensemble
		}
	}
	return b.unary(SetMean, to, in, Context, Resample)
}

// Columns is columns [from, to) of data; it has no gradient.
func (b *Builder) Columns(in *G.Node, from, to int) *G.Node {
	if b.err != nil {
		return nil
	}
	s, _, width, _ := b.info(in)
	if from < 0 || to <= from || to > width {
		b.err = fmt.Errorf("ops: columns %d to %d of %v", from, to, in.Shape())
		return nil
	}
	return b.op(&Op{Kind: Columns, Out: s, Width: to - from, From: from}, in)
}

// Sigmoid is 1/(1+exp(−z)), elementwise.
func (b *Builder) Sigmoid(z *G.Node) *G.Node { return b.unary(Sigmoid, Row, z, Row) }

// UniformLevel maps uniform numbers to CQNP's levels τ = 0.001 + 0.998·u; it has no gradient.
func (b *Builder) UniformLevel(u *G.Node) *G.Node { return b.unary(UniformLevel, Row, u, Row) }

// UniformLogit is log(τ/(1−τ)) of the same levels, from u so that no digits are lost near 1.
func (b *Builder) UniformLogit(u *G.Node) *G.Node { return b.unary(UniformLogit, Row, u, Row) }

// GaussianLogLik is the log-likelihood of y [B·N, dy] summed over channels, one number a row, from the decoder's
// [rows, 2·dy] = [μ…, s…] with σ = 0.1 + 0.9·softplus(s); the rows are points or levels of points.
func (b *Builder) GaussianLogLik(decoded, y *G.Node) *G.Node {
	s, ok := b.decoded(decoded, y, 2, Point, Row)
	if !ok {
		return nil
	}
	return b.op(&Op{Kind: GaussianLik, Out: s, Width: 1}, decoded, y)
}

// MixtureLogLik is the log-likelihood of y [B·N, dy] under the mixture of asymmetric Laplace distributions over the
// levels of a point, summed over channels, [B·N, 1] (the paper's equation for the ACQNP's likelihood). components
// [B·N·N_τ, 3·dy] = [μ…, s…, a…] with σ = 0.01 + 0.99·softplus(s) and weights softmax(a); z [B·N·N_τ, 1] are the
// levels' logits.
func (b *Builder) MixtureLogLik(components, z, y *G.Node) *G.Node {
	if _, ok := b.decoded(components, y, 3, Row); !ok {
		return nil
	}
	return b.op(&Op{Kind: MixtureLik, Out: Point, Width: 1}, components, z, y)
}

// decoded checks a decoder's output of so many numbers a channel beside y, and returns its space.
func (b *Builder) decoded(out, y *G.Node, numbers int, spaces ...Space) (Space, bool) {
	if b.err != nil {
		return 0, false
	}
	s, _, width, _ := b.info(out)
	ys, _, dy, _ := b.info(y)
	if !slices.Contains(spaces, s) || ys != s && !ys.Contains(s) || ys <= Function || width != numbers*dy {
		b.err = fmt.Errorf("ops: likelihood of %v %v and y %v", s, out.Shape(), y.Shape())
		return 0, false
	}
	return s, true
}

// LogMeanExp is log of the mean over a point's levels of exp(ll): [B·N·k, 1] → [B·N, 1].
func (b *Builder) LogMeanExp(ll *G.Node) *G.Node { return b.unary(LogMeanExp, Point, ll, Row) }

// Cost is −Σ of the means of lls [B·N, 1] over all points and functions.
func (b *Builder) Cost(lls ...*G.Node) *G.Node {
	if b.err != nil {
		return nil
	}
	for _, ll := range lls {
		if s, _, width, _ := b.info(ll); s != Point || width != 1 {
			b.err = fmt.Errorf("ops: cost of %v in %v space", ll.Shape(), s)
			return nil
		}
	}
	return b.op(&Op{Kind: NegMean, Out: Scalar, Width: 1}, lls...)
}

func (b *Builder) unary(k Kind, to Space, in *G.Node, from ...Space) *G.Node {
	if b.err != nil {
		return nil
	}
	s, _, width, _ := b.info(in)
	if !slices.Contains(from, s) {
		b.err = fmt.Errorf("ops: %v of a tensor in %v space, want one of %v", k, s, from)
		return nil
	}
	return b.op(&Op{Kind: k, Out: to, Width: width}, in)
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
	return b.g, verify(b.g.Expr)
}
