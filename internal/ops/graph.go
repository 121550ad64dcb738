package ops

import G "gorgonia.org/gorgonia"

// Graph is a Gorgonia graph with what an engine has to know of its leaves and results.
type Graph struct {
	Expr     *G.ExprGraph
	Capacity Extents
	Inputs   []Input
	Blocks   []Block  // the parameter leaves
	Tensors  []Tensor // the parameters as PyTorch knows them, in the flat vector's order
	Outputs  []Output
	Cost     *G.Node // scalar; nil where the graph has no loss
	Grads    G.Nodes // gradient of Cost by Blocks, same order; nil without gradient
}

// Input is a leaf that the caller fills: a matrix [rows(Space), Width].
type Input struct {
	Name  string
	Space Space
	Width int
	Node  *G.Node
}

// Output is a node whose value survives a run.
type Output struct {
	Name  string
	Space Space
	Width int
	Node  *G.Node
}

// Tensor is a parameter under its PyTorch name: [out, in] row-major for weights, [out] for biases. It takes
// Size() numbers of the flat parameter vector, from Offset on.
type Tensor struct {
	Name   string
	Shape  []int
	Offset int
	FanIn  int // of the layer: initial values are U(-1/√FanIn, 1/√FanIn)
}

// Size is the number of elements.
func (t Tensor) Size() int {
	n := 1
	for _, d := range t.Shape {
		n *= d
	}
	return n
}

// Block is a parameter leaf: some columns of a Tensor. A first layer reads r, x and the level as separate inputs, each
// with its own columns of the weight. Element (i, j) of the leaf is element Offset + i·Stride + j of the flat vector.
type Block struct {
	Name       string
	Rows, Cols int // a bias has Cols 0 and is a vector of Rows
	Offset     int
	Stride     int
	Node       *G.Node
}
