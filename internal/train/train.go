package train

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"gorgonia.org/tensor"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/datasets/benchmark"
	"github.com/acqnp/acqnp/internal/datasets/feed"
	"github.com/acqnp/acqnp/internal/engine"
	"github.com/acqnp/acqnp/internal/engine/device"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/internal/run"
	"github.com/acqnp/acqnp/internal/run/footprint"
)

// Run trains until train.steps are done or train.patience runs out, o.Until is reached, the context
// ends or something fails. If the context ends, Run writes a checkpoint and returns ErrInterrupted. For
// bad options, data or files it returns an *invalid.Input before it writes anything. For a NaN or an infinity it returns a *NonFiniteError.
func Run(ctx context.Context, o Options) (Result, error) {
	if o.Source == nil {
		var err error
		if o.Source, err = benchmark.Open(o.Experiment, o.DataDir); err != nil {
			return Result{}, err
		}
		defer o.Source.End()
	}
	if err := checkOptions(o); err != nil {
		return Result{}, err
	}
	l, err := newLoop(o)
	if err != nil {
		return Result{}, err
	}
	r, err := l.inDirectory(ctx, o.Source)
	if closing := l.close(); err == nil {
		err = closing
	}
	return r, err
}

// newLoop returns a loop whose trainer is compiled for the source's largest batch. The caller
// closes it.
func newLoop(o Options) (*loop, error) {
	if o.Device == nil {
		o.Device = device.CPU(0)
	}
	estimate, draws, err := o.estimate()
	if err != nil {
		return nil, err
	}
	model, capacity := estimate.Model, estimate.Capacity
	if err := checkWeights(o, model); err != nil {
		return nil, err
	}
	schedule := o.Experiment.Train
	if schedule.Steps, err = Steps(schedule, o.Source); err != nil {
		return nil, err
	}
	text, err := o.Experiment.YAML()
	if err != nil {
		return nil, err
	}
	var v *validator
	if schedule.ValidateEvery > 0 {
		if v, err = newValidator(o.Experiment, model, o.Source, o.Device); err != nil {
			return nil, err
		}
		estimate.Beside = &v.estimate
	}
	if err := estimate.Check(); err != nil {
		return nil, err
	}
	graph, err := model.Build(tensor.Float32, capacity, models.Training)
	if err != nil {
		return nil, err
	}
	trainer, err := o.Device.Trainer(graph, device.Training{WeightDecay: schedule.WeightDecay, Warn: o.Warn, DrawLevels: draws.Generator()})
	if err != nil {
		return nil, err
	}
	if trainer.Input("u") == nil {
		draws = draws.Elsewhere()
	}
	l := &loop{o: o, model: model, draws: draws, capacity: capacity, trainer: trainer, config: string(text),
		schedule: schedule, units: run.UnitsOf(o.Experiment, o.Source), saved: -1, loss: lastLoss{trainer: trainer, known: true, value: math.NaN()},
		validator: v, average: newAverage(schedule)}
	l.loss.ask = l.loss.get
	if v != nil {
		if err := v.compile(); err != nil {
			return nil, errors.Join(err, l.close())
		}
	}
	return l, nil
}

// estimate returns the estimate of the trainer, without a validator, and the model's random inputs in
// training: levels or bootstraps.
func (o Options) estimate() (e footprint.Estimate, d feed.Draws, err error) {
	dx, dy := o.Source.Dims()
	m, err := models.New(o.Experiment.Model, dx, dy)
	if err != nil {
		return e, d, err
	}
	t := o.Experiment.Train
	d, err = feed.New(m, feed.Choice{NumTau: t.NumTau, Spacing: t.Levels, Bootstraps: o.Experiment.Model.TrainBootstraps, Seed: t.Seed})
	size := o.Source.Train.Size
	return footprint.Estimate{Device: o.Device, Model: m, Mode: models.Training, Feeds: feed.Turns, Keys: o.Source.Train.Keys,
		Capacity: ops.Extents{Groups: size.Groups, Context: size.Context, Points: size.Points, Levels: d.Count()}}, d, err
}

// Bytes returns how much of the host's memory a run takes, without its data and its validation. It
// needs o.Source and o.Device.
func Bytes(o Options) (float64, error) {
	e, _, err := o.estimate()
	if err != nil {
		return 0, err
	}
	return e.Bytes()
}

func (l *loop) close() error {
	l.loss.trainer = nil
	return errors.Join(l.validator.close(), l.trainer.Close())
}

// inDirectory opens and locks the run directory, trains in it and closes it.
func (l *loop) inDirectory(ctx context.Context, source *datasets.Source) (r Result, err error) {
	if l.o.Resume {
		l.dir, err = run.Resume(l.o.Dir, l.o.Warn)
	} else {
		l.dir, err = run.Create(l.o.Dir, l.o.Overwrite)
	}
	if err != nil {
		return Result{}, err
	}
	r, err = l.train(ctx, source)
	return r, errors.Join(err, l.dir.Close())
}

