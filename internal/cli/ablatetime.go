package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/progress"
	"github.com/acqnp/acqnp/internal/train"
)

// How much is tried out for an estimate.
const (
	timedSteps   = 4
	timedBatches = 2
	sizedBatches = 50 // whose mean size is that of a step
)

// announce says how long the trials will take on this machine, and what is left out of the paper's protocol. The work
// of a benchmark's model is timed once for each width of network.
func (o *ablateFlags) announce(ctx context.Context, trials []trial, p progress.Reporter) error {
	paces := map[string]pace{}
	var total time.Duration
	steps, batches := 0, 0
	for _, t := range trials {
		source, err := datasets.Open(t.e, o.dataDir)
		if err != nil {
			return err
		}
		dx, dy := source.Dims()
		m, err := models.New(t.e.Model, dx, dy)
		if err != nil {
			return err
		}
		left, err := t.remaining(m, source)
		if err != nil {
			return err
		}
		key := fmt.Sprint(t.e.Benchmark, t.e.Model, t.e.Train.BatchSize, t.e.Train.NumTau, left > 0)
		if _, timed := paces[key]; !timed {
			if paces[key], err = o.time(ctx, t, m, source, left > 0); err != nil {
				return err
			}
		}
		total += time.Duration(left) * paces[key].step
		for _, value := range t.values {
			numTau, _, _ := t.evaluate(value)
			total += time.Duration(float64(source.EvalBatches()*numTau) * paces[key].level)
		}
		steps, batches = steps+left, batches+source.EvalBatches()*len(t.values)
	}
	text := fmt.Sprintf("%s, %d training steps and %d evaluation batches will take about %s on %s",
		plural(len(trials), "run", "runs"), steps, batches, roughly(total), o.device)
	if o.reduced() {
		text += fmt.Sprintf("; reduced for a CPU where no flag says otherwise (%d steps, %d batches, one seed): --full is the paper's protocol",
			reducedSteps, reducedBatches)
	}
	p.Note(text, progress.Field{Name: "runs", Value: len(trials)}, progress.Field{Name: "steps", Value: steps},
		progress.Field{Name: "batches", Value: batches}, progress.Field{Name: "seconds", Value: total.Seconds()},
		progress.Field{Name: "reduced", Value: o.reduced()})
	return nil
}

// roughly rounds to what an estimate is worth.
func roughly(d time.Duration) time.Duration {
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

// pace is how long a training step takes, and an evaluation batch for each of its levels, in nanoseconds.
type pace struct {
	step  time.Duration
	level float64
}

func (o *ablateFlags) time(ctx context.Context, t trial, m *models.Model, source datasets.Source, training bool) (pace, error) {
	var found pace
	var err error
	if training {
		if found.step, err = o.timeSteps(ctx, t, source); err != nil {
			return found, err
		}
	}
	numTau, levels, _ := t.evaluate(t.values[len(t.values)-1])
	var first, last time.Time
	start := time.Now()
	done, err := predict.Evaluate(ctx, predict.EvalOptions{Model: m, Params: m.Initial(0), Source: source,
		Batches: timedBatches, NumTau: numTau, Levels: levels, Seed: t.e.Eval.Seed, Device: o.device,
		OnBatch: func(batch, _ int, _ time.Duration) {
			if last = time.Now(); batch == 1 {
				first = last
			}
		}})
	if err != nil {
		return found, err
	}
	perBatch := last.Sub(first) / max(1, time.Duration(len(done.PerBatch)-1))
	if perBatch == 0 { // there is one batch only
		perBatch = last.Sub(start)
	}
	found.level = float64(perBatch) / float64(numTau)
	return found, nil
}

// timeSteps trains a few steps of a run that is thrown away. Batches differ in size, so time goes by rows.
func (o *ablateFlags) timeSteps(ctx context.Context, t trial, source datasets.Source) (time.Duration, error) {
	var points, trained float64
	var b datasets.Batch
	for i := range sizedBatches {
		if err := source.Train(i, &b); err != nil {
			return 0, err
		}
		points += float64(b.Functions*b.Points) / sizedBatches
		if i < timedSteps && i > 0 {
			trained += float64(b.Functions * b.Points)
		}
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
	_, err = train.Run(few, train.Options{Experiment: t.e, Dir: dir, DataDir: o.dataDir, Device: o.device,
		Source: source, Version: version(), OnStep: func(u train.Update) {
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
	return time.Duration(float64(last-first) / trained * points), nil
}
