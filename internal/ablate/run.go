package ablate

import (
	"context"
	"fmt"

	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/device"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/progress"
	"github.com/acqnp/acqnp/internal/run"
)

// Runner trains and evaluates trials.
type Runner struct {
	DataDir  string
	Device   device.Device
	Version  string // of the program
	Progress progress.Reporter
	Train    func(ctx context.Context, t Trial, source datasets.Source) error // goes on with the run that is there
}

// Run trains every trial that is to be trained, goes on where it was left, and evaluates it at each of its values.
func (r Runner) Run(ctx context.Context, trials []Trial) ([]Result, error) {
	var all []Result
	for i, t := range trials {
		r.Progress.Note(fmt.Sprintf("run %d of %d: %s", i+1, len(trials), t.Dir))
		results, err := r.run(ctx, t)
		if err != nil {
			return nil, err
		}
		all = append(all, results...)
	}
	return all, nil
}

func (r Runner) run(ctx context.Context, t Trial) ([]Result, error) {
	m, source, err := r.open(t)
	if err != nil {
		return nil, err
	}
	if t.Train {
		if err := r.Train(ctx, t, source); err != nil {
			return nil, err
		}
	}
	trained, err := run.Open(t.Dir)
	if err != nil {
		return nil, err
	}
	c, err := trained.Load(run.Newest, m, r.Progress.Warn)
	if err != nil {
		return nil, err
	}
	var results []Result
	for _, value := range t.values {
		o := r.options(t, m, source, value)
		o.Params = c.Params
		outcome, err := predict.Evaluate(ctx, o)
		if err != nil {
			return nil, err
		}
		results = append(results, Result{Run: t.Dir, Benchmark: t.Experiment.Benchmark, Model: t.Experiment.Model.Name,
			Seed: t.Experiment.Train.Seed, Steps: c.Step, Value: value, Evaluation: outcome})
	}
	return results, nil
}

// open makes a trial's model and its source of data.
func (r Runner) open(t Trial) (*models.Model, datasets.Source, error) {
	source, err := datasets.Open(t.Experiment, r.DataDir)
	if err != nil {
		return nil, nil, err
	}
	dx, dy := source.Dims()
	m, err := models.New(t.Experiment.Model, dx, dy)
	return m, source, err
}

// options returns how the trial is evaluated at one value, without parameters.
func (r Runner) options(t Trial, m *models.Model, source datasets.Source, value int) predict.EvalOptions {
	how := t.at(value)
	return predict.EvalOptions{Model: m, Source: source, NumTau: how.numTau, Levels: how.levels,
		Seed: t.Experiment.Eval.Seed, Device: r.Device, Task: "evaluate " + how.words, Progress: r.Progress}
}
