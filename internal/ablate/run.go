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

// Run trains every trial that is to be trained, goes on where it was left, and evaluates it at each
// of its values.
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
		how := t.at(value)
		model := r.trained(t, m, source, c.Params, how)
		model.Weights = c.Weights()
		e, err := model.Evaluate(ctx, source, predict.EvalOptions{Version: r.Version, Progress: r.Progress, Task: "evaluate " + how.words})
		if err != nil {
			return nil, err
		}
		results = append(results, Result{Run: t.Dir, Seed: t.Experiment.Train.Seed, Steps: c.Step, Value: value, Eval: e})
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

// trained returns the trial's model as it is evaluated.
func (r Runner) trained(t Trial, m *models.Model, source datasets.Source, params []float32, how evaluation) predict.Trained {
	model := predict.New(t.Experiment, m, params, run.UnitsOf(t.Experiment, source).Scaling, r.Device)
	model.NumTau, model.Levels = how.numTau, how.levels
	return model
}
