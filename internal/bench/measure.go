// Package bench measures how fast a model trains.
//
// Measure times training steps and sets them beside what the CPU could do at most. Experiment
// changes a configuration so that every step has the same number of points, which makes results
// comparable.
package bench

import (
	"context"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/device"
	"github.com/acqnp/acqnp/internal/progress"
	"github.com/acqnp/acqnp/internal/train"
)

// warmup is how many steps come before those that are timed.
const warmup = 3

// Options says what is measured.
type Options struct {
	Experiment config.Experiment
	Source     datasets.Source
	DataDir    string
	Device     device.Device
	Threads    int // of the CPU, 1 at least
	Points     int // of every function, as Experiment was told; 0: as the benchmark draws them
	Steps      int
	Version    string // of the program
	Progress   progress.Reporter
}

// Measure times training steps, all of each from making its batch to Adam. It writes nothing.
func Measure(ctx context.Context, o Options) (Result, error) {
	before := o.peak()
	timings, err := o.time(ctx)
	if err != nil {
		return Result{}, err
	}
	r := summarise(timings, max(before, o.peak()))
	r.Benchmark, r.Model = o.Experiment.Benchmark, o.Experiment.Model.Name
	r.Device, r.Kernels, r.Threads = o.Device.Name(), o.Device.Kernels(), o.Threads
	r.Points, r.Steps, r.Version = o.Points, o.Steps, o.Version
	return r, nil
}

// peak returns the CPU's peak in floating-point operations per second, 0 if another device
// computes.
func (o Options) peak() float64 {
	if o.Device.Name() != "cpu" {
		return 0
	}
	return device.FMAPeak(o.Threads)
}

// time runs the steps and shows how far they are.
func (o Options) time(ctx context.Context) ([]train.Timing, error) {
	o.Progress.Begin("bench", "step", 0, warmup+o.Steps)
	defer o.Progress.End()
	return train.Bench(ctx, train.Options{
		Experiment: o.Experiment, DataDir: o.DataDir, Device: o.Device, Source: o.Source,
		OnStep: func(u train.Update) { o.Progress.Update(progress.State{Done: u.Step, RowsPerSecond: u.RowsPerSecond}) },
	}, warmup, o.Steps)
}
