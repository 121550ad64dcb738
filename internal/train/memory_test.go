package train_test

import (
	"runtime"
	"testing"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets/benchmark"
	"github.com/acqnp/acqnp/internal/datasets/feed"
	"github.com/acqnp/acqnp/internal/engine/device"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/internal/run/footprint"
	"github.com/acqnp/acqnp/internal/test/must"
	"github.com/acqnp/acqnp/internal/train"
)

// TestCountIsWhatTrainingAllocates compares the count with all that a run of two steps allocates.
// The count is at most 2 % more. The run may allocate up to a quarter more than the count, because
// it draws and saves weights in copies that it does not hold all at once.
func TestCountIsWhatTrainingAllocates(t *testing.T) {
	for name, change := range map[string]func(e *config.Experiment){
		"weights": func(e *config.Experiment) { e.Model.Encoder = []int{700, 700, 700} },
		"inputs": func(e *config.Experiment) {
			e.Train.BatchSize, e.Train.NumTau, e.Data.Points = 200, 100, []int{300, 300}
		},
	} {
		t.Run(name, func(t *testing.T) {
			e := experiment(t, steps(2), change)
			source := must.Get(benchmark.Open(e, ""))(t)
			size := source.Train.Size
			p := footprint.Estimate{Device: device.CPU(2), Model: modelOf(t, e), Mode: models.Training, Feeds: feed.Turns,
				Capacity: ops.Extents{Groups: size.Groups, Context: size.Context, Points: size.Points, Levels: e.Train.NumTau}}
			counted := must.Get(p.Bytes())(t)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			mustTrain(t, train.Options{Experiment: e, Dir: t.TempDir(), Device: p.Device, Source: source})
			runtime.ReadMemStats(&after)
			allocated := float64(after.TotalAlloc - before.TotalAlloc)
			if counted < 50e6 || counted > 1.02*allocated || allocated > 1.25*counted {
				t.Errorf("counted %.0f bytes, and %.0f were allocated", counted, allocated)
			}
		})
	}
}
