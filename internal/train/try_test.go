package train_test

import (
	"math"
	"slices"
	"testing"

	"github.com/acqnp/acqnp/internal/device"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/run"
	"github.com/acqnp/acqnp/internal/train"
)

// Try trains as Run does, bit for bit, without files.
func TestTryTrainsAsRunDoes(t *testing.T) {
	e, dir := validated(t), t.TempDir()
	trial, err := train.Try(t.Context(), train.Options{Experiment: e, Source: overfitted})
	if err != nil {
		t.Fatal(err)
	}
	result := mustTrain(t, train.Options{Experiment: e, Dir: dir, Source: overfitted})
	best, err := run.ReadCheckpoint(checkpoint(dir, "best"), modelOf(t, e))
	if err != nil {
		t.Fatal(err)
	}
	if trial.Best != result.Best.Step || trial.ValidLL != result.Best.ValidLL || trial.Steps != result.Step || trial.Ended != result.Ended {
		t.Errorf("a trial ends with %+v, a run with %+v, %+v", trial, result, *result.Best)
	}
	if !slices.Equal(trial.Params, best.Params) {
		t.Error("other weights than those of a run")
	}
}

// A validation is what an evaluation of the same batches finds.
func TestValidationAgreesWithEvaluation(t *testing.T) {
	e := validated(t)
	trial, err := train.Try(t.Context(), train.Options{Experiment: e, Source: overfitted})
	if err != nil {
		t.Fatal(err)
	}
	got, err := predict.New(e, modelOf(t, e), trial.Params, run.Units{}, device.CPU(1)).Evenly().Evaluate(t.Context(), swapped{overfitted}, predict.EvalOptions{})
	if err != nil {
		t.Fatal(err)
	}
	// 1e-5: the former averages in another order.
	if d := math.Abs(got.TargetLL.Mean - trial.ValidLL); !(d < 1e-5) {
		t.Errorf("evaluation %v, validation %v", got.TargetLL.Mean, trial.ValidLL)
	}
}
