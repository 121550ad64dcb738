package ablate

import (
	"context"
	"fmt"

	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/device"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/progress"
	"github.com/acqnp/acqnp/internal/run"
	"github.com/acqnp/acqnp/internal/train"
)

// Runner trains and evaluates trials.
type Runner struct {
	DataDir  string
	Device   device.Device
	Version  string // of the program
	Progress progress.Reporter
	Threads  int // of the engine, at least 1
}

// Run trains the trials that are to be trained and evaluates every trial at each of its values. It
// resumes the runs that it finds in their directories.
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
	source, err := datasets.Open(t.Experiment, r.DataDir)
	if err != nil {
		return nil, err
	}
	if t.Train {
		_, err := train.RunShown(ctx, train.Options{Experiment: t.Experiment, Dir: t.Dir, DataDir: r.DataDir, Device: r.Device,
			Resume: true, Source: source, Version: r.Version}, r.Threads, r.Progress)
		if err != nil {
			return nil, err
		}
	}
	trained, err := run.Open(t.Dir)
	if err != nil {
		return nil, err
	}
	trained.Experiment = t.Experiment // as changed by the protocol
	model, err := predict.LoadRun(trained, run.Preferred, run.UnitsOf(t.Experiment, source), r.Device, r.Progress.Warn)
	if err != nil {
		return nil, err
	}
	var results []Result
	for _, value := range t.values {
		how := t.at(value)
		e, err := how.of(model).Evaluate(ctx, source, predict.EvalOptions{Version: r.Version, Progress: r.Progress, Task: "evaluate " + how.words})
		if err != nil {
			return nil, err
		}
		results = append(results, Result{Run: t.Dir, Seed: t.Experiment.Train.Seed, Steps: *model.Weights.Step,
			Size: t.Experiment.Model.Size(), Value: value, Eval: e})
	}
	return results, nil
}

// of returns the model with the number and choice of levels of this evaluation.
func (how evaluation) of(model predict.Trained) predict.Trained {
	model.NumTau, model.Levels = how.numTau, how.levels
	if how.levels == "" {
		model = model.Evenly()
	}
	return model
}
