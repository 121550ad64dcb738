package ablate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/run"
	"github.com/acqnp/acqnp/internal/train"
)

// How much Estimate tries out.
const (
	timedSteps   = 4  // training steps
	timedBatches = 2  // evaluation batches
	sizedBatches = 50 // training batches whose mean size stands for all
)

// Work is the remaining work of trials, and its approximate time on this machine.
type Work struct {
	Steps, Batches int // training steps, evaluation batches
	Time           time.Duration
}

// Roughly returns the time, rounded to the precision of an estimate.
func (w Work) Roughly() time.Duration {
	d := w.Time
	switch {
	case d < 10*time.Second:
		return max(time.Second, d.Round(time.Second))
	case d < 10*time.Minute:
		return d.Round(10 * time.Second)
	case d < 10*time.Hour:
		return d.Round(time.Minute)
	}
	return d.Round(time.Hour)
}

// Estimate counts the remaining work of trials. It times a few steps and batches, once for each
// benchmark and architecture.
func (r Runner) Estimate(ctx context.Context, trials []Trial) (Work, error) {
	paces := map[string]pace{}
	var work Work
	for _, t := range trials {
		model, source, err := r.untrained(t)
		if err != nil {
			return work, err
		}
		steps, err := t.remaining(model.Model, source)
		if err != nil {
			return work, err
		}
		e := t.Experiment
		key := fmt.Sprint(e.Benchmark, e.Model, e.Train.BatchSize, e.Train.NumTau, steps > 0)
		if _, timed := paces[key]; !timed {
			if paces[key], err = r.time(ctx, t, model, source, steps > 0); err != nil {
				return work, err
			}
		}
		work.Time += time.Duration(steps) * paces[key].step
		for _, value := range t.values {
			work.Time += time.Duration(float64(source.EvalBatches()*t.at(value).numTau) * paces[key].level)
		}
		work.Steps, work.Batches = work.Steps+steps, work.Batches+source.EvalBatches()*len(t.values)
	}
	return work, nil
}

// untrained returns a trial's model with initial weights, and its source of data.
func (r Runner) untrained(t Trial) (predict.Trained, datasets.Source, error) {
	source, err := datasets.Open(t.Experiment, r.DataDir)
	if err != nil {
		return predict.Trained{}, nil, err
	}
	dx, dy := source.Dims()
	m, err := models.New(t.Experiment.Model, dx, dy)
	if err != nil {
		return predict.Trained{}, nil, err
	}
	return predict.New(t.Experiment, m, m.Initial(0), run.UnitsOf(t.Experiment, source), r.Device), source, nil
}

// remaining returns the number of steps that a trial has not trained yet. A finished run must have
// a good checkpoint.
func (t Trial) remaining(m *models.Model, source datasets.Source) (int, error) {
	if !t.Train {
		_, err := t.load(m)
		return 0, err
	}
	steps, err := train.Steps(t.Experiment.Train, source)
	if err != nil {
		return 0, err
	}
	if c, err := t.load(m); err == nil { // otherwise there is no checkpoint yet
		steps = max(0, steps-c.Step)
	}
	return steps, nil
}

// load reads the newest good checkpoint of the trial's run.
func (t Trial) load(m *models.Model) (run.Checkpoint, error) {
	r, err := run.Open(t.Dir)
	if err != nil {
		return run.Checkpoint{}, err
	}
	return r.Load(run.Newest, m, nil)
}

// pace holds the times of a training step and of one level of an evaluation batch.
type pace struct {
	step  time.Duration
	level float64 // nanoseconds
}

// time measures a trial's pace. It times steps only if training is set.
func (r Runner) time(ctx context.Context, t Trial, model predict.Trained, source datasets.Source, training bool) (pace, error) {
	var found pace
	var err error
	if training {
		if found.step, err = r.timeSteps(ctx, t, source); err != nil {
			return found, err
		}
	}
	model = t.at(t.values[len(t.values)-1]).of(model)
	o := predict.EvalOptions{Batches: timedBatches}
	var first, last time.Time
	o.OnBatch = func(batch, _ int, _ time.Duration) {
		if last = time.Now(); batch == 1 {
			first = last
		}
	}
	start := time.Now()
	done, err := model.Evaluate(ctx, source, o)
	if err != nil {
		return found, err
	}
	perBatch := last.Sub(first) / max(1, time.Duration(done.Batches-1))
	if perBatch == 0 { // there is one batch only
		perBatch = last.Sub(start)
	}
	found.level = float64(perBatch) / float64(model.NumTau)
	return found, nil
}

// timeSteps trains a few steps in a temporary directory and returns the mean time of a step.
// Batches differ in size, so it measures time per point.
func (r Runner) timeSteps(ctx context.Context, t Trial, source datasets.Source) (time.Duration, error) {
	mean, timed, err := points(source)
	if err != nil {
		return 0, err
	}
	dir, err := os.MkdirTemp("", "acqnp-time-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	few, stop := context.WithCancel(ctx)
	defer stop()
	var first, last time.Duration
	start := time.Now()
	_, err = train.Run(few, train.Options{Experiment: t.Experiment, Dir: dir, DataDir: r.DataDir, Device: r.Device,
		Source: source, Version: r.Version, OnStep: func(u train.Update) {
			if u.Step == 1 || u.Step >= timedSteps {
				u.Loss() // waits for a device that works ahead
			}
			if last = time.Since(start); u.Step == 1 {
				first = last
			}
			if u.Step >= timedSteps {
				stop()
			}
		}})
	if err != nil && !(errors.Is(err, train.ErrInterrupted) && ctx.Err() == nil) {
		return 0, err
	}
	if last == first { // there is one step only
		return last, nil
	}
	return time.Duration(float64(last-first) / timed * mean), nil
}

// points returns the mean number of points of a training step, and the sum of points of the timed
// steps after the first.
func points(source datasets.Source) (mean, timed float64, err error) {
	var b datasets.Batch
	for i := range sizedBatches {
		if err := source.Train(i, &b); err != nil {
			return 0, 0, err
		}
		mean += float64(b.Functions*b.Points) / sizedBatches
		if i < timedSteps && i > 0 {
			timed += float64(b.Functions * b.Points)
		}
	}
	return mean, timed, nil
}
