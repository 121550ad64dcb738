package tables

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path"
	"path/filepath"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/config/catalogue"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/run"
)

// A Run is an evaluated model: one eval.json.
type Run struct {
	Path    string // of eval.json
	Eval    run.Eval
	Config  *config.Experiment // config.yaml beside eval.json; nil if there is none
	Kernels []string           // of the CPU that trained the run, as run.Run has them
	Logged  run.Metrics        // the last step in the log of a run whose configuration does not say how many it has; zero if not known
}

// subject returns the run's subject without settings. names are those of dataNames.
func (r Run) subject(names map[string]string) subject {
	s := subject{benchmark: r.Eval.Benchmark, data: names[r.file()], model: r.Eval.Model, variant: r.Eval.Variant}
	if r.Config != nil {
		s.variant = r.Config.Variant()
	}
	return s
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
	found := "no " + run.EvalFile
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
			found = "no " + run.EvalFile + " that can be read"
			warn(err)
			return nil
		}
		runs = append(runs, r)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(runs) == 0 {
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

// pitBins is the number of bins of a histogram of PIT.
const pitBins = 20

// largest is the largest absolute value of a log-likelihood that is read. Its square is finite.
const largest = 1e100

// checkEval returns an *invalid.Input if an eval.json lacks what a report needs.
func checkEval(path string, e run.Eval) (err error) {
	check := func(ok bool, key string, found any, expected string) {
		if !ok && err == nil {
			err = &invalid.Input{File: path, Key: key, Found: fmt.Sprint(found), Expected: expected}
		}
	}
	check(e.Benchmark != "", "benchmark", "nothing", "a name")
	check(e.Model != "", "model", "nothing", "a name")
	check(e.Batches > 0, "batches", e.Batches, "a positive number")
	contexts := e.Batches // those with a context, which context_ll is the mean over
	for _, b := range e.PerBatch {
		if b.NumContext == 0 {
			contexts--
		}
	}
	for _, part := range []struct {
		key string
		run.Estimate
		batches int
	}{{"context_ll", e.ContextLL, contexts}, {"target_ll", e.TargetLL, e.Batches}} {
		check(math.Abs(part.Mean) <= largest, part.key+".mean", part.Mean, "a log-likelihood")
		found, s := any("null"), part.StdError
		if s != nil {
			found = *s
		}
		check(s == nil && part.batches < 2 || s != nil && e.Batches > 1 && *s >= 0, part.key+".std_error", found,
			"the error of the mean over batches, null for one batch alone")
	}
	if e.Means != nil {
		check(e.Targets > 0, "scored_targets", e.Targets, "a positive number")
		check(len(e.PIT) == pitBins, "pit", fmt.Sprintf("%d numbers", len(e.PIT)), fmt.Sprintf("the shares of %d bins", pitBins))
	}
	return err
}

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
	if c.Train.Epochs > 0 || c.Train.ValidateEvery > 0 {
		if lines, err := run.Validated(dir); err == nil && len(lines) > 0 {
			r.Logged = lines[len(lines)-1]
		}
	}
	return nil
}

// file returns the path of the run's own data, or "" if there is none or it is unknown.
func (r Run) file() string {
	if r.Config == nil || r.Config.Data.File == "" {
		return ""
	}
	return filepath.ToSlash(filepath.Clean(r.Config.Data.File))
}

// dataNames returns a name for each path of own data: its last element, or the path if that is the last element of
// others too.
func dataNames(runs []Run) map[string]string {
	names, paths := map[string]string{}, map[string][]string{} // of each last element
	for _, r := range runs {
		if file := r.file(); file != "" {
			paths[path.Base(file)] = addNew(paths[path.Base(file)], file)
		}
	}
	for base, files := range paths {
		for _, file := range files {
			if names[file] = base; len(files) > 1 {
				names[file] = file
			}
		}
	}
	return names
}

// likelihoods returns the log-likelihoods of the context and of the targets: of own data in raw
// units, of others in the model's.
func likelihoods(e run.Eval) (context, target run.Estimate) {
	if b, _ := catalogue.Find(e.Benchmark); b.Kind == catalogue.CSV && e.Raw != nil {
		return e.Raw.ContextLL, e.Raw.TargetLL
	}
	return e.ContextLL, e.TargetLL
}
