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

// Kind names an operation; a gradient kind may yield several results, told apart by Op.Part.
type Kind uint8

const (
	Linear          Kind = iota + 1 // act(base↑ + in·Wᵀ)
	LinearGrad                      // parts BaseGrad, InGrad, WeightGrad
	SetMean                         // mean over the context points of a function or of a bootstrap
	SetMeanGrad                     //
	Columns                         // some columns of data
	Sigmoid                         //
	SigmoidGrad                     //
	UniformLevel                    // τ = 0.001 + 0.998·u
	UniformLogit                    // logit of the same τ
	Attention                       // multi-head attention of points over context points
	AttentionGrad                   // parts QueryGrad, KeyGrad, ValueGrad
	EnsembleAdd                     // act(a per point + b per bootstrap)
	EnsembleAddGrad                 // parts PointGrad, EnsembleGrad
	Gather                          // rows named by indices
	Residual                        // (y−μ)/σ
	Perturb                         // μ + σ·(residual − mean)
	GaussianLik                     // log-likelihood, summed over channels
	GaussianLikGrad                 //
	MixtureLik                      // the same for the asymmetric-Laplace mixture over a point's levels
	MixtureLikGrad                  // parts ComponentsGrad, LogitGrad
	LogMeanExp                      // over the levels of a point
	LogMeanExpGrad                  //
	NegMean                         // −Σ of the inputs' means over all points
	NegMeanGrad                     //
)

// Parts of gradients with several results.
const (
	BaseGrad   = 0
	InGrad     = 1
	WeightGrad = 2

	QueryGrad = 0
	KeyGrad   = 1
	ValueGrad = 2

	PointGrad    = 0
	EnsembleGrad = 1

	ComponentsGrad = 0
	LogitGrad      = 1
)

func (k Kind) String() string {
	return [...]string{"", "linear", "linear_grad", "set_mean", "set_mean_grad", "columns", "sigmoid", "sigmoid_grad",
		"uniform_level", "uniform_logit", "attention", "attention_grad", "ensemble_add", "ensemble_add_grad", "gather",
		"residual", "perturb", "gaussian", "gaussian_grad", "mixture", "mixture_grad", "log_mean_exp",
		"log_mean_exp_grad", "neg_mean", "neg_mean_grad"}[k]
}

// Op is an operation of a graph and its declaration: index spaces, widths and what is summed. It implements
// gorgonia.SDOp, so that Gorgonia differentiates graphs of it and its TapeMachine runs them.
type Op struct {
	Kind   Kind
	Part   int     // which result of a kernel with several
	In     []Space // of the inputs
	Widths []int   // columns of the inputs; a vector parameter counts as one row of Widths columns
	Out    Space
	Rows   int // of the result at capacity; of a weight gradient, its rows
	Width  int // columns of the result
	ReLU   bool
	Heads  int // of an attention
	From   int // first column of Columns

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

// Arity is the number of inputs.
func (o *Op) Arity() int { return len(o.In) }

// Type is built afresh at every call, because Gorgonia returns it to a pool.
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

// InferShape checks the inputs' ranks; the shape itself was fixed when the operation was made.
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

// ReturnsPtr, CallsExtern and OverwritesInput tell the TapeMachine that results are fresh memory.
func (o *Op) ReturnsPtr() bool     { return true }
func (o *Op) CallsExtern() bool    { return false }
func (o *Op) OverwritesInput() int { return -1 }

// WriteHash covers every parameter: Gorgonia merges nodes whose operations hash alike.
func (o *Op) WriteHash(h hash.Hash) { fmt.Fprint(h, o.String()) }

// Hashcode is the 32-bit hash that Gorgonia asks for.
func (o *Op) Hashcode() uint32 {
	h := fnv.New32a()
	o.WriteHash(h)
	return h.Sum32()
}

func (o *Op) String() string {
	return fmt.Sprintf("acqnp/%v.%d{%v%v->%v[%d,%d] relu=%t heads=%d from=%d %v}", o.Kind, o.Part, o.In, o.Widths, o.Out, o.Rows,
		o.Width, o.ReLU, o.Heads, o.From, o.capacity)
}

// Across reports that the operation reads rows of one input beside those above or below its result's, so that the whole
// input has to be there first.
func (o *Op) Across() bool { return o.Kind == Gather }

// Sums reports that the result is a sum over rows of a finer input: over the levels of a point, the points of a
// function, or all rows for a parameter. A result in a space beside the inputs' own is such a sum, too.
func (o *Op) Sums() bool {
	for _, s := range o.In {
		if s > Scalar && o.Out != s && !s.Contains(o.Out) && o.Out < s {
			return true
		}
	}
	return false
}

// DiffWRT tells which inputs lead to a parameter; gradients towards data are never built.
func (o *Op) DiffWRT(n int) []bool {
	if o.diff == nil {
		return make([]bool, n)
	}
	return o.diff
}

// Do runs the reference kernel at the graph's own size.
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
		in[i] = Flat[T](v)
	}
	out := make([]T, o.Rows*o.Width)
	Evaluate(o, o.capacity, out, in)
	return out
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

// Flat is the elements of a Gorgonia value, row-major.
func Flat[T Float](v G.Value) []T {
	switch d := v.Data().(type) {
	case []T:
		return d
	case T:
		return []T{d}
	}
	panic(fmt.Sprintf("ops: value of %T where the graph promised another precision", v.Data()))
}

// apply adds an operation to the graph of its inputs. Gorgonia merges nodes on a 32-bit hash without looking at their
// inputs, so what comes back is checked.
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

// Children are a node's inputs in order, with repetitions.
func Children(n *G.Node) []*G.Node {
	it := n.Graph().From(n.ID())
	var out []*G.Node
	for it != nil && it.Next() {
		out = append(out, it.Node().(*G.Node))
	}
	return out
}

// verify finds nodes of one hash: the TapeMachine would give them one value.
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
