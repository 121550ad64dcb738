package train

import (
	"context"
	"fmt"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/engine"
	"github.com/acqnp/acqnp/internal/feed"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/ops"
	"github.com/acqnp/acqnp/internal/run"
)

// A loop is one training in progress.
type loop struct {
	o        Options
	model    *models.Model
	draws    feed.Draws
	capacity ops.Extents // of the trainer: the largest batch
	trainer  engine.Trainer
	loss     lastLoss
	dir      *run.Writer // nil for Bench
	meter    *meter
	config   string       // resolved YAML
	schedule config.Train // with its epochs turned into steps
	units    run.Units
	step     int // steps done
	last     Update

	saved      int    // the step of the newest checkpoint; −1 before there is one
	checkpoint string // its path
}

// run makes the remaining steps and saves checkpoints, the last one also if ctx ends.
func (l *loop) run(ctx context.Context, source datasets.Source) error {
	t := l.schedule
	feeds := feed.Start(source.Train, pointsOf(t), l.draws, l.step, t.Steps)
	defer feeds.Close()
	for l.step < t.Steps && ctx.Err() == nil {
		extents, err := l.load(ctx, feeds)
		if ctx.Err() != nil {
			break
		}
		if err != nil {
			return err
		}
		if err := l.advance(extents); err != nil {
			return err
		}
		if err := l.report(); err != nil {
			return err
		}
		if t.CheckpointEvery > 0 && l.step%t.CheckpointEvery == 0 {
			if err := l.save(); err != nil {
				return err
			}
		}
	}
	if err := l.save(); err != nil {
		return err
	}
	if l.step < t.Steps {
		return ErrInterrupted
	}
	return nil
}

// load waits for the next step's batch and writes it to the trainer.
func (l *loop) load(ctx context.Context, feeds *feed.Ahead) (ops.Extents, error) {
	f, err := feeds.Next(ctx)
	if err != nil {
		return ops.Extents{}, fmt.Errorf("batch %d: %w", l.step, err)
	}
	extents := f.Extents
	if !extents.Fits(l.capacity) {
		return extents, fmt.Errorf("batch %d: found %v, expected at most %v, the source's largest batch", l.step, extents, l.capacity)
	}
	f.Write(l.trainer)
	feeds.Release(f) // another batch can be made in it while this step runs
	return extents, nil
}

// advance makes one step.
func (l *loop) advance(e ops.Extents) error {
	rate := LearningRate(l.schedule, l.step)
	if err := l.trainer.Step(e, l.step, rate); err != nil {
		return l.named(err)
	}
	l.step++
	l.last = l.meter.step(rows(e), Update{Step: l.step, Steps: l.schedule.Steps, Loss: l.loss.ask, LearningRate: rate})
	l.loss.known = false
	return nil
}

// rows returns the decoder's rows: B·N·N_τ, B·N·k with bootstraps, B·N without either.
func rows(e ops.Extents) int { return e.Rows(ops.Point) * max(1, e.Levels) }

// report calls OnStep. At multiples of train.log_every and at the last step it first writes a line
// to the log.
func (l *loop) report() error {
	t := l.schedule
	if l.step == t.Steps || t.LogEvery > 0 && l.step%t.LogEvery == 0 {
		loss := l.loss.get()
		if l.loss.err != nil {
			return l.named(l.loss.err)
		}
		err := l.dir.Log(run.Metrics{Step: l.step, Loss: float32(loss), LearningRate: l.last.LearningRate,
			RowsPerSecond: l.meter.sinceLogged(), Elapsed: l.last.Elapsed.Seconds()})
		if err != nil {
			return err
		}
	}
	if l.o.OnStep != nil {
		l.o.OnStep(l.last)
	}
	return l.named(l.loss.err)
}

// save writes the checkpoint of the current step, unless it is written already. It returns an error
// and saves nothing if the state has a NaN or an infinity.
func (l *loop) save() error {
	if l.saved == l.step {
		return nil
	}
	state, err := l.trainer.State()
	if err != nil {
		return l.named(err)
	}
	e := l.o.Experiment
	c := run.Checkpoint{Step: l.step, Benchmark: e.Benchmark, Model: l.model.Name(), Config: l.config, Version: l.o.Version,
		Kernels: l.o.Device.Kernels(), Elapsed: l.meter.elapsed(), Units: &l.units, State: state}
	if err := l.dir.Save(&c, l.model, e.Train); err != nil {
		return err
	}
	l.saved, l.checkpoint = l.step, c.Path
	return nil
}
