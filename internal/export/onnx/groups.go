package onnx

import (
	"gorgonia.org/tensor"

	"github.com/acqnp/acqnp/internal/files"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/run/version"
)

// siblingsGraph is the metadata's value for the graph that reads the siblings.
const siblingsGraph = "siblings"

// SiblingsPath returns the path of the graph that reads the siblings beside that of the components.
func SiblingsPath(path string) string { return beside(path, siblingsGraph) }

// WriteGroups writes the two graphs of a model with aggregation by groups, each whole or not at all. That at
// SiblingsPath(path) reads the rows of a data set's groups once, and returns the keys and values of each
// layer; that at path predicts points of one more group from them. x and y are as the network sees them:
// less their mean, over their deviation, of the siblings. All numbers are float32, but those of the
// distributions.
//
//	siblings        [B, M, dx+dy]  x and y of M rows, those of a group side by side
//	sibling_groups  [B, M, 2]      of each row, the first row of its group and that after the last
//	keys.l, values.l [B, M, d]     of layer l: outputs, and inputs of the other graph
//	x               [B, N, dx]     of the known points of a group and of those asked for, in any order
//	y, asked        [B, N, 1]      y and 0 at known points, 0 and 1 at others
//	group           [B, N, 2]      the range of the known points among the N, the same in each row
//
// Levels and outputs are those of the other models.
func WriteGroups(path string, t predict.Trained) error {
	siblings, err := buildSiblings(t)
	if err != nil {
		return err
	}
	predicted, err := buildGroup(t)
	if err != nil {
		return err
	}
	if err := files.WriteBytes(path, predicted); err != nil {
		return err
	}
	return files.WriteBytes(SiblingsPath(path), siblings)
}

// one is the capacity of a graph that is written: the sizes of its file are free.
var one = ops.Extents{Functions: 1, Context: 1, Points: 1, Levels: 1}

// feed declares a float32 input of the model's own graph, [B, ·, columns], under its name there.
func (n *network) feed(own, name, about, rows string, columns int) {
	n.fed[own] = n.unsqueeze(n.input(name, float32s, about, "functions", rows, columns), 2)
}

// buildSiblings returns the graph that reads the siblings.
func buildSiblings(t predict.Trained) (message, error) {
	g := newGraph(siblingsGraph)
	n := newNetwork(g, t.Model)
	n.fed = map[string]value{}
	n.feed("context", "siblings", "x and y of the rows, standardised", "siblings", n.dx+n.dy)
	n.feed("context_group", "sibling_groups", "first row of the row's group, and that after the last", "siblings", 2)
	own, err := t.Model.BuildSiblings(tensor.Float32, one)
	if err != nil {
		return nil, err
	}
	out, err := ops.Lower(own, dialect{network: n, fed: n.fed, params: t.Params})
	if err != nil {
		return nil, err
	}
	for l := range t.Model.Config().Layers {
		keys, values := models.SiblingInputs(l)
		for _, name := range []string{keys, values} {
			n.outputOf(float32s, name, n.squeeze(out[name], 2), "what the layer remembers", "functions", "siblings", t.Model.Config().Representation)
		}
	}
	about, err := metadata(t, siblingsGraph)
	return g.model(version.String(), t.Title(), about), err
}

// buildGroup returns the graph that predicts points of one more group.
func buildGroup(t predict.Trained) (message, error) {
	g := newGraph(componentsGraph)
	n := newNetwork(g, t.Model)
	n.fed = map[string]value{}
	n.feed("x", "x", "of known points and of those asked for, standardised", "points", n.dx)
	n.feed("y", "y", "standardised; 0 where it is asked for", "points", n.dy)
	n.feed("asked", "asked", "0 at known points, 1 where y is asked for", "points", 1)
	n.feed("group", "group", "the first known point, and that after the last", "points", 2)
	for l := range t.Model.Config().Layers {
		keys, values := models.SiblingInputs(l)
		for _, name := range []string{keys, values} {
			n.feed(name, name, "what the layer remembers of the siblings", "siblings", t.Model.Config().Representation)
		}
	}
	if t.Model.Quantile() {
		n.levels()
	}
	c, err := n.predicted(t, standardised{offset: n.double(0), factor: n.double(1)})
	if err != nil {
		return nil, err
	}
	n.outputs(c, n.components(t))
	about, err := metadata(t, componentsGraph)
	return g.model(version.String(), t.Title(), about), err
}
