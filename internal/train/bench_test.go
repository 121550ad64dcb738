package train_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/acqnp/acqnp/internal/datasets/benchmark"
	"github.com/acqnp/acqnp/internal/test/must"
	"github.com/acqnp/acqnp/internal/train"
)

// Bench makes the steps of training: it has the same losses in the same order.
func TestBenchMakesTheStepsOfARun(t *testing.T) {
	e := experiment(t)
	e.Train.LogEvery = 1
	o := train.Options{Experiment: e, Dir: t.TempDir()}
	mustTrain(t, o)
	var want []float32
	for _, m := range metrics(t, o.Dir) {
		want = append(want, m.Loss)
	}
	source := must.Get(benchmark.Open(e, ""))(t)
	var got []float32
	timings, err := train.Bench(context.Background(), train.Options{Experiment: e, Source: source, OnStep: func(u train.Update) {
		got = append(got, float32(u.Loss()))
	}}, 2, e.Train.Steps-2)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, want) {
		t.Errorf("losses %v, a run's are %v", got, want)
	}
	if len(timings) != e.Train.Steps-2 {
		t.Errorf("%d timings", len(timings))
	}
	for i, timed := range timings {
		if timed.Rows < 4*6*3 || timed.Rows > 4*12*3 || !(timed.FLOPs > 0) || timed.Duration <= 0 {
			t.Errorf("timing %d: %+v", i, timed)
		}
	}
}

func TestBenchEndsWithItsContext(t *testing.T) {
	e := experiment(t)
	source := must.Get(benchmark.Open(e, ""))(t)
	ctx, cancel := context.WithCancel(context.Background())
	made := 0
	_, err := train.Bench(ctx, train.Options{Experiment: e, Source: source, OnStep: func(train.Update) {
		if made++; made == 3 {
			cancel()
		}
	}}, 1, 8)
	if !errors.Is(err, context.Canceled) || made != 3 {
		t.Errorf("%d steps made: %v", made, err)
	}
}
