package ablate

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/run"
)

// The paper's numbers of quantile levels at test time, and of hidden layers of ψ.
var (
	testedLevels = []int{3, 5, 7, 9, 11}
	testedDepths = []int{1, 2, 3, 4, 5}
)

// Protocol states how the runs of an ablation are trained and evaluated.
type Protocol struct {
	Out     string   // directory of the runs that are trained
	Set     []string // KEY=VALUE, each overrides the configuration's
	Seeds   []int    // of training; each makes a run
	Batches int      // of evaluation; 0 for the configuration's
}

// A Trial is one run, and the values of the ablation's number that it is evaluated at.
type Trial struct {
	Experiment config.Experiment
	Dir        string
	Train      bool // whether to train it; a finished run is only evaluated
	values     []int
	at         func(value int) evaluation
}

// evaluation states how a trial is evaluated at one value.
type evaluation struct {
	numTau int
	levels string // predict.RandomLevels, or "" for the model's evenly spaced levels
	words  string // its name in progress messages
}

// NumTau returns the trials that vary the number of quantile levels at test time: the finished
// runs, and a run of each configuration for every seed. It returns an *invalid.Input for a model
// without quantile levels.
func (p Protocol) NumTau(configs, runs []string) ([]Trial, error) {
	trials, err := p.finished(runs)
	if err != nil {
		return nil, err
	}
	for _, file := range configs {
		for _, seed := range p.Seeds {
			e, err := p.experiment(file, seed)
			if err != nil {
				return nil, err
			}
			trials = append(trials, Trial{Experiment: e, Train: true, Dir: p.runDir(file, e)})
		}
	}
	seen := map[string]bool{}
	for i := range trials {
		t := &trials[i]
		if m := t.Experiment.Model; !m.HasLevels() {
			return nil, &invalid.Input{File: t.Dir, Key: "model.name", Found: m.Name, Expected: "acqnp or cqnp, which have quantile levels"}
		}
		path := filepath.Clean(t.Dir)
		if seen[path] {
			return nil, &invalid.Input{File: t.Dir, Found: "the same run twice", Expected: "different runs"}
		}
		seen[path] = true
		t.values = testedLevels
		t.at = func(value int) evaluation {
			return evaluation{value, "", fmt.Sprintf("%d levels", value)}
		}
	}
	return trials, nil
}

// finished returns trials of existing runs. Their values are not set.
func (p Protocol) finished(dirs []string) ([]Trial, error) {
	var trials []Trial
	for _, dir := range dirs {
		r, err := run.Open(dir)
		if err == nil {
			r, err = run.Open(dir, p.batches()...)
		}
		if err != nil {
			return nil, err
		}
		trials = append(trials, Trial{Experiment: r.Experiment, Dir: dir})
	}
	return trials, nil
}

// Depths returns the trials that train an ACQNP with 1 to 5 hidden layers of ψ for every seed. The layers are as wide as the configuration's first. It returns an *invalid.Input for another
// model.
func (p Protocol) Depths(file string) ([]Trial, error) {
	var trials []Trial
	for _, depth := range testedDepths {
		for _, seed := range p.Seeds {
			t, err := p.depth(file, depth, seed)
			if err != nil {
				return nil, err
			}
			trials = append(trials, t)
		}
	}
	return trials, nil
}

func (p Protocol) depth(file string, depth, seed int) (Trial, error) {
	e, err := p.experiment(file, seed)
	if err != nil {
		return Trial{}, err
	}
	if name := e.Model.Name; name != "acqnp" {
		return Trial{}, &invalid.Input{File: file, Key: "model.name", Found: name, Expected: "acqnp, which has a ψ"}
	}
	widths := make([]string, depth)
	for i := range widths {
		widths[i] = strconv.Itoa(e.Model.Adaptor[0])
	}
	e, err = p.experiment(file, seed, config.Flag{Name: "adaptor-depth", Key: "model.adaptor", Value: "[" + strings.Join(widths, ", ") + "]"})
	return Trial{
		Experiment: e, Train: true,
		Dir:    filepath.Join(p.Out, fmt.Sprintf("depth-%d", depth), fmt.Sprintf("seed-%d", seed)),
		values: []int{depth},
		at: func(int) evaluation {
			return evaluation{e.Eval.NumTau, predict.RandomLevels, fmt.Sprintf("depth %d", depth)}
		},
	}, err
}

// experiment reads the configuration of a trial to train and sets the ablation's keys.
func (p Protocol) experiment(file string, seed int, more ...config.Flag) (config.Experiment, error) {
	flags := append(append([]config.Flag{{Name: "--seeds", Key: "train.seed", Value: strconv.Itoa(seed)}}, p.batches()...), more...)
	e, err := config.Load(file, config.Overrides{Set: p.Set, Flags: flags, Env: os.Environ})
	if err != nil {
		return e, err
	}
	e.Data.File, err = datasets.AbsoluteFile(e.Data.File)
	return e, err
}

// batches returns the flag that sets eval.batches, if there is one.
func (p Protocol) batches() []config.Flag {
	if p.Batches == 0 {
		return nil
	}
	return []config.Flag{{Name: "--batches", Key: "eval.batches", Value: strconv.Itoa(p.Batches)}}
}

// runDir returns the directory in which a run of a configuration file is trained. Files such as
// acqnp.yaml and acqnp-attention.yaml have a directory each.
func (p Protocol) runDir(file string, e config.Experiment) string {
	name, ok := run.ModelFile(file, e.Model.Name)
	if !ok {
		name = e.Model.Name
	}
	return filepath.Join(p.Out, "runs", e.Benchmark, name, "seed-"+strconv.FormatUint(e.Train.Seed, 10))
}
