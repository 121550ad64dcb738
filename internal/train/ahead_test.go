package train_test

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/engine"
	"github.com/acqnp/acqnp/internal/engine/device"
	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/internal/random"
	"github.com/acqnp/acqnp/internal/run"
	"github.com/acqnp/acqnp/internal/test/must"
	"github.com/acqnp/acqnp/internal/train"
)

// ahead is a trainer that behaves as a GPU's does: it draws the levels itself, only Loss and State
// report a step's error, and it keeps a loss scale. The CPU's trainer does its work.
type ahead struct {
	engine.Trainer
	levels *random.Generator
	asked  []int // the steps after which Loss was called
	steps  int
	scale  engine.LossScale
	skip   int   // how many steps overflow
	err    error // of the step that failed
}

func (a *ahead) Input(name string) []float32 {
	if name == "u" {
		return nil
	}
	return a.Trainer.Input(name)
}

func (a *ahead) Step(e ops.Extents, batch int, rate float64) error {
	a.steps++
	if a.err != nil {
		return nil
	}
	if a.skip > 0 {
		a.skip--
		a.scale = engine.LossScale{Scale: a.scale.Scale / 2}
		return nil
	}
	a.levels.Fill(uint64(batch), 0, a.Trainer.Input("u")[:e.Rows(ops.Row)])
	a.scale.Good++
	a.err = a.Trainer.Step(e, batch, rate)
	return nil
}

func (a *ahead) Loss() (float32, error) {
	a.asked = append(a.asked, a.steps)
	if a.err != nil {
		return 0, a.err
	}
	return a.Trainer.Loss()
}

func (a *ahead) State() (engine.State, error) {
	if a.err != nil {
		return engine.State{}, a.err
	}
	s, err := a.Trainer.State()
	s.LossScale = a.scale
	return s, err
}

func (a *ahead) Load(s engine.State) error {
	if a.scale = s.LossScale; a.scale.Scale == 0 {
		a.scale.Scale = 1024
	}
	return a.Trainer.Load(s)
}

// asynchronous is a device whose trainers work ahead.
type asynchronous struct {
	device.Device
	skip    int
	trainer *ahead // the last
}

func (d *asynchronous) Trainer(g *ops.Graph, o device.Training) (engine.Trainer, error) {
	inner, err := device.CPU(1).Trainer(g, device.Training{WeightDecay: o.WeightDecay})
	d.trainer = &ahead{Trainer: inner, levels: o.DrawLevels, skip: d.skip}
	return d.trainer, err
}

func TestALossIsAskedForOnlyWhereItIsShown(t *testing.T) {
	d := &asynchronous{Device: device.CPU(1)}
	r := mustTrain(t, train.Options{Experiment: experiment(t, steps(13)), Dir: t.TempDir(), Device: d, OnStep: func(u train.Update) {
		if u.Step == 5 {
			if a, b := u.Loss(), u.Loss(); a != b || a == 0 {
				t.Errorf("losses %v and %v of one step", a, b)
			}
		}
	}})
	if want := []int{3, 5, 6, 9, 12, 13}; !slices.Equal(d.trainer.asked, want) { // logged every 3 steps and at the end
		t.Errorf("asked after steps %v, want %v", d.trainer.asked, want)
	}
	if r.Loss == 0 {
		t.Error("no loss in the end")
	}
}

// The weights are those of the CPU, bit for bit, if the trainer draws the levels.
func TestLevelsMadeElsewhereAreTheSame(t *testing.T) {
	e := experiment(t)
	want := mustTrain(t, train.Options{Experiment: e, Dir: t.TempDir()})
	got := mustTrain(t, train.Options{Experiment: e, Dir: t.TempDir(), Device: &asynchronous{Device: device.CPU(1)}})
	sameTensors(t, got.Checkpoint, want.Checkpoint)
}

