// Package train fits a model to a data source: the loop, Adam, learning-rate schedules, checkpoints and the run
// directory that holds them. A run that was stopped anywhere goes on to the same bits as one that was not.
package train

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/device"
	"github.com/acqnp/acqnp/internal/engine"
	"github.com/acqnp/acqnp/internal/feed"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/ops"
	"github.com/acqnp/acqnp/internal/run"
)

// Options say what to train and where.
type Options struct {
	Experiment config.Experiment // resolved and checked
	Dir        string            // the run directory
	DataDir    string            // where data sets that come as files are
	Device     device.Device     // where to compute; nil is the CPU with all its cores
	Resume     bool              // go on with the run in Dir, or start one where there is none
	Overwrite  bool              // remove the run in Dir first
	Source     datasets.Source   // the experiment's, where it is open already; nil opens it
	Weights    string            // a safetensors file of PyTorch-named weights to start from; "" draws them
	Version    string            // of this program, for the checkpoints

	OnStart func(Start)       // before the first step, unless there is none to do; may be nil
	OnStep  func(Update)      // after every step; may be nil
	Warn    func(line string) // about checkpoints that were skipped or that other CPU kernels wrote; may be nil
}

// Start is what is about to run.
type Start struct {
	Step, Steps int // steps done and to do, all resumes together
	Parameters  int // of the model
}

// Update is the state after a step.
type Update struct {
	Step, Steps   int            // steps done and to do, all resumes together
	Loss          func() float64 // of the newest step's batch; asking makes a device wait that works ahead
	LearningRate  float64
	RowsPerSecond float64       // B·N·N_τ, B·N·k with bootstraps, B·N without either, since this process began
	Elapsed       time.Duration // training time over all resumes
	Left          time.Duration
}

// Result is what Run leaves behind.
type Result struct {
	Checkpoint string // path of the last checkpoint
	Step       int    // steps done, all resumes together
	Resumed    int    // the step that this run started from; 0 for a fresh one
	Finished   bool   // there was nothing left to do: the run in Dir was complete already
	Loss       float64
	Elapsed    time.Duration
}

// ErrInterrupted says that the context ended and that a checkpoint of the last step was written.
var ErrInterrupted = errors.New("interrupted: a checkpoint was written, --resume continues")

// NonFiniteError stops a run at the first step with a NaN or an infinity. Nothing of this step is saved.
type NonFiniteError struct {
	Step       int    // the step that failed, counted from 1 as in metrics.jsonl
	Seed       uint64 // of its batch
	Quantity   string // "loss", "gradient", "weight", or an Adam moment, "m" or "v"
	Tensor     string // "loss", or the first tensor that holds the value
	Value      float32
	Checkpoint string // path of the newest checkpoint; "" if none was written before this step
}

func (e *NonFiniteError) Error() string {
	what := "the loss"
	switch e.Quantity {
	case "m", "v":
		what = fmt.Sprintf("Adam's moment %s of %s", e.Quantity, e.Tensor)
	case "gradient", "weight":
		what = fmt.Sprintf("the %s of %s", e.Quantity, e.Tensor)
	}
	last := "no checkpoint was written before it"
	if e.Checkpoint != "" {
		last = "the last checkpoint before it is " + e.Checkpoint
	}
	return fmt.Sprintf("training diverged at step %d (batch %d of seed %d): %s is %v; %s; a lower train.learning_rate may help",
		e.Step, e.Step-1, e.Seed, what, e.Value, last)
}

// loop is a run under way.
type loop struct {
	o        Options
	model    *models.Model
	draws    feed.Draws
	capacity ops.Extents // of the program
	trainer  engine.Trainer
	loss     lastLoss
	dir      *run.Writer // nil for a benchmark
	meter    *meter
	config   string       // resolved YAML
	schedule config.Train // with its epochs turned into steps
	units    run.Units
	step     int // steps done
	last     Update

	saved      int    // the step of the newest checkpoint; −1 before there is one
	checkpoint string // its path
}

// run makes the steps that are left.
func (l *loop) run(ctx context.Context, source datasets.Source) error {
	t := l.schedule
	feeds := feed.Start(source.Train, l.draws, l.step, t.Steps)
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
		return extents, fmt.Errorf("batch %d: its source promised at most %v and made %v", l.step, l.capacity, extents)
	}
	f.Write(l.trainer)
	feeds.Release(f) // the next but one can be made while this one runs
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

// rows are the decoder's: B·N·N_τ, B·N·k with bootstraps, B·N without either.
func rows(e ops.Extents) int { return e.Rows(ops.Point) * max(1, e.Levels) }

// named adds the step and the newest checkpoint to an engine's *NonFiniteError. It returns other errors unchanged.
func (l *loop) named(err error) error {
	if err == nil {
		return nil
	}
	var bad *engine.NonFiniteError
	if !errors.As(err, &bad) {
		return err
	}
	return &NonFiniteError{Step: bad.Batch + 1, Seed: l.schedule.Seed, Quantity: bad.Quantity, Tensor: bad.Tensor,
		Value: bad.Value, Checkpoint: l.checkpoint}
}

// lastLoss is the loss of the last step. It asks the trainer only when it is asked itself.
type lastLoss struct {
	trainer engine.Trainer // nil once the trainer is closed
	known   bool           // value is the last step's
	value   float64        // NaN before the first step and after an error
	err     error
	ask     func() float64 // get, made once so that steps need not
}

func (l *lastLoss) get() float64 {
	if l.known || l.trainer == nil {
		return l.value
	}
	l.known = true
	v, err := l.trainer.Loss()
	l.err, l.value = err, float64(v)
	if err != nil {
		l.value = math.NaN()
	}
	return l.value
}

// report tells whoever watches, and at multiples of log_every and at the last step the log.
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

// save writes the checkpoint of the present step, unless there is one. A state with a NaN or an infinity is an error and
// is not saved.
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
