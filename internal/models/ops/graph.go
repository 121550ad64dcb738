package ops

import (
	"fmt"
	"math"
	"slices"

	G "gorgonia.org/gorgonia"
)

// Graph is a Gorgonia graph with its leaves and results.
type Graph struct {
	Expr     *G.ExprGraph
	Capacity Extents
	Inputs   []Input
	Blocks   []Block  // the parameter leaves
	Tensors  []Tensor // the parameters as PyTorch knows them, in the flat vector's order
	Outputs  []Output
	Cost     *G.Node // scalar; nil if the graph has no loss
	Grads    G.Nodes // gradients of Cost with respect to Blocks, in their order; nil without a cost

	WholeGroups bool // see Builder.WholeGroups
}

// Check returns an error for extents that the graph cannot be run at: those beyond its capacity, and
// those without a group, a point or a level. A graph with bootstraps also needs a context point.
func (g *Graph) Check(e Extents) error {
	least := 0
	if slices.ContainsFunc(g.Inputs, func(in Input) bool { return in.Space == Resample }) {
		least = 1
	}
	switch {
	case !e.Fits(g.Capacity):
		return fmt.Errorf("%v exceed the capacity of %v", e, g.Capacity)
	case e.Context < least:
		return fmt.Errorf("cannot run %v, want at least %d context points", e, least)
	case e.Groups < 1 || e.Points < 1 || e.Levels < 1 && g.Capacity.Levels > 0:
		return fmt.Errorf("cannot run %v, want at least 1 group, point and level", e)
	}
	return nil
}

// Input is a leaf that the caller fills, a matrix [rows(Space), Width].
type Input struct {
	Name  string
	Space Space
	Width int
	Node  *G.Node
}

// Output is a node whose value the caller reads after a run, a matrix [rows(Space), Width].
type Output struct {
	Name  string
	Space Space
	Width int
	Node  *G.Node
}

// Tensor is a parameter under its PyTorch name: [out, in] row-major for weights, [out] for biases.
// Its elements are the Size() numbers of the flat parameter vector that begin at Offset.
type Tensor struct {
	Name   string
	Shape  []int
	Offset int
	Start  Start
}

// Start describes the initial values of a tensor: U(Centre−Bound, Centre+Bound).
type Start struct{ Centre, Bound float64 }

// Layer returns the start of a linear layer's weight and bias in PyTorch: U(−1/√fanIn, 1/√fanIn).
func Layer(fanIn int) Start { return Start{Bound: 1 / math.Sqrt(float64(fanIn))} }

// Xavier returns the start of a weight [out, in] by PyTorch's xavier_uniform_: U(−b, b) with b =
// √(6/(in+out)).
func Xavier(in, out int) Start { return Start{Bound: math.Sqrt(6 / float64(in+out))} }

// Constant returns the start of a tensor whose initial values are all v.
func Constant(v float64) Start { return Start{Centre: v} }

// Size returns the number of elements.
func (t Tensor) Size() int {
	n := 1
	for _, d := range t.Shape {
		n *= d
	}
	return n
}

// NumParams returns the length of the flat vector of some parameters.
func NumParams(tensors []Tensor) (n int) {
	for _, t := range tensors {
		n += t.Size()
	}
	return n
}

// Block is a parameter leaf: some columns of a Tensor, or several Tensors side by side. A first
// layer reads r, x and the level as separate inputs, so each of them has a Block of the weight's
// columns. Element (i, j) of the leaf is element Offset + i·Stride + j of the flat vector. In a
// block with strips of Strip columns, strip p begins p·Rows·Strip elements later, and j is the
// column within the strip.
type Block struct {
	Name       string
	Rows, Cols int
	Vector     bool // a bias: one row
	Offset     int  // in the flat vector
	Stride     int  // distance of two rows in the flat vector
	Strip      int  // columns of a strip; 0: no strips
	Node       *G.Node
}

// Contiguous reports whether the block is one run of the flat vector.
func (b Block) Contiguous() bool {
	return (b.Rows == 1 || b.Stride == b.Cols) && (b.Strip == 0 || b.Strip == b.Cols)
}

// LoadBlock copies the block from the flat vector to dst [Rows, Cols].
func LoadBlock[T Float](dst, flat []T, b Block) {
	eachRow(dst, flat, b, func(leaf, flat []T) { copy(leaf, flat) })
}

// StoreBlock copies src [Rows, Cols] to the block's place in the flat vector.
func StoreBlock[T Float](flat, src []T, b Block) {
	eachRow(src, flat, b, func(leaf, flat []T) { copy(flat, leaf) })
}

// eachRow calls f for every run of columns that is contiguous in the leaf and in the flat vector.
func eachRow[T Float](leaf, flat []T, b Block, f func(leaf, flat []T)) {
	strip := b.Strip
	if strip == 0 {
		strip = b.Cols
	}
	for j := 0; j < b.Cols; j += strip {
		for i := range b.Rows {
			at := b.Offset + j/strip*b.Rows*strip + i*b.Stride
			f(leaf[i*b.Cols+j:][:strip], flat[at:at+strip])
		}
	}
}
