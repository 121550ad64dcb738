package ops

import (
	"errors"
	"fmt"
	"hash"
	"hash/fnv"

	"github.com/chewxy/hm"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Op is an operation of a graph and its declaration: the index spaces and widths of its inputs and
// its result. It implements gorgonia.SDOp, so that Gorgonia differentiates graphs of it and its
// TapeMachine runs them.
type Op struct {
	Kind    Kind
	Part    int     // index among the results of a gradient, such as InGrad
	In      []Space // spaces of the inputs
	Widths  []int   // columns of the inputs; a vector parameter is one row
	Out     Space   // space of the result
	Rows    int     // rows of the result's memory at capacity: at least one
	Width   int     // columns of the result
	ReLU    bool
	Heads   int     // heads of an Attention
	From    int     // first column of Columns and Pad
	Floor   float64 // smallest σ; for likelihoods, Residual and Perturb
	Natural bool    // a mixture's σ is 4τ(1−τ) times the decoder's scale
	Scale   float64 // of Affine
	Shift   float64 // of Affine

	capacity Extents
	ranks    []int
	rank     int
	diff     []bool
}

var _ G.SDOp = (*Op)(nil)

func typeOfRank(rank int, of hm.Type) hm.Type {
	if rank == 0 {
		return of
	}
	return G.TensorType{Dims: rank, Of: of}
}

// Arity returns the number of inputs.
func (o *Op) Arity() int { return len(o.In) }

// Type returns the type of the operation as a function. It builds a new one at every call, because
// Gorgonia returns types to a pool.
func (o *Op) Type() hm.Type {
	a := hm.TypeVariable('a')
	ts := make([]hm.Type, 0, len(o.ranks)+1)
	for _, r := range o.ranks {
		ts = append(ts, typeOfRank(r, a))
	}
	return hm.NewFnType(append(ts, typeOfRank(o.rank, a))...)
}

func (o *Op) shape() tensor.Shape {
	switch o.rank {
	case 0:
		return tensor.ScalarShape()
	case 1:
		return tensor.Shape{o.Width}
	}
	return tensor.Shape{o.Rows, o.Width}
}

// InferShape checks the ranks and columns of the inputs and returns the shape of the result, which
// was fixed when the operation was made.
func (o *Op) InferShape(ds ...G.DimSizer) (tensor.Shape, error) {
	in, err := G.DimSizersToShapes(ds)
	if err != nil {
		return nil, err
	}
	if len(in) != len(o.ranks) {
		return nil, fmt.Errorf("%v: %d inputs, want %d", o, len(in), len(o.ranks))
	}
	for i, r := range o.ranks {
		if in[i].Dims() != r || r > 0 && in[i][r-1] != o.Widths[i] {
			return nil, fmt.Errorf("%v: input %d has shape %v, want rank %d and %d columns", o, i, in[i], r, o.Widths[i])
		}
	}
	return o.shape(), nil
}

// ReturnsPtr, CallsExtern and OverwritesInput tell the TapeMachine that results are new memory.
func (o *Op) ReturnsPtr() bool     { return true }
func (o *Op) CallsExtern() bool    { return false }
func (o *Op) OverwritesInput() int { return -1 }

// WriteHash covers every parameter: Gorgonia merges nodes whose operations hash alike.
func (o *Op) WriteHash(h hash.Hash) { fmt.Fprint(h, o.String()) }

// Hashcode returns the 32-bit hash by which Gorgonia compares operations.
func (o *Op) Hashcode() uint32 {
	h := fnv.New32a()
	o.WriteHash(h)
	return h.Sum32()
}

func (o *Op) String() string {
	s := fmt.Sprintf("acqnp/%v.%d{%v%v->%v[%d,%d] relu=%t heads=%d from=%d floor=%v natural=%t %v}",
		o.Kind, o.Part, o.In, o.Widths, o.Out, o.Rows, o.Width, o.ReLU, o.Heads, o.From, o.Floor, o.Natural, o.capacity)
	if o.Kind == Affine {
		s += fmt.Sprintf(" scale=%v shift=%v", o.Scale, o.Shift)
	}
	return s
}

// Across reports whether a row of the result can depend on any row of an input. The whole input
// must then be complete before the operation starts.
func (o *Op) Across() bool {
	across := table[o.Kind].across
	return across != nil && across(o)
}

// Reduces reports whether a row of the result is a sum over several rows of an input: over the
// levels of a point, the points of a group, or all rows for a parameter. The gradient of a key
// or a value is a sum over queries.
func (o *Op) Reduces() bool {
	if reduces := table[o.Kind].reduces; reduces != nil && reduces(o) {
		return true
	}
	for _, s := range o.In {
		if s > Scalar && o.Out != s && !s.Contains(o.Out) && o.Out < s {
			return true
		}
	}
	return false
}

// MultiplyAdds counts the multiply-adds of the operation's matrix products at the extents: of the
// asked parts, for a gradient.
func (o *Op) MultiplyAdds(e Extents, asked [3]bool) float64 {
	if cost := table[o.Kind].cost; cost != nil {
		return cost(o, e, asked)
	}
	return 0
}

// DiffWRT reports for every input whether it leads to a parameter. Graphs have no gradients with
// respect to data.
func (o *Op) DiffWRT(n int) []bool {
	if o.diff == nil {
		return make([]bool, n)
	}
	return o.diff
}

// Do runs the plain kernel at the graph's capacity.
func (o *Op) Do(vs ...G.Value) (G.Value, error) {
	for i, v := range vs {
		if v == nil {
			return nil, fmt.Errorf("%v: input %d has no value", o, i)
		}
	}
	if vs[0].Dtype() == tensor.Float32 {
		return value(o, run[float32](o, vs)), nil
	}
	return value(o, run[float64](o, vs)), nil
}

func run[T Float](o *Op, vs []G.Value) []T {
	in := make([][]T, len(vs))
	for i, v := range vs {
		in[i] = rowsOf(o, o.In[i], Flat[T](v))
	}
	out := make([]T, o.Rows*o.Width)
	Evaluate(o, o.capacity, rowsOf(o, o.Out, out), in)
	return out
}

// rowsOf returns the memory of a value, without the row that stands in for those of an empty space.
func rowsOf[T Float](o *Op, s Space, v []T) []T {
	if o.capacity.Rows(s) == 0 {
		return v[:0]
	}
	return v
}

func value[T Float](o *Op, out []T) G.Value {
	if o.rank > 0 {
		return tensor.New(tensor.WithShape(o.shape()...), tensor.WithBacking(out))
	}
	if f, is32 := any(out[0]).(float32); is32 {
		return G.NewF32(f)
	}
	return G.NewF64(float64(out[0]))
}

// Flat returns the elements of a Gorgonia value, row-major.
func Flat[T Float](v G.Value) []T {
	switch d := v.Data().(type) {
	case []T:
		return d
	case T:
		return []T{d}
	}
	panic(fmt.Sprintf("ops: value of type %T, want elements of type %T", v.Data(), *new(T)))
}

// apply adds an operation to the graph of its inputs. Gorgonia merges nodes of equal 32-bit hash
// without comparing their inputs, so apply checks the node that it gets back.
func apply(o *Op, in ...*G.Node) (*G.Node, error) {
	n, err := G.ApplyOp(o, in...)
	if err != nil {
		return nil, fmt.Errorf("%v: %w", o, err)
	}
	children := Children(n)
	same := len(children) == len(in) && n.Op().(fmt.Stringer).String() == o.String()
	for i := 0; same && i < len(in); i++ {
		same = children[i] == in[i]
	}
	if !same {
		return nil, fmt.Errorf("%v: merged with another node by a hash collision", o)
	}
	return n, nil
}

// Children returns a node's inputs in order, with repetitions.
func Children(n *G.Node) []*G.Node {
	it := n.Graph().From(n.ID())
	var out []*G.Node
	for it != nil && it.Next() {
		out = append(out, it.Node().(*G.Node))
	}
	return out
}

// verify returns an error if two nodes have the same hash: the TapeMachine would give them one
// value.
func verify(g *G.ExprGraph) error {
	seen := map[uint32]*G.Node{}
	for _, n := range g.AllNodes() {
		if o, ok := seen[n.Hashcode()]; ok && o != n {
			return errors.New("ops: hash collision between two nodes of the graph")
		}
		seen[n.Hashcode()] = n
	}
	return nil
}
