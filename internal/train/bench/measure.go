// Package bench measures how fast a model trains.
//
// [Measure] times training steps and compares their floating-point operations with the CPU's peak.
// [Experiment] reads a configuration and can give every step the same number of points, which makes
// results comparable.
package bench

import (
	"context"
	"time"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/engine/device"
	"github.com/acqnp/acqnp/internal/progress"
	"github.com/acqnp/acqnp/internal/simd"
	"github.com/acqnp/acqnp/internal/train"
)

// warmup is how many steps come before those that are timed.
const warmup = 3

// rise is the time for which a GPU computes before steps are timed, so that its clock rises.
const rise = 500 * time.Millisecond

// Options state what Measure measures.
type Options struct {
	Experiment config.Experiment
	Source     *datasets.Source
	DataDir    string
	Device     device.Device
	Threads    int    // of the CPU, at least 1
	Points     int    // of every group, as given to Experiment; 0 if the benchmark draws their number
	Steps      int    // to time, at least 1
	Version    string // of the program
	Progress   progress.Reporter
}

// Measure times training steps, each from waiting for its batch to the end of Adam. It writes
// nothing.
func Measure(ctx context.Context, o Options) (Result, error) {
	before, t := o.peak(), train.Options{Experiment: o.Experiment, DataDir: o.DataDir, Device: o.Device, Source: o.Source}
	onGPU := o.Device.Kernels() == ""
	if onGPU { // a CPU has measured its peak before
		t.WarmUp = rise
	}
	timings, err := o.time(ctx, t)
	if err != nil {
		return Result{}, err
	}
	r := summarise(timings, max(before, o.peak()), onGPU)
	r.Benchmark, r.Model, r.Variant = o.Experiment.Benchmark, o.Experiment.Model.Name, o.Experiment.Variant()
	r.Device, r.Threads = o.Device.Name(), o.Threads
	if !onGPU {
		r.Kernels = simd.Name() // the precision is in the device's name
	}
	r.Points, r.Steps, r.Version = o.Points, o.Steps, o.Version
	return r, nil
}

// peak measures the CPU's peak in floating-point operations per second. It returns 0 if another
// device computes.
func (o Options) peak() float64 {
	if o.Device.Kernels() == "" {
		return 0
	}
	return device.FMAPeak(o.Threads)
}

// time runs the steps and reports their progress.
func (o Options) time(ctx context.Context, t train.Options) ([]train.Timing, error) {
	o.Progress.Begin("bench", "step", 0, warmup+o.Steps)
	defer o.Progress.End()
	t.OnStep = func(u train.Update) { o.Progress.Update(progress.State{Done: u.Step, RowsPerSecond: u.RowsPerSecond}) }
	return train.Bench(ctx, t, warmup, o.Steps)
}
