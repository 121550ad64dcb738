//go:build linux

// Package hoststep_test measures what the host does for a training step on a GPU.
package hoststep_test

import (
	"context"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/datasets/benchmark"
	"github.com/acqnp/acqnp/internal/engine"
	"github.com/acqnp/acqnp/internal/engine/cuda"
	"github.com/acqnp/acqnp/internal/engine/device"
	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/internal/test/must"
	"github.com/acqnp/acqnp/internal/train"
	"github.com/acqnp/acqnp/research/idlegpu"
)

// idle is a GPU that does nothing.
type idle struct{ device.Device }

func (idle) Trainer(g *ops.Graph, o device.Training) (engine.Trainer, error) {
	return cuda.NewTrainer(idlegpu.New(), g, cuda.Options{Precision: cuda.FP16, Fused: true, DrawLevels: o.DrawLevels})
}

func (idle) Bytes(*ops.Graph, bool) (float64, error) { return 0, nil }

// ready returns a source whose batches cost nothing but a copy of one.
func ready(s datasets.Source, batch datasets.Batch) *datasets.Source {
	s.Train.Make = func(_ int, dst *datasets.Batch) error {
		x, y := append(dst.X[:0], batch.X...), append(dst.Y[:0], batch.Y...)
		*dst = batch
		dst.X, dst.Y = x, y
		return nil
	}
	return &s
}

// source opens lissajous at the size of the paper's mean step.
func source(t testing.TB, model string) (config.Experiment, *datasets.Source) {
	t.Helper()
	e := must.Get(config.Parse("lissajous", []byte("benchmark: lissajous\nmodel: {name: "+model+"}\n"), config.Overrides{}))(t)
	e.Data.Points = []int{53, 53}
	return e, must.Get(benchmark.Open(e, ""))(t)
}

// hostSteps makes b.N steps on the idle GPU. It reports the processor time of a step, on all goroutines and on
// that of training alone: a GPU waits for the latter, batches are made beside it.
func hostSteps(b *testing.B, e config.Experiment, s *datasets.Source) {
	runtime.LockOSThread() // this goroutine trains; a thread's time is its own
	defer runtime.UnlockOSThread()
	var all, own time.Duration
	begin := func(u train.Update) {
		if u.Step == 1 { // all is compiled and allocated
			b.ResetTimer()
			all, own = used(b, unix.RUSAGE_SELF), used(b, unix.RUSAGE_THREAD)
		}
	}
	o := train.Options{Experiment: e, Source: s, Device: idle{device.CPU(1)}, OnStep: begin}
	must.Get(train.Bench(context.Background(), o, 1, b.N))(b)
	b.ReportMetric(float64(used(b, unix.RUSAGE_SELF)-all)/float64(b.N), "ns-cpu/op")
	b.ReportMetric(float64(used(b, unix.RUSAGE_THREAD)-own)/float64(b.N), "ns-cpu-of-training/op")
}

// used returns the processor time of the process, or of this thread.
func used(t testing.TB, whose int) time.Duration {
	t.Helper()
	var u unix.Rusage
	must.Do(t, unix.Getrusage(whose, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkHostStep measures what the host does for a training step on a GPU, with batches that are drawn and
// with ones that cost a copy.
func BenchmarkHostStep(b *testing.B) {
	for _, model := range []string{"cnp", "acqnp"} {
		b.Run(model+"/drawn", func(b *testing.B) {
			b.ReportAllocs()
			e, s := source(b, model)
			hostSteps(b, e, s)
		})
		b.Run(model+"/ready", func(b *testing.B) {
			b.ReportAllocs()
			e, s := source(b, model)
			var first datasets.Batch
			must.Do(b, s.Train.Make(0, &first))
			hostSteps(b, e, ready(*s, first))
		})
	}
}