func TestWhatGoesWrongAheadIsToldInTime(t *testing.T) {
	for name, c := range map[string]struct {
		log, save int
		watched   bool
		until     int // steps made when it is noticed
	}{
		"at a line of the log":   {log: 7, save: 100, until: 7},
		"before a checkpoint":    {log: 100, save: 8, until: 8},
		"where somebody watches": {log: 100, save: 100, watched: true, until: 6},
		"at the end":             {log: 100, save: 100, until: 12},
	} {
		e := experiment(t, func(e *config.Experiment) { e.Train.LogEvery, e.Train.CheckpointEvery = c.log, c.save })
		d := &asynchronous{Device: device.CPU(1)}
		o := train.Options{Experiment: e, Dir: t.TempDir(), Device: d}
		o.Source = hooked(t, e, nothing)
		poison := func(step int) {
			if step == 5 {
				d.trainer.err = &engine.NonFiniteError{Batch: 5, Quantity: "gradient", Tensor: "_decoder", Value: float32(math.NaN())}
			}
		}
		o.OnStep = func(u train.Update) {
			poison(u.Step)
			if c.watched && u.Step == 6 {
				u.Loss()
			}
		}
		_, err := train.Run(context.Background(), o)
		wantNonFinite(t, err, 6, "gradient", "_decoder")
		if d.trainer.steps != c.until {
			t.Errorf("%s: noticed after %d steps, want %d", name, d.trainer.steps, c.until)
		}
		if steps := metricSteps(t, o.Dir); len(steps) > 0 {
			t.Errorf("%s: logged %v", name, steps)
		}
		if left := files(t, filepath.Join(o.Dir, "checkpoints")); len(left) > 0 {
			t.Errorf("%s: saved %v", name, left)
		}
	}
}

func TestADeviceThatIsLostKeepsTheLastCheckpoint(t *testing.T) {
	e := experiment(t)
	lost := errors.New("the device is lost")
	d := &asynchronous{Device: device.CPU(1)}
	dir := t.TempDir()
	_, err := train.Run(context.Background(), train.Options{Experiment: e, Dir: dir, Device: d, OnStep: func(u train.Update) {
		if u.Step == 6 {
			d.trainer.err = lost
		}
	}})
	if !errors.Is(err, lost) {
		t.Fatalf("error %v", err)
	}
	r := mustTrain(t, train.Options{Experiment: e, Dir: dir, Resume: true}) // elsewhere
	if r.Resumed != 4 {
		t.Errorf("resumed after step %d", r.Resumed)
	}
	want := mustTrain(t, train.Options{Experiment: e, Dir: t.TempDir()})
	sameTensors(t, r.Checkpoint, want.Checkpoint)
}

// The loss scale and the number of updates survive resumes, also one on the CPU.
func TestLossScaleBelongsToTheCheckpoint(t *testing.T) {
	dir := t.TempDir()
	on := func(d device.Device, n int) run.Checkpoint {
		t.Helper()
		r := mustTrain(t, train.Options{Experiment: experiment(t, steps(n)), Dir: dir, Device: d, Resume: true})
		return must.Get(run.ReadCheckpoint(r.Checkpoint, modelOf(t, experiment(t))))(t)
	}
	for _, c := range []struct {
		device  device.Device
		step    int
		updates int
		scale   engine.LossScale
	}{
		{&asynchronous{Device: device.CPU(1), skip: 3}, 5, 2, engine.LossScale{Scale: 128, Good: 2}},
		{device.CPU(1), 9, 6, engine.LossScale{Scale: 128, Good: 2}},
		{&asynchronous{Device: device.CPU(1), skip: 1}, 11, 7, engine.LossScale{Scale: 64, Good: 1}},
	} {
		if got := on(c.device, c.step); got.Updates != c.updates || got.LossScale != c.scale {
			t.Errorf("step %d: %d updates, %+v, want %d, %+v", c.step, got.Updates, got.LossScale, c.updates, c.scale)
		}
	}
}
