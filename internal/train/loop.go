package train

import (
	"context"
	"fmt"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/datasets/feed"
	"github.com/acqnp/acqnp/internal/engine"
	"github.com/acqnp/acqnp/internal/files/tfevents"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/models/ops"
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
	step     int      // steps done
	earlier  []string // see run.Checkpoint
	last     Update

	replanned string // see Start

	validator *validator // nil without validation
	valid     run.Validation
	average   average

	saved      int    // the step of the newest checkpoint; −1 before there is one
	checkpoint string // its path
}

// run makes the remaining steps and saves checkpoints, the last one also if ctx ends.
func (l *loop) run(ctx context.Context, source *datasets.Source) error {
	t := l.schedule
	feeds := feed.Start(source.Train.Make, pointsOf(t), l.draws, l.step, t.Steps)
	defer feeds.Close()
	for l.step < l.stop() && ctx.Err() == nil {
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
		if err := l.updateAverage(); err != nil {
			return err
		}
		if err := l.validateAndReport(); err != nil {
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
	if l.step < l.stop() {
		return ErrInterrupted
	}
	return nil
}

// end returns the step after which training ends, as far as is known yet.
func (l *loop) end() int { return lastStep(l.schedule, l.valid.Out) }

// stop returns the step after which Run stops: the end, or Until if that is before it.
func (l *loop) stop() int {
	if l.o.Until > 0 {
		return min(l.o.Until, l.end())
	}
	return l.end()
}

// ended returns what ended the run; "" if it is not at its end.
func (l *loop) ended() string {
	switch {
	case l.step < l.end():
		return ""
	case l.valid.Out > 0:
		return run.EndedByPatience
	}
	return run.EndedBySteps
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
	rate := LearningRate(l.schedule, l.valid.Out, l.step)
	if err := l.trainer.Step(e, l.step, rate); err != nil {
		return l.named(err)
	}
	l.step++
	l.last = l.meter.step(rows(e), Update{Step: l.step, Steps: l.end(), Loss: l.loss.ask, LearningRate: rate})
	l.loss.known = false
	return nil
}

// rows returns the decoder's rows: B·N·N_τ, B·N·k with bootstraps, B·N without either.
func rows(e ops.Extents) int { return e.Rows(ops.Point) * max(1, e.Levels) }

// report calls OnStep. At multiples of train.log_every, after a validation and at the last step it
// first writes a line to the log. ll is the validation's log-likelihood, nil without one.
func (l *loop) report(ll *float64) error {
	t, ended := l.schedule, l.ended()
	if ended != "" || ll != nil || t.LogEvery > 0 && l.step%t.LogEvery == 0 {
		loss := l.loss.get()
		if l.loss.err != nil {
			return l.named(l.loss.err)
		}
		m := run.Metrics{Step: l.step, Loss: float32(loss), LearningRate: l.last.LearningRate,
			RowsPerSecond: l.meter.sinceLogged(), Elapsed: l.last.Elapsed.Seconds(),
			ValidLL: ll, Ended: ended}
		if err := l.dir.Log(m); err != nil {
			return err
		}
		if err := l.o.Events.Scalars(m.Step, scalars(m)...); err != nil {
			return err
		}
	}
	if l.o.OnStep != nil {
		l.o.OnStep(l.last)
	}
	return l.named(l.loss.err)
}

// ReopenEvents begins a file of events with the last step of a finished run, for its picture: the run
// may have been killed before the picture was drawn.
func ReopenEvents(o Options) error {
	lines, err := run.Validated(o.Dir)
	if err != nil || len(lines) == 0 {
		return err
	}
	last := lines[len(lines)-1]
	if err := o.Events.Start(last.Step); err != nil {
		return err
	}
	return o.Events.Scalars(last.Step, scalars(last)...)
}

// scalars returns what TensorBoard shows of a line of the log, under the same names.
func scalars(m run.Metrics) []tfevents.Scalar {
	all := []tfevents.Scalar{{Tag: "loss", Value: m.Loss}, {Tag: "learning_rate", Value: float32(m.LearningRate)}}
	if m.ValidLL != nil {
		all = append(all, tfevents.Scalar{Tag: "valid_ll", Value: float32(*m.ValidLL)})
	}
	return all
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
	c := l.current(state)
	if err := l.dir.Save(&c, l.model, l.o.Experiment.Train); err != nil {
		return err
	}
	l.saved, l.checkpoint = l.step, c.Path
	return nil
}

// current returns the checkpoint of the current step. state is the trainer's.
func (l *loop) current(state engine.State) run.Checkpoint {
	return run.Checkpoint{Step: l.step, Benchmark: l.o.Experiment.Benchmark, Model: l.model.Name(), Config: l.config,
		Version: l.o.Version, Kernels: l.o.Device.Kernels(), Earlier: l.earlier, Elapsed: l.meter.elapsed(), Units: &l.units,
		Start: l.o.Start, Validation: l.valid, Average: l.average.of, State: state}
}
