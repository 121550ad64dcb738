// Package onnx writes trained models as ONNX files, which other programs run without this one.
//
// [Write] writes two graphs: one that ends in the components of the predictive distributions, and one
// that ends in the log density of known y. Both take and return raw units, those of the data; how
// the columns are standardised is part of the graph. graph.go builds nodes, dialect.go writes
// the model's own graphs, units.go converts the units, likelihood.go makes the parts of
// the distributions and their density. All inputs and outputs are float64, except BNP's bootstraps, which
// are int64. The network computes in float32, its head in float64. acqnp help export lists the inputs and outputs.
package onnx

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"gorgonia.org/tensor"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/files"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/run/version"
)

// The values that the metadata has for the graph.
const (
	componentsGraph = "components"
	densityGraph    = "density"
)

// DensityPath returns the path of the graph of the density beside that of the components: for
// model.onnx, model-density.onnx.
func DensityPath(path string) string {
	ext := filepath.Ext(path)
	return strings.TrimSuffix(path, ext) + "-" + densityGraph + ext
}

// Check returns an *invalid.Input if path is a device or a pipe, so that no second file can stand beside
// it, or if there is a file at second, its DensityPath, that this package did not write.
func Check(path, second string) error {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() && !info.IsDir() || strings.HasPrefix(path, "/dev/") {
		return &invalid.Input{File: "--out", Found: path + ", which is a device or a pipe",
			Expected: "a file: a second graph is written beside it"}
	}
	f, err := os.Open(second)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	head := make([]byte, len(marker))
	if err == nil {
		defer f.Close()
		if n, _ := io.ReadFull(f, head); n == 0 || string(head) == marker {
			return nil
		}
	}
	return &invalid.Input{File: "--out", Found: second + ", which acqnp export did not write",
		Expected: "another name: this is that of the second graph"}
}

// marker is the start of each file: ir_version and producer_name.
const marker = "\x08\x08\x12\x05acqnp"

// Write writes the graph of the components to path and that of the density to DensityPath(path),
// each whole or not at all.
func Write(path string, t predict.Trained) error {
	for _, f := range []struct {
		path    string
		density bool
	}{{path, false}, {DensityPath(path), true}} {
		m, err := build(t, f.density)
		if err == nil {
			err = files.WriteBytes(f.path, m)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// A network is a model in a graph under construction. In the shapes, B is the number of groups,
// N_c of context points, N of targets, N_τ of levels and k of bootstraps.
type network struct {
	*graph
	dy      int
	parts   int              // of models.Model
	present presence         // of context points
	fed     map[string]value // the inputs of the model's own graph, of four axes
}

// build returns the graph of the components, or that of the density.
func build(t predict.Trained, density bool) (message, error) {
	name := componentsGraph
	if density {
		name = densityGraph
	}
	n := &network{graph: &graph{name: name, counts: map[string]int{}}, parts: t.Model.Parts()}
	_, n.dy = t.Model.Dims()
	p := n.inputs(t)
	var y value
	if density {
		y = n.input("target_y", float64s, "outcomes at the targets, in raw units", "groups", "targets", n.dy)
	}
	c, err := n.predicted(t, p)
	if err != nil {
		return nil, err
	}
	if density {
		n.output("log_density", n.logDensity(c, y, logged(t)), "log p(y) of each channel, in raw units", "groups", "targets", n.dy)
	} else {
		n.outputs(c, n.components(t))
	}
	about, err := metadata(t, name)
	return n.model(version.String(), config.Named(t.Model.Name(), t.Variant)+" on "+t.Data, about), err
}

// one is the capacity of a graph that is written: the sizes of its file are free.
var one = ops.Extents{Groups: 1, Context: 1, Points: 1, Levels: 1}

// predicted returns the components that the network computes.
func (n *network) predicted(t predict.Trained, p standardised) (components, error) {
	own, err := t.Model.Build(tensor.Float32, one, models.Prediction)
	if err != nil {
		return components{}, err
	}
	head, err := t.Model.BuildHead(tensor.Float64, one)
	if err != nil {
		return components{}, err
	}
	decoded, err := ops.Lower(own, dialect{network: n, fed: n.fed, params: t.Params})
	if err != nil {
		return components{}, err
	}
	return n.read(head, decoded, p)
}

// inputs declares the inputs that both graphs have and standardises the points.
func (n *network) inputs(t predict.Trained) standardised {
	columns := len(t.Units.Scaling.XScale)
	contextX := n.input("context_x", float64s, "x of the context points, in raw units", "groups", "context", columns)
	contextY := n.input("context_y", float64s, "y of the context points, in raw units", "groups", "context", n.dy)
	x := n.input("target_x", float64s, "x of the targets, in raw units", "groups", "targets", columns)
	if t.Model.Bootstrap() {
		n.present.count = n.size(contextX, 1)
	} else {
		contextX, contextY, n.present = n.pad(contextX, contextY)
	}
	p := n.standardise(t.Units.Scaling, contextX, contextY, x)
	n.fed = map[string]value{"context": n.unsqueeze(n.concat(-1, p.contextX, p.contextY), 2), "x": n.unsqueeze(p.x, 2)}
	switch {
	case t.Model.Quantile():
		n.levels()
	case t.Model.Bootstrap():
		resample := n.input("resample", int64s, "the context point, and the residual, that each bootstrap takes", 2, "bootstraps", "groups", "context")
		each := n.transpose(resample, 0, 2, 3, 1) // [2, B, N_c, k]
		for i, name := range []string{"resample_context", "resample_residual"} {
			n.fed[name] = n.unsqueeze(n.squeeze(n.slice(each, 0, i, i+1), 0), 3)
		}
	}
	return p
}

// levels declares the input of the quantile levels, the same at each row of x.
func (n *network) levels() {
	u := n.input("levels", float64s, "u of the quantile levels, in [0, 1]", "levels")
	u = n.op("Reshape", n.cast(u, float32s), n.ints(1, 1, -1, 1))
	n.fed["u"] = n.op("Expand", u, n.op("Shape", n.columns(n.fed["x"], 0, 1)))
}

// outputs declares the outputs of the graph of the components.
func (n *network) outputs(c components, parts dimension) {
	for _, o := range []struct {
		name  string
		v     value
		about string
	}{
		{"mu", c.mu, "location of each component: the τ-quantile, or the mean"},
		{"sigma", c.sigma, "scale of each component"},
		{"log_weight", c.logWeight, "logarithm of the weight of each component"},
	} {
		n.output(o.name, o.v, o.about, "groups", "targets", parts, n.dy)
	}
	if c.logit != "" {
		n.output("level_logit", n.squeeze(c.logit, 3), "logit of the level of each component", "groups", "targets", parts)
	}
}

// components returns the number of components of a target.
func (n *network) components(t predict.Trained) dimension {
	switch {
	case t.Model.Quantile():
		return "levels"
	case t.Model.Bootstrap():
		return "bootstraps"
	}
	return n.parts
}

// logged reports for each channel of y whether its components are those of log y.
func logged(t predict.Trained) []bool {
	logs := make([]bool, len(t.Units.Scaling.YScale))
	for c, f := range t.Units.Scaling.YForms {
		logs[c] = f.Log
	}
	return logs
}
