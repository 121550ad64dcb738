package tables

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/config/catalogue"
	"github.com/acqnp/acqnp/internal/engine/device"
	"github.com/acqnp/acqnp/internal/invalid"
)

// Used lists the settings with which the runs of a row were trained and evaluated: the distinct
// values of each, in the order of the runs.
type Used struct {
	Seeds   []string `json:"seeds"` // of training
	Steps   []string `json:"steps"` // of the checkpoint
	Batches []string `json:"batches"`
	NumTau  []string `json:"num_tau"`
	Levels  []string `json:"levels"`
	Devices []string `json:"devices"`
}

func used(runs []Run) (u Used) {
	for _, r := range runs {
		seed, step := "unknown", "unknown"
		if r.Config != nil {
			seed = strconv.FormatUint(r.Config.Train.Seed, 10)
		}
		if r.Eval.Weights.Step != nil {
			step = strconv.Itoa(*r.Eval.Weights.Step)
		}
		u.Seeds, u.Steps = addNew(u.Seeds, seed), addNew(u.Steps, step)
		u.Batches, u.Devices = addNew(u.Batches, strconv.Itoa(r.Eval.Batches)), addNew(u.Devices, r.Eval.Device)
		if r.Eval.NumTau > 0 {
			u.NumTau = addNew(u.NumTau, strconv.Itoa(r.Eval.NumTau))
		}
		if r.Eval.Levels != "" {
			u.Levels = addNew(u.Levels, r.Eval.Levels)
		}
	}
	return u
}

// notes returns notes on how the runs of a row differ from each other and from the paper's.
func notes(runs []Run) []string {
	var list []string
	if d := unlike(runs); len(d) > 0 {
		list = append(list, "The runs differ: "+strings.Join(d, "; ")+".")
	}
	if d := unlikePaper(runs); len(d) > 0 {
		list = append(list, "Not the paper's settings (here and there): "+strings.Join(d, "; ")+".")
	}
	if d := unfinished(runs); len(d) > 0 {
		list = append(list, "Training was not finished: "+strings.Join(d, "; ")+".")
	}
	return append(append(list, inBF16(runs)...), unscored(runs)...)
}

// unlike returns the settings in which the runs differ from each other.
func unlike(runs []Run) []string {
	var list []string
	u := used(runs)
	for _, v := range []struct {
		name   string
		values []string
	}{{"batches", u.Batches}, {"num_tau", u.NumTau}, {"levels", u.Levels}, {"steps", u.Steps}} {
		if len(v.values) > 1 {
			list = append(list, v.name+": "+strings.Join(v.values, " and "))
		}
	}
	var first *config.Experiment
	for _, run := range runs {
		if a, b := runs[0].Eval.Seed, run.Eval.Seed; a != b {
			list = addNew(list, fmt.Sprintf("evaluation seed: %d and %d", a, b))
		}
		if first == nil {
			first = run.Config
		} else if run.Config != nil {
			list = addNew(list, settings(*first, *run.Config)...)
		}
	}
	return list
}

// unlikePaper returns the settings in which the runs differ from the paper's. It returns none if
// the paper has no result.
func unlikePaper(runs []Run) []string {
	var list []string
	for _, run := range runs {
		if _, ok := catalogue.Paper(run.Eval.Benchmark, run.Eval.Model); !ok {
			continue
		}
		short := fmt.Sprintf("benchmark: %s\nmodel: {name: %s}\n", run.Eval.Benchmark, run.Eval.Model)
		paper, err := config.Parse("the paper's values", []byte(short), config.Overrides{})
		if err != nil {
			continue
		}
		if run.Config != nil {
			list = addNew(list, settings(*run.Config, paper)...)
		}
		if n := paper.Eval.Batches; n > 0 && n != run.Eval.Batches { // 0 is the whole test split
			list = addNew(list, fmt.Sprintf("eval.batches: %d and %d", run.Eval.Batches, n))
		}
		if n := paper.Eval.NumTau; n != run.Eval.NumTau {
			list = addNew(list, fmt.Sprintf("eval.num_tau: %d and %d", run.Eval.NumTau, n))
		}
	}
	return list
}

// settings returns the differences that affect results. It leaves out the evaluation's settings that
// eval.json has as they were used, and the size of its batches.
func settings(a, b config.Experiment) []string {
	a.Train.Seed = b.Train.Seed
	a.Eval.Batches, a.Eval.BatchSize, a.Eval.NumTau, a.Eval.Seed = b.Eval.Batches, b.Eval.BatchSize, b.Eval.NumTau, b.Eval.Seed
	a.Train.LogEvery, a.Train.CheckpointEvery, a.Train.KeepCheckpoints = b.Train.LogEvery, b.Train.CheckpointEvery, b.Train.KeepCheckpoints
	return config.Differences(a, b)
}

// inBF16 returns notes on runs that a CPU trained in bf16, wholly or in part.
func inBF16(runs []Run) (list []string) {
	all, part := 0, 0
	for _, r := range runs {
		switch n := len(slices.DeleteFunc(slices.Clone(r.Kernels), func(k string) bool { return !device.InBF16(k) })); {
		case n > 0 && n == len(r.Kernels):
			all++
		case n > 0:
			part++
		}
	}
	total := invalid.Plural(len(runs), "run", "runs")
	if all > 0 {
		list = append(list, fmt.Sprintf("Trained in bf16: %d of %s.", all, total))
	}
	if part > 0 {
		list = append(list, fmt.Sprintf("Trained in bf16 for a part of the steps: %d of %s.", part, total))
	}
	return list
}

// unfinished returns the steps of evaluated checkpoints that are not the last of their run, and of runs
// with validation, which chooses their checkpoint, those that have not ended.
func unfinished(runs []Run) []string {
	var list []string
	for _, run := range runs {
		step := run.Eval.Weights.Step
		if step == nil || run.Config == nil {
			continue
		}
		t, last := run.Config.Train, run.Logged
		stopped := last.Step > 0 && last.Ended == ""
		switch {
		case t.ValidateEvery > 0 && stopped:
			list = addNew(list, fmt.Sprintf("step %d, the best of %d, before the run ended", *step, last.Step))
		case t.ValidateEvery > 0:
		case t.Epochs > 0 && (stopped || *step < last.Step):
			list = addNew(list, fmt.Sprintf("step %d, before the end of %s", *step, invalid.Plural(t.Epochs, "epoch", "epochs")))
		case *step < t.Steps:
			list = addNew(list, fmt.Sprintf("step %d of %d", *step, t.Steps))
		}
	}
	return list
}

// addNew appends the values that list does not have.
func addNew[T comparable](list []T, more ...T) []T {
	for _, s := range more {
		if !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}
