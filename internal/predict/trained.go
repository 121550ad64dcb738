package predict

import (
	"cmp"
	"path/filepath"
	"strings"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets/feed"
	"github.com/acqnp/acqnp/internal/datasets/rows"
	"github.com/acqnp/acqnp/internal/engine/device"
	"github.com/acqnp/acqnp/internal/files/tabular"
	"github.com/acqnp/acqnp/internal/invalid/warning"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/run"
	"github.com/acqnp/acqnp/internal/run/footprint"
)

// Values of Trained.Levels: the ways of choosing quantile levels, as in --level-spacing.
const (
	RandomLevels   = feed.RandomLevels   // drawn for every group and point
	GridLevels     = feed.GridLevels     // evenly spaced from 0.001 to 0.999, the same everywhere
	MidpointLevels = feed.MidpointLevels // the midpoints of equal parts of (0, 1), the same everywhere
)

// Trained is a network with its weights, and how its levels and bootstraps are chosen. Its methods
// change nothing, so a copy with other fields evaluates the same model in another way.
type Trained struct {
	Model  *models.Model
	Params []float32     // flat, in the order of Model.Tensors
	Units  run.Units     // of the data that the model was trained on
	Device device.Device // nil: the CPU with all its cores

	NumTau     int    // levels per point, for quantile models
	Levels     string // RandomLevels, GridLevels or MidpointLevels, for quantile models
	Bootstraps int    // of the context, for models that resample it
	Seed       uint64 // of the random levels and of the bootstraps

	Benchmark string      // for run.Eval
	Data      string      // for titles: the benchmark, or the name of your own file without its extension
	File      string      // the name of your own file, without its folder; "" for a benchmark
	Group     string      // the column of your own file that names groups; "" without one
	Scale     string      // data.scale of your own file, which says where its numbers lie; "" for a benchmark
	SplitBy   string      // data.split of your own file: whether training held out a "group" or a "point"
	Variant   string      // for run.Eval, as config.Experiment.Variant names it
	Weights   run.Weights // for run.Eval: where Params were read from
	ValidLL   *float64    // of Params, as training measured it; nil if it did not
}

// New returns a model with weights params [NumParams] that evaluates as the experiment's eval keys
// say, with random levels. Its Weights are not set.
func New(e config.Experiment, m *models.Model, params []float32, u run.Units, d device.Device) Trained {
	t := Trained{Model: m, Params: params, Units: u, Device: d, NumTau: e.Eval.NumTau, Levels: RandomLevels,
		Bootstraps: e.Model.EvalBootstraps, Seed: e.Eval.Seed, Benchmark: e.Benchmark, Data: e.Benchmark, Group: e.Data.Group,
		Scale: e.Data.Scale, SplitBy: e.Data.SplitBy, Variant: e.Variant()}
	if e.Data.File != "" {
		t.File = filepath.Base(filepath.Clean(e.Data.File))
		t.Data = tabular.Stem(t.File)
	}
	return t
}

// Evenly returns the model with the evenly spaced levels that it takes, as feed.Spacing says.
func (t Trained) Evenly() Trained {
	t.Levels = feed.Spacing(t.Model)
	return t
}

// About implements [Predictor].
func (t Trained) About() About {
	return About{Model: t.Model.Name(), Parameters: t.Model.NumParams(), Variant: t.Variant, Benchmark: t.Benchmark, Data: t.Data, File: t.File,
		Group: t.Group, Units: t.Units, Weights: t.Weights, ValidLL: t.ValidLL, Seed: t.Seed, Question: t.question()}
}

// Recall implements [Predictor]. A network keeps nothing of its training.
func (t Trained) Recall(questions []points.Question, _ bool, w *warning.Record) []points.Question {
	WarnOfUnknown(questions, nil, func(string) string { return "" }, w)
	return questions
}

// Layout returns how files of points for the model of an experiment are read.
func (t Trained) Layout(e config.Experiment) rows.Layout {
	l := t.Units.Layout(e.Data.Group, "group")
	l.DropMissing = e.Data.Missing == config.Drop
	return l
}

// question returns About.Question.
func (t Trained) question() string {
	by := ""
	if t.Group != "" {
		by = ", by " + t.Group
	}
	return cmp.Or(t.File, t.Benchmark) + ": " + strings.Join(t.Units.YNames, ", ") + " from " + strings.Join(t.Units.XNames, ", ") + by
}

// draws returns the model's random inputs: levels or bootstraps.
func (t Trained) draws() (feed.Draws, error) {
	return feed.New(t.Model, feed.Choice{
		NumTau: t.NumTau, Spacing: t.Levels, Bootstraps: t.Bootstraps, Seed: t.Seed, Evaluation: true,
	})
}

// runner returns a runner of the model's graph in a mode. The caller sets its capacity.
func (t Trained) runner(mode models.Mode) runner {
	d := t.Device
	if d == nil {
		d = device.CPU(0)
	}
	return runner{Estimate: footprint.Estimate{Device: d, Model: t.Model, Mode: mode}, params: t.Params}
}
