package figures

import (
	"fmt"
	"slices"
	"strings"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/datasets/benchmark"
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
	Source     *datasets.Source
	Ask        predict.Trained // its model; figures choose the bootstraps
}

// OpenRun opens the data of a stored run's experiment and loads its model.
func OpenRun(stored predict.Stored, e config.Experiment, dataDir string, d device.Device, warn func(string)) (Run, error) {
	r := Run{Dir: stored.Run, Experiment: e}
	var err error
	if r.Source, err = benchmark.Open(e, dataDir); err != nil {
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
