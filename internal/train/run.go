package train

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"gorgonia.org/tensor"

	"github.com/acqnp/acqnp/internal/atomicfile"
	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/device"
	"github.com/acqnp/acqnp/internal/engine"
	"github.com/acqnp/acqnp/internal/feed"
	"github.com/acqnp/acqnp/internal/input"
	"github.com/acqnp/acqnp/internal/memory"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/ops"
)

// Run trains until train.steps are done, the context ends (ErrInterrupted, after a checkpoint) or something fails.
// Bad options, data and files are an *input.Error, found before anything is written; NaN and infinity are a
// *NonFiniteError.
func Run(ctx context.Context, o Options) (Result, error) {
	if o.Source == nil {
		var err error
		if o.Source, err = datasets.Open(o.Experiment, o.DataDir); err != nil {
			return Result{}, err
		}
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

// newLoop makes the trainer for the source's largest batch. The caller closes it.
func newLoop(o Options) (*loop, error) {
	source := o.Source
	dx, dy := source.Dims()
	model, err := models.New(o.Experiment.Model, dx, dy)
	if err != nil {
		return nil, err
	}
	if err := checkWeights(o, model); err != nil {
		return nil, err
	}
	schedule := o.Experiment.Train
	if schedule.Steps, err = Steps(schedule, source); err != nil {
		return nil, err
	}
	draws, err := drawsOf(model, o.Experiment)
	if err != nil {
		return nil, err
	}
	text, err := o.Experiment.YAML()
	if err != nil {
		return nil, err
	}
	size := source.TrainSize()
	capacity := ops.Extents{Functions: size.Functions, Context: size.Context, Points: size.Points, Levels: draws.Count()}
	if o.Device == nil {
		o.Device = device.CPU(0)
	}
	if err := (memory.Plan{Device: o.Device, Model: model, Mode: models.Training, Capacity: capacity, Feeds: feed.Turns,
		Keys: datasets.TrainKeys(source)}).Check(); err != nil {
		return nil, err
	}
	graph, err := model.Build(tensor.Float32, capacity, models.Training)
	if err != nil {
		return nil, err
	}
	trainer, err := o.Device.Trainer(graph, device.Training{WeightDecay: schedule.WeightDecay, Levels: draws.Generator()})
	if err != nil {
		return nil, err
	}
	if trainer.Input("u") == nil {
		draws = draws.Elsewhere()
	}
	l := &loop{o: o, model: model, draws: draws, capacity: capacity, trainer: trainer, config: string(text),
		train: schedule, units: UnitsOf(o.Experiment, source), saved: -1, loss: lastLoss{trainer: trainer, known: true, value: math.NaN()}}
	l.loss.ask = l.loss.get
	return l, nil
}

func (l *loop) close() error {
	l.loss.trainer = nil
	return l.trainer.Close()
}

// inDirectory opens the run directory, restores the run in it or starts one, and trains.
func (l *loop) inDirectory(ctx context.Context, source datasets.Source) (Result, error) {
	unlock, err := openRunDir(l.o.Dir, l.o.Resume, l.o.Overwrite)
	if err != nil {
		return Result{}, err
	}
	defer unlock()
	var elapsed time.Duration
	if l.o.Resume {
		if elapsed, err = l.restore(); err != nil {
			return Result{}, err
		}
	}
	from := l.step
	result := func() Result {
		r := Result{Step: l.step, Resumed: from, Loss: l.loss.get(), Elapsed: elapsed}
		if l.saved >= 0 {
			r.Checkpoint = checkpointPath(l.o.Dir, l.saved)
		}
		return r
	}
	if l.saved == l.train.Steps {
		r := result()
		r.Finished = true
		return r, nil
	}
	l.meter = newMeter(elapsed)
	if err := l.begin(); err != nil {
		return Result{}, err
	}
	if l.o.OnStart != nil {
		l.o.OnStart(Start{Step: l.step, Steps: l.train.Steps, Parameters: l.model.NumParams()})
	}
	err = l.run(ctx, source)
	elapsed = l.meter.elapsed()
	return result(), errors.Join(err, l.metrics.close())
}

// restore takes up the newest good checkpoint, if the directory holds a run that has got so far.
func (l *loop) restore() (time.Duration, error) {
	file := filepath.Join(l.o.Dir, configFile)
	old, err := input.ReadFile(file, "the configuration of a run", 1<<20)
	switch {
	case err == nil:
		err = checkConfig(file, string(old), l.o.Experiment)
	case errors.Is(err, os.ErrNotExist):
		err = nil
	}
	if err != nil {
		return 0, err
	}
	steps, err := checkpointSteps(l.o.Dir)
	if err != nil || len(steps) == 0 {
		return 0, err
	}
	c, skipped, err := newest(l.o.Dir, l.model, l.o.Warn, func(c Checkpoint) error {
		return checkConfig(c.Path, c.Config, l.o.Experiment)
	})
	if err != nil {
		return 0, err
	}
	if c.Units != nil {
		if err := CheckData(l.o.Dir, *c.Units, l.units); err != nil {
			return 0, err
		}
	}
	if c.Step > l.train.Steps {
		return 0, l.tooFar(c.Step)
	}
	l.step, l.saved, l.unusable = c.Step, c.Step, skipped
	l.compareKernels(c)
	return c.Elapsed, l.trainer.Load(c.State)
}

// compareKernels warns where the CPU kernels that wrote the checkpoint compute other bits than those in force.
func (l *loop) compareKernels(c Checkpoint) {
	now := l.o.Device.Kernels()
	if l.o.Warn == nil || c.Kernels == "" || now == "" || device.SameBits(c.Kernels, now) {
		return
	}
	l.o.Warn(fmt.Sprintf("%s: the checkpoint was written with %s kernels; this run uses %s, so its last bits will differ. "+
		"Set %s=%s to reproduce them.",
		c.Path, device.KernelsTitle(c.Kernels), device.KernelsTitle(now), device.KernelsVariable, c.Kernels))
}

// tooFar says that the run has made more steps than it is to make.
func (l *loop) tooFar(step int) error {
	key, found := "train.steps", strconv.Itoa(l.train.Steps)
	if l.train.Epochs > 0 {
		key, found = "train.epochs", fmt.Sprintf("%d, which is %d steps", l.train.Epochs, l.train.Steps)
	}
	return &input.Error{File: l.o.Dir, Key: key, Found: found,
		Expected: fmt.Sprintf("at least %d steps, which the run has done already", step)}
}

// begin sets a fresh run's weights and writes what a run has before its first step. Imported weights are saved at
// once, and before the configuration that makes the directory a run's, so that going on never needs their file.
func (l *loop) begin() (err error) {
	if l.metrics, err = openMetrics(filepath.Join(l.o.Dir, metricsFile), l.step, l.o.Warn); err != nil {
		return err
	}
	if l.saved < 0 { // not restored
		if err := l.initialise(); err != nil {
			return err
		}
	}
	return atomicfile.WriteBytes(filepath.Join(l.o.Dir, configFile), []byte(l.config))
}

// initialise gives the trainer a fresh run's weights.
func (l *loop) initialise() error {
	if l.o.Weights == "" {
		return l.trainer.Load(engine.State{Params: l.model.Initial(l.train.Seed)})
	}
	params, err := ReadWeights(l.o.Weights, l.model)
	if err == nil {
		err = l.trainer.Load(engine.State{Params: params})
	}
	if err == nil {
		err = l.save()
	}
	return err
}

// checkWeights refuses a bad weights file before anything is written, unless there is a run to resume, which does not
// need it any more.
func checkWeights(o Options, m *models.Model) error {
	if o.Weights == "" {
		return nil
	}
	if steps, err := checkpointSteps(o.Dir); o.Resume && err == nil && len(steps) > 0 {
		return nil
	}
	_, err := ReadWeights(o.Weights, m)
	return err
}

func checkOptions(o Options) error {
	switch {
	case o.Resume && o.Overwrite:
		return &input.Error{File: "--resume", Found: "--overwrite beside it", Expected: "one of the two"}
	case o.Dir == "":
		return &input.Error{File: "--run-dir", Found: "nothing", Expected: "a directory for the run"}
	}
	return nil
}

// Steps is how many steps training makes, train.steps or those of train.epochs. Epochs of a source without a fixed
// training split are an *input.Error.
func Steps(t config.Train, source datasets.Source) (int, error) {
	if t.Epochs == 0 {
		return t.Steps, nil
	}
	if s, ok := source.(datasets.Epochs); ok {
		return t.Epochs * s.StepsPerEpoch(), nil
	}
	return 0, &input.Error{Key: "train.epochs", Found: strconv.Itoa(t.Epochs),
		Expected: "train.steps, as the benchmark has no fixed training split"}
}

// drawsOf is what the model reads besides points in training.
func drawsOf(m *models.Model, e config.Experiment) (feed.Draws, error) {
	return feed.New(m, feed.Choice{
		NumTau: e.Train.NumTau, Levels: feed.RandomLevels, Bootstraps: e.Model.TrainBootstraps, Seed: e.Train.Seed,
	})
}