// train restores the run in the directory, if it is to be resumed, and makes the remaining steps.
func (l *loop) train(ctx context.Context, source *datasets.Source) (Result, error) {
	var elapsed time.Duration
	if l.o.Resume {
		var err error
		if elapsed, err = l.restore(); err != nil {
			return Result{}, err
		}
	}
	from := l.step
	result := func() Result {
		r := Result{Checkpoint: l.checkpoint, Step: l.step, Resumed: from, Loss: l.loss.get(), Elapsed: elapsed, Ended: l.ended(), Start: l.o.Start}
		if r.Ended == "" && l.step >= l.stop() {
			r.Ended = EndedByUntil
		}
		if l.valid.Step > 0 {
			r.Best = &Best{Checkpoint: l.dir.BestPath(), Step: l.valid.Step, ValidLL: l.valid.Best}
		}
		return r
	}
	if l.saved >= l.stop() {
		r := result()
		r.Finished = l.saved == l.end()
		return r, l.endHere()
	}
	l.meter = newMeter(elapsed)
	if err := l.begin(); err != nil {
		return Result{}, err
	}
	if l.o.OnStart != nil {
		l.o.OnStart(Start{Step: l.step, Steps: l.schedule.Steps, Parameters: l.model.NumParams(), Replanned: l.replanned})
	}
	err := l.run(ctx, source)
	elapsed = l.meter.elapsed()
	return result(), err
}

// restore loads the newest good checkpoint, if the run has one, and returns its training time.
func (l *loop) restore() (time.Duration, error) {
	c, err := l.dir.Restore(l.o.Experiment, l.model, l.units)
	if err != nil || c == nil {
		return 0, err
	}
	if err := l.replan(*c); err != nil {
		return 0, err
	}
	l.step, l.saved, l.checkpoint, l.valid = c.Step, c.Step, c.Path, c.Validation
	l.average.of = c.Average
	if c.Start != (run.Start{}) { // whatever this command names
		l.o.Start = c.Start
	}
	l.compareKernels(*c)
	return c.Elapsed, l.trainer.Load(c.State)
}

// compareKernels warns if the checkpoint was written with CPU kernels that compute other bits than
// those in use, and keeps their names for the next checkpoints.
func (l *loop) compareKernels(c run.Checkpoint) {
	now := l.o.Device.Kernels()
	l.earlier = slices.Clone(c.Earlier)
	if c.Kernels == "" || now == "" || device.SameBits(c.Kernels, now) {
		return
	}
	if !slices.Contains(l.earlier, c.Kernels) {
		l.earlier = append(l.earlier, c.Kernels)
	}
	if l.o.Warn == nil {
		return
	}
	differ := "last bits"
	if device.InBF16(c.Kernels) != device.InBF16(now) {
		differ = "numbers"
	}
	l.o.Warn(fmt.Sprintf("%s: the checkpoint was written with %s kernels; this run uses %s, so its %s will differ. "+
		"Set %s to reproduce them.",
		c.Path, device.KernelsTitle(c.Kernels), device.KernelsTitle(now), differ, device.KernelsSettings(c.Kernels, now)))
}

// begin opens the logs, loads a fresh run's weights and writes split.csv and config.yaml,
// in this order: imported weights are in a checkpoint before the directory counts as a run, so a resume
// never needs their file.
func (l *loop) begin() error {
	if err := l.dir.OpenLog(l.step); err != nil {
		return err
	}
	if err := l.o.Events.Start(l.step + 1); err != nil {
		return err
	}
	if l.saved < 0 { // not restored
		if err := l.initialise(); err != nil {
			return err
		}
	}
	if err := l.dir.WriteSplit(l.o.Source.Split); err != nil {
		return err
	}
	return l.dir.WriteConfig(l.config)
}

// initialise loads a fresh run's weights into the trainer. It saves imported ones as step 0.
func (l *loop) initialise() error {
	params, err := l.o.Start.Params(l.model, l.schedule.Seed)
	if err == nil {
		err = l.trainer.Load(engine.State{Params: params})
	}
	if err == nil && l.o.Start.File() != "" {
		err = l.save()
	}
	return err
}

// checkWeights reads the weights file, to refuse a bad one before anything is written. A run that is
// resumed from a checkpoint does not need the file.
func checkWeights(o Options, m *models.Model) error {
	if o.Start.File() == "" || o.Resume && run.HasCheckpoint(o.Dir) {
		return nil
	}
	_, err := o.Start.Params(m, 0)
	return err
}

func checkOptions(o Options) error {
	switch {
	case o.Resume && o.Overwrite:
		return &invalid.Input{File: "--resume", Found: "--overwrite beside it", Expected: "one of the two"}
	case o.Dir == "":
		return &invalid.Input{File: "--run-dir", Found: "nothing", Expected: "a directory for the run"}
	}
	return nil
}

// Steps returns the number of training steps: train.steps, or those in train.epochs. It returns an
// *invalid.Input for epochs of a source without a fixed training split.
func Steps(t config.Train, source *datasets.Source) (int, error) {
	if t.Epochs == 0 {
		return t.Steps, nil
	}
	if n := source.StepsPerEpoch; n > 0 {
		return t.Epochs * n, nil
	}
	return 0, &invalid.Input{Key: "train.epochs", Found: strconv.Itoa(t.Epochs),
		Expected: "train.steps instead, since the benchmark has no fixed training split"}
}

// pointsOf returns the points whose mean log-likelihood is the loss.
func pointsOf(t config.Train) feed.Points {
	if t.Loss == config.Targets {
		return feed.TargetPoints
	}
	return feed.AllPoints
}
