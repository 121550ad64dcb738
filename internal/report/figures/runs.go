package figures

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/engine/device"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/run"
)

// A Run is a trained run that a figure shows.
type Run struct {
	Dir        string
	Label      string // distinguishes it from the other runs; LabelRuns sets it
	Experiment config.Experiment
	Source     datasets.Source
	Ask        predict.Trained // its model; figures choose the bootstraps
}

// OpenRun opens the data of a stored run's experiment and loads its model. check can refuse the run
// before that.
func OpenRun(stored predict.Stored, e config.Experiment, dataDir string, d device.Device, check Check, warn func(string)) (Run, error) {
	r := Run{Dir: stored.Run, Experiment: e}
	var err error
	if r.Source, err = datasets.Open(e, dataDir); err != nil {
		return r, err
	}
	if err := check(r); err != nil {
		return r, err
	}
	data := run.UnitsOf(e, r.Source)
	if r.Ask, err = stored.Load(e, data, d, warn); err != nil {
		return r, err
	}
	return r, run.CheckData(r.Dir, r.Ask.Units, data)
}

// LabelRuns sets the runs' labels to their models and variants, with the settings that tell runs of one
// benchmark apart. If some runs do not differ, the labels are the directories.
func LabelRuns(runs []Run) {
	var all []config.Experiment
	for _, r := range runs {
		all = append(all, r.Experiment)
	}
	keys := config.TellingKeys(all, func(key string) bool { return strings.HasPrefix(key, "eval.") })
	short, seen := config.ShortKeys(keys), map[string]bool{}
	for i, e := range all {
		label := e.Label()
		for _, key := range keys {
			label += ", " + short[key] + "=" + e.Value(key)
		}
		runs[i].Label, seen[e.Benchmark+label] = label, true
	}
	for i := range runs {
		if len(seen) < len(runs) {
			runs[i].Label = runs[i].Dir
		}
	}
}

// A Check returns an *invalid.Input for a run that a figure cannot show. It reads only the run's
// directory, experiment and source.
type Check func(r Run) error

// OneDimensional returns an *invalid.Input if x has more than one dimension.
func OneDimensional(r Run) error {
	dx, _ := r.Source.Dims()
	if dx != 1 {
		return r.refuse("benchmark", fmt.Sprintf("%s with x of %d dimensions", r.Experiment.Benchmark, dx), "x of one dimension")
	}
	return nil
}

// Plottable returns an *invalid.Input if the benchmark's predictions are not for NewPrediction.
func Plottable(r Run) error {
	var bad *invalid.Input
	if errors.As(CheckPlottable(r.Experiment.Benchmark), &bad) {
		return r.refuse("benchmark", bad.Found, bad.Expected)
	}
	return nil
}

// WithLevels returns an *invalid.Input if the model has no quantile levels, or x more than one
// dimension.
func WithLevels(r Run) error {
	if m := r.Experiment.Model; !m.HasLevels() {
		return r.refuse("model.name", m.Name, "acqnp, cqnp or model.head quantile-mixture, which have quantile levels")
	}
	return OneDimensional(r)
}

// OfLanes returns an *invalid.Input if the benchmark is not speed-flow.
func OfLanes(r Run) error {
	if r.Experiment.Benchmark != "speed-flow" {
		return r.refuse("benchmark", r.Experiment.Benchmark, "speed-flow")
	}
	return nil
}

// OfImages returns an *invalid.Input if the benchmark has no images.
func OfImages(r Run) error {
	if _, ok := r.Source.(datasets.Imager); !ok {
		return r.refuse("benchmark", r.Experiment.Benchmark, "a benchmark of images")
	}
	return nil
}

func (r Run) refuse(key, found, expected string) error {
	return &invalid.Input{File: r.Dir, Key: key, Found: found, Expected: expected}
}

// sameBenchmark returns an *invalid.Input if the runs differ in their benchmark or their columns.
func sameBenchmark(runs []Run) error {
	first := runs[0]
	for _, r := range runs[1:] {
		if r.Experiment.Benchmark != first.Experiment.Benchmark {
			return r.refuse("benchmark", r.Experiment.Benchmark, first.Experiment.Benchmark+", that of "+first.Dir)
		}
		if !slices.Equal(r.Ask.Units.XNames, first.Ask.Units.XNames) || !slices.Equal(r.Ask.Units.YNames, first.Ask.Units.YNames) {
			return r.refuse("data", fmt.Sprintf("columns %v and %v", r.Ask.Units.XNames, r.Ask.Units.YNames),
				fmt.Sprintf("%v and %v, those of %s", first.Ask.Units.XNames, first.Ask.Units.YNames, first.Dir))
		}
	}
	return nil
}
