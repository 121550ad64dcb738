// Package draft writes a configuration for a user's own CSV files: acqnp init.
//
// [Run] scans the files and settles what follows from them: the split, categories, logarithms, missing
// cells, and the model. It trains nothing and compares nothing, which acqnp fit does. [Result.YAML] returns the configuration with comments.
package draft

import (
	"maps"
	"math"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/config/catalogue"
	"github.com/acqnp/acqnp/internal/datasets/own"
	"github.com/acqnp/acqnp/internal/invalid"
)

// Options say which files to look at.
type Options struct {
	File     string // a CSV file or a directory of them
	Group    string // the column that names the group; "" if each file is one
	X, Y     []string
	Log      []string // columns of which the model sees the logarithm, besides the skewed ones
	DataDir  string
	Model    string // "" for acqnp if the data are few, else cnp with a mixture of Gaussians
	HoldBack bool   // holds groups, or points, back to calibrate intervals with
}

// A Result is a configuration and what it follows from.
type Result struct {
	Found      Found             `json:"found"`
	Experiment config.Experiment `json:"-"`
}

// Run looks at the files and returns a configuration. For files that cannot be used it returns an
// *invalid.Input with the remedy.
func Run(o Options) (r Result, err error) {
	var data config.Data
	if r.Found, data, err = look(o); err != nil {
		return r, err
	}
	if o.Model == "" && r.Found.few() {
		o.Model = catalogue.ACQNP // with few data, the tails of a Gaussian mixture are too short: some targets cost many nats
	}
	data.ValidFraction = r.Found.validFraction()
	if r.Experiment, err = r.Found.experiment(o.Model, data); err != nil {
		return r, err
	}
	_, err = own.Open(r.Experiment, o.DataDir) // refuses what training would
	return r, err
}

// Command returns the command that trains the configuration in a file.
func Command(file string) string {
	return "acqnp train --config " + invalid.ShellWord(file)
}

// Training ends once validation has not improved for patience times; steps bound it where it always does.
const (
	steps         = 50_000
	validateEvery = 20
	patience      = 30
)

// validFraction returns the share of the data for validation: a fifth, or less if there are many
// groups or points.
func (f Found) validFraction() float64 {
	n, most := f.Groups, 100
	if f.SplitBy == "point" {
		n, most = f.used(), 2000
	}
	return math.Ceil(min(0.2, float64(most)/float64(n))*1000) / 1000
}

// few reports whether the data are few.
func (f Found) few() bool {
	if f.SplitBy == "point" {
		return f.used() < 600
	}
	return f.Groups < 30
}

// manyGroups is the number of groups from which the context is aggregated by attention.
const manyGroups = 40

// section is a part of a configuration.
type section = map[string]any

// experiment returns the configuration.
func (f Found) experiment(model string, d config.Data) (config.Experiment, error) {
	data := section{"seed": 43, "file": d.File, "x": d.XColumns, "y": d.YColumns, "split": d.SplitBy,
		"train_fraction": d.TrainFraction, "valid_fraction": d.ValidFraction, "scale": d.Scale, "missing": d.Missing,
		"group": d.Group, "categories": d.Categories, "log": d.Log, "calibration": d.Calibration}
	maps.DeleteFunc(data, func(_ string, v any) bool { return reflect.ValueOf(v).IsZero() })
	if f.few() && d.SplitBy == "point" {
		data["points"] = []int{fewPoints, fewPoints}
	}
	m := f.model(model)
	rate := 2e-3
	if m["aggregation"] == config.Attention || model == catalogue.CANP {
		rate = 1e-3
	}
	train := section{"steps": steps, "batch_size": f.batchSize(), "learning_rate": rate, "weight_decay": 1e-5, "schedule": config.Plateau,
		"validate_every": validateEvery, "patience": patience, "seed": 0, "log_every": 100, "checkpoint_every": steps / 5, "keep_checkpoints": 2}
	eval := section{"batches": 0, "batch_size": 4, "seed": 43}
	if model == catalogue.ACQNP || model == catalogue.CQNP {
		train["num_tau"], train["levels"], eval["num_tau"] = 16, config.StratifiedLevels, 50
	}
	content, err := yaml.Marshal(section{"benchmark": "csv", "model": m, "data": data, "train": train, "eval": eval})
	if err != nil {
		return config.Experiment{}, err
	}
	return config.Parse("init", content, config.Overrides{})
}

// fewPoints is the number of points of a group in a training step if there are few in all. Steps that
// all use the same points overfit sooner.
const fewPoints = 64

// batchSize returns the number of groups of a batch, fewer if they are large.
func (f Found) batchSize() int {
	n := min(f.Points[1], config.MaxCSVPoints)
	return min(max(512/max(n, 1), 4), 64)
}

// width is that of the networks, and heads is the number of heads of attentions.
const width, heads = 48, 8

// model returns the section model: of cnp with a mixture of Gaussians, if no model is named.
func (f Found) model(name string) section {
	w := []int{width}
	m := section{"name": name, "sigma_floor": 0.01}
	switch {
	case name == catalogue.BNP:
		m["width"], m["pre_depth"], m["post_depth"], m["decoder_depth"] = width, 3, 2, 3
		m["train_bootstraps"], m["eval_bootstraps"], m["sigma_floor"] = 4, 50, f.floor()
		return m
	case name == catalogue.CANP:
	case f.SplitBy == "group" && f.Groups >= manyGroups:
		m["aggregation"] = config.Attention
	default:
		m["aggregation"] = config.Mean
	}
	m["representation"], m["encoder"], m["decoder"] = width, []int{width, width}, []int{width, width}
	if m["aggregation"] == config.Attention || name == catalogue.CANP {
		m["key_encoder"], m["query_encoder"], m["heads"] = w, w, heads
	}
	switch name {
	case "":
		m["name"], m["head"], m["parts"], m["sigma_floor"] = catalogue.CNP, config.MixtureHead, config.DefaultParts, 0.05
	case catalogue.CNP, catalogue.CANP:
		m["sigma_floor"] = f.floor()
	case catalogue.CQNP:
		m["scale_form"] = config.NaturalScale
	case catalogue.ACQNP:
		m["scale_form"] = config.NaturalScale
		m["adaptor"], m["adaptor_form"] = []int{width, width}, config.Residual
	}
	return m
}

// floor returns the lower bound of σ of one Gaussian. It has short tails: if σ is small, one target of an
// unusual group costs dozens of nats, and few groups may not show that. Where points are held out,
// the model knows other points of the same group, so σ may be a hundredth of the deviation of y.
func (f Found) floor() float64 {
	if f.few() && f.SplitBy == "group" {
		return 0.2
	}
	return 0.01
}

// YAML returns the configuration as a commented file. head are the lines of a comment at its start.
func (r Result) YAML(head []string) ([]byte, error) {
	lines := append(head, "", "Validation ends the training, and the best weights are kept.")
	if r.Experiment.Model.HeadName() == config.MixtureHead {
		lines = append(lines, "This is not the paper's ACQNP: the network states a mixture of Gaussians in one pass. On data of this",
			"size it predicts as well as one, after a third of the time. --model acqnp writes an ACQNP.")
	}
	for i, line := range lines {
		lines[i] = strings.ReplaceAll(line, "\n", " ")
	}
	return r.Experiment.Commented(strings.Join(lines, "\n"))
}
