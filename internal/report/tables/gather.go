package tables

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/run"
)

// A Run is an evaluated model: one eval.json.
type Run struct {
	Path    string // of eval.json
	Eval    run.Eval
	Config  *config.Experiment // config.yaml beside eval.json; nil if there is none
	Kernels string             // of the CPU that trained the run; "" if not known
}

// subject returns the run's subject without a size and steps. names are those of dataNames.
func (r Run) subject(names map[string]string) subject {
	s := subject{benchmark: r.Eval.Benchmark, data: names[r.file()], model: r.Eval.Model, variant: r.Eval.Variant}
	if r.Config != nil {
		s.variant = r.Config.Variant()
	}
	return s
}

// size returns the size of the model, or "" if it is unknown.
func (r Run) size() string {
	if r.Config == nil {
		return ""
	}
	return r.Config.Model.Size()
}

// identity returns what distinguishes runs of one subject: train.seed, or the path of the weights
// if that is unknown. The seed in eval.json is eval.seed.
func (r Run) identity() string {
	if r.Config != nil {
		return fmt.Sprintf("seed %d", r.Config.Train.Seed)
	}
	return "weights " + r.Eval.Weights.Path
}

// Gather reads every eval.json below dir, in the order of their paths. It leaves out those that
// cannot be read and calls warn for each. It returns an *invalid.Input if none can be read.
func Gather(dir string, warn func(error)) ([]Run, error) {
	switch info, err := os.Stat(dir); {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &invalid.Input{File: dir, Found: "nothing", Expected: "a directory of runs"}
	case err != nil:
		return nil, err
	case !info.IsDir():
		return nil, &invalid.Input{File: dir, Found: "a file", Expected: "a directory of runs"}
	}
	var runs []Run
	refused := 0
	skip := func(err error) {
		refused++
		warn(err)
	}
	root := os.DirFS(dir) // follows dir if that is a link
	err := fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		path := filepath.Join(dir, filepath.FromSlash(name))
		switch {
		case err != nil && name == ".":
			return err
		case err != nil:
			warn(&invalid.Input{File: path, Found: err.Error(), Expected: "a directory that can be read"})
			return fs.SkipDir
		case entry.IsDir() || entry.Name() != run.EvalFile:
			return nil
		}
		r, err := readRun(path)
		if err != nil {
			skip(err)
			return nil
		}
		runs = append(runs, r)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(runs) == 0 {
		found := "no " + run.EvalFile
		if refused > 0 {
			found += " that can be read"
		}
		return nil, &invalid.Input{File: dir, Found: found, Expected: "a directory of runs that acqnp eval has evaluated"}
	}
	return runs, nil
}

func readRun(path string) (Run, error) {
	e, err := run.ReadEval(path)
	if err != nil {
		return Run{}, err
	}
	if err := checkEval(path, e); err != nil {
		return Run{}, err
	}
	r := Run{Path: path, Eval: e}
	err = r.readConfig(filepath.Dir(path))
	return r, err
}

// largest is the largest absolute value of a log-likelihood that is read. Its square is finite.
const largest = 1e100

// checkEval returns an *invalid.Input if a value in an eval.json is impossible.
func checkEval(path string, e run.Eval) error {
	bad := func(key string, found any, expected string) error {
		return &invalid.Input{File: path, Key: key, Found: fmt.Sprint(found), Expected: expected}
	}
	switch {
	case e.Benchmark == "":
		return bad("benchmark", "nothing", "a name")
	case e.Model == "":
		return bad("model", "nothing", "a name")
	case e.Batches < 1:
		return bad("batches", e.Batches, "a positive number")
	}
	for _, part := range []struct {
		key string
		run.Estimate
	}{{"context_ll", e.ContextLL}, {"target_ll", e.TargetLL}} {
		if math.Abs(part.Mean) > largest {
			return bad(part.key+".mean", part.Mean, "a log-likelihood")
		}
		if s := part.StdError; (s == nil) != (e.Batches == 1) || s != nil && (*s < 0 || *s > largest) {
			found := any("null")
			if s != nil {
				found = *s
			}
			return bad(part.key+".std_error", found, "the error of the mean over batches, null for one batch alone")
		}
	}
	return checkScores(e, bad)
}

// checkScores returns the error of bad if a score in an eval.json is impossible.
func checkScores(e run.Eval, bad func(key string, found any, expected string) error) error {
	if r := e.Raw; r != nil && math.Abs(r.ContextLL.Mean)+math.Abs(r.TargetLL.Mean) > largest {
		return bad("raw", fmt.Sprint(r.ContextLL.Mean, " and ", r.TargetLL.Mean), "log-likelihoods")
	}
	if e.Means == nil {
		return nil
	}
	sum := 0.0
	for _, share := range e.PIT {
		if share < 0 {
			return bad("pit", share, "a share")
		}
		sum += share
	}
	outside := func(share float64) bool { return share < 0 || share > 1 }
	switch {
	case e.Targets < 1:
		return bad("scored_targets", e.Targets, "a positive number")
	case math.Abs(e.LogDensity.Mean) > largest:
		return bad("log_density.mean", e.LogDensity.Mean, "a log density")
	case e.CRPS < 0 || e.CRPS > largest:
		return bad("crps", e.CRPS, "a number from 0")
	case outside(e.Coverage.Half) || outside(e.Coverage.Most):
		return bad("coverage", fmt.Sprint(e.Coverage.Half, " and ", e.Coverage.Most), "shares from 0 to 1")
	case len(e.PIT) != pitBins || math.Abs(sum-1) > 1e-6:
		return bad("pit", fmt.Sprintf("%d numbers with the sum %g", len(e.PIT), sum), fmt.Sprintf("%d shares with the sum 1", pitBins))
	}
	for i, f := range e.PerFunction {
		if f.Points < 1 || math.Abs(f.LogDensity) > largest || f.CRPS < 0 || f.CRPS > largest || outside(f.Coverage.Half) || outside(f.Coverage.Most) {
			return bad(fmt.Sprintf("per_function[%d]", i), fmt.Sprintf("%+v", f), "targets, a log density, a CRPS and shares from 0 to 1")
		}
	}
	return nil
}

// pitBins is the number of bins of a histogram of PIT.
const pitBins = 20

// readConfig reads what the run in dir says beside its evaluation: nothing if dir has no configuration.
func (r *Run) readConfig(dir string) error {
	file := filepath.Join(dir, run.ConfigFile)
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	trained, err := run.Open(dir)
	if err != nil {
		return err
	}
	c, e := trained.Experiment, r.Eval
	if c.Benchmark != e.Benchmark || c.Model.Name != e.Model {
		return &invalid.Input{File: file, Found: c.Model.Name + " on " + c.Benchmark,
			Expected: e.Model + " on " + e.Benchmark + ", as in " + run.EvalFile}
	}
	r.Config, r.Kernels = &c, trained.Kernels
	return nil
}
