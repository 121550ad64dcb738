package ops

import (
	"fmt"
	"strings"
	"sync"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// A Builder makes a Graph at a capacity. Its methods take and return nodes. After the first error
// operations return nil, and Finish returns that error.
type Builder struct {
	g     *Graph
	dtype tensor.Dtype
	leaf  map[*G.Node]leafInfo
	size  int // length of the flat parameter vector so far
	err   error
}

// gradMu guards a global variable that Gorgonia sets at its first Grad.
var gradMu sync.Mutex

type leafInfo struct {
	space      Space
	rank, cols int
	param      bool
}

// NewBuilder returns a Builder of an empty graph. dtype is tensor.Float32 or tensor.Float64.
func NewBuilder(dtype tensor.Dtype, capacity Extents) *Builder {
	return &Builder{g: &Graph{Expr: G.NewGraph(), Capacity: capacity}, dtype: dtype, leaf: map[*G.Node]leafInfo{}}
}

// Input adds a matrix [rows(space), width] that the caller fills before every run.
func (b *Builder) Input(name string, space Space, width int) *G.Node {
	n := G.NewMatrix(b.g.Expr, b.dtype, G.WithShape(b.g.Capacity.memory(space), width), G.WithName(name))
	b.leaf[n] = leafInfo{space: space, rank: 2, cols: width}
	b.g.Inputs = append(b.g.Inputs, Input{Name: name, Space: space, Width: width, Node: n})
	return n
}

// Weight adds a PyTorch weight [out, Σ cols] and returns its blocks [out, cols[i]], one leaf each.
func (b *Builder) Weight(name string, out int, cols ...int) []*G.Node {
	in := total(cols)
	offset := b.tensor(name, Layer(in), out, in)
	nodes := make([]*G.Node, len(cols))
	at := 0
	for i, c := range cols {
		nodes[i] = b.block(Block{Name: fmt.Sprintf("%s[:,%d:%d]", name, at, at+c), Rows: out, Cols: c, Offset: offset + at, Stride: in})
		at += c
	}
	return nodes
}

// WeightRows adds a PyTorch weight [Σ rows, in] with the initial values of start. It returns the
// blocks [rows[i], in], one leaf each. The in_proj_weight of PyTorch's MultiheadAttention has
// three: the maps to queries, keys and values.
func (b *Builder) WeightRows(name string, in int, start Start, rows ...int) []*G.Node {
	offset := b.tensor(name, start, total(rows), in)
	nodes := make([]*G.Node, len(rows))
	at := 0
	for i, r := range rows {
		nodes[i] = b.block(Block{Name: fmt.Sprintf("%s[%d:%d]", name, at, at+r), Rows: r, Cols: in, Offset: offset + at*in, Stride: in})
		at += r
	}
	return nodes
}

// HeadsIn adds one PyTorch tensor [out/heads, in, 1] for each head and returns them as one weight
// [out, in], so that one product computes all heads.
func (b *Builder) HeadsIn(name func(head int) string, heads, out, in int) *G.Node {
	offset := b.size
	for h := range heads {
		b.tensor(name(h), Layer(in), out/heads, in, 1)
	}
	return b.block(Block{Name: name(0) + "…", Rows: out, Cols: in, Offset: offset, Stride: in})
}

// HeadsOut adds one PyTorch tensor [out, in/heads, 1] for each head and returns them as one weight
// [out, in], so that one product sums the results of all heads.
func (b *Builder) HeadsOut(name func(head int) string, heads, out, in int) *G.Node {
	offset := b.size
	for h := range heads {
		b.tensor(name(h), Layer(in/heads), out, in/heads, 1)
	}
	return b.block(Block{Name: name(0) + "…", Rows: out, Cols: in, Offset: offset, Stride: in / heads, Strip: in / heads})
}

// total returns the sum of the numbers.
func total(numbers []int) int {
	n := 0
	for _, more := range numbers {
		n += more
	}
	return n
}

// tensor adds a Tensor at the end of the flat vector and returns its offset.
func (b *Builder) tensor(name string, start Start, shape ...int) (offset int) {
	t := Tensor{Name: name, Shape: shape, Offset: b.size, Start: start}
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
	return b.Vectors(name, Layer(fanIn), out)[0]
}

// Vectors adds a PyTorch vector [Σ widths] with the initial values of start. It returns the parts
// [widths[i]], one leaf each.
func (b *Builder) Vectors(name string, start Start, widths ...int) []*G.Node {
	offset := b.tensor(name, start, total(widths))
	nodes := make([]*G.Node, len(widths))
	for i, w := range widths {
		part := name
		if len(widths) > 1 {
			part = fmt.Sprintf("%s[%d]", name, i)
		}
		nodes[i] = G.NewVector(b.g.Expr, b.dtype, G.WithShape(w), G.WithName(part))
		b.leaf[nodes[i]] = leafInfo{space: Parameter, rank: 1, cols: w, param: true}
		b.g.Blocks = append(b.g.Blocks, Block{Name: part, Rows: 1, Cols: w, Vector: true, Offset: offset, Stride: w, Node: nodes[i]})
		offset += w
	}
	return nodes
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

// op adds an operation whose kind and attributes are set. Its entry in the table checks the inputs.
func (b *Builder) op(o *Op, in ...*G.Node) *G.Node {
	if b.err != nil {
		return nil
	}
	for _, n := range in {
		s, rank, cols, live := b.info(n)
		o.In = append(o.In, s)
		o.ranks = append(o.ranks, rank)
		o.Widths = append(o.Widths, cols)
		o.diff = append(o.diff, live && o.differentiable())
	}
	if !table[o.Kind].shape(o, in) {
		b.err = o.misfit(in)
		return nil
	}
	o.Rows, o.capacity, o.rank = b.g.Capacity.memory(o.Out), b.g.Capacity, 2
	if o.Out == Scalar {
		o.rank = 0
	}
	n, err := apply(o, in...)
	if err != nil {
		b.err = err
	}
	return n
}

// misfit returns the error for inputs that do not fit the operation.
func (o *Op) misfit(in G.Nodes) error {
	what := make([]string, len(in))
	for i, n := range in {
		what[i] = fmt.Sprintf("%v %v", o.In[i], n.Shape())
	}
	return fmt.Errorf("ops: %v cannot take %s", o.Kind, strings.Join(what, ", "))
}

// WholeGroups lets an engine take a group through many layers at a time, which changes the order
// of sums. CANP does not call it: at sharp attention, a gradient would leave the tolerance of the test
// against PyTorch (canp-sharp in internal/test/golden, 1.01 times it).
func (b *Builder) WholeGroups() { b.g.WholeGroups = true }

// Output makes a node an output of the graph, under a name.
func (b *Builder) Output(name string, n *G.Node) {
	if b.err != nil {
		return
	}
	s, _, cols, _ := b.info(n)
	b.g.Outputs = append(b.g.Outputs, Output{Name: name, Space: s, Width: cols, Node: n})
}

// Finish returns the graph. If cost is not nil, the graph gets the gradient of the cost with
// respect to every parameter.
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
			return nil, fmt.Errorf("ops: gradient: %d gradients for %d parameters", len(grads), len(params))
		}
		b.g.Grads = grads
	}
	return b.g, verify(b.g.Expr)
}
