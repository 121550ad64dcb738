// Package hoststep_test measures what the host does for a training step on a GPU.
package hoststep_test

import (
	"context"
	"testing"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/engine"
	"github.com/acqnp/acqnp/internal/engine/cuda"
	"github.com/acqnp/acqnp/internal/engine/device"
	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/internal/test/must"
	"github.com/acqnp/acqnp/internal/train"
	"github.com/acqnp/acqnp/kernels/gpu/gputest"
)

// idle is a GPU that does nothing.
type idle struct{ device.Device }

func (idle) Trainer(g *ops.Graph, o device.Training) (engine.Trainer, error) {
	return cuda.NewTrainer(gputest.Idle(), g, cuda.Options{Precision: cuda.FP16, Fused: true, DrawLevels: o.DrawLevels})
}

func (idle) Bytes(*ops.Graph, bool) (float64, error) { return 0, nil }

// ready is a source whose batches cost nothing but a copy.
type ready struct {
	datasets.Source
	batch datasets.Batch
}

func (r *ready) Train(_ int, dst *datasets.Batch) error {
	x, y := append(dst.X[:0], r.batch.X...), append(dst.Y[:0], r.batch.Y...)
	*dst = r.batch
	dst.X, dst.Y = x, y
	return nil
}

// hostSteps makes steps of ACQNP at the paper's sizes on the idle GPU.
func hostSteps(t testing.TB, steps int) {
	t.Helper()
	e := must.Get(config.Parse("lissajous", []byte("benchmark: lissajous\nmodel: {name: acqnp}\n"), config.Overrides{}))(t)
	e.Data.Points = []int{53, 53}
	source := must.Get(datasets.Open(e, ""))(t)
	r := &ready{Source: source}
	must.Do(t, source.Train(0, &r.batch))
	o := train.Options{Experiment: e, Source: r, Device: idle{device.CPU(1)}, OnStep: func(train.Update) {}}
	must.Get(train.Bench(context.Background(), o, 1, steps))(t)
}

// BenchmarkHostStep measures what the host does for a training step on a GPU, beside making the batch.
func BenchmarkHostStep(b *testing.B) {
	b.ReportAllocs()
	hostSteps(b, b.N)
}
