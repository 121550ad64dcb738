package train_test

import (
	"math"
	"slices"
	"testing"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/device"
	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/run"
	"github.com/acqnp/acqnp/internal/train"
)

// Tails change what validation and evaluation see, both in the same way, and not the training.
func TestTailsAreValidatedAndNotTrained(t *testing.T) {
	type tails struct{ df, scale float64 }
	results, params := map[tails]train.Best{}, map[tails][]float32{}
	for _, c := range []tails{{}, {4, 0}, {4, 1.5}, {0, 1.5}} {
		dir := t.TempDir()
		e := validated(t, func(e *config.Experiment) {
			e.Model.Name, e.Model.Adaptor, e.Model.AdaptorForm = "cnp", nil, ""
			e.Model.TailDF, e.Model.SigmaScale = c.df, c.scale
			e.Train.NumTau, e.Eval.NumTau = 0, 0
		})
		results[c] = *mustTrain(t, train.Options{Experiment: e, Dir: dir, Source: overfitted}).Best
		m := modelOf(t, e)
		best, err := run.ReadCheckpoint(checkpoint(dir, "best"), m)
		if err != nil {
			t.Fatal(err)
		}
		last, err := run.ReadCheckpoint(checkpoint(dir, "step-12"), m)
		if err != nil {
			t.Fatal(err)
		}
		params[c] = last.Params
		got, err := predict.New(e, m, best.Params, run.Units{}, device.CPU(1)).Evaluate(t.Context(), swapped{overfitted}, predict.EvalOptions{})
		if err != nil {
			t.Fatal(err)
		}
		// 1e-5: the former averages in another order.
		if d := math.Abs(got.TargetLL.Mean - results[c].ValidLL); !(d < 1e-5) {
			t.Errorf("tails %v: evaluation %v, validation %v", c, got.TargetLL.Mean, results[c].ValidLL)
		}
	}
	for c := range params {
		if !slices.Equal(params[c], params[tails{}]) {
			t.Errorf("tails %v change the training", c)
		}
		if c != (tails{}) && results[c].ValidLL == results[tails{}].ValidLL {
			t.Errorf("tails %v do not change the validation", c)
		}
	}
}

// The curves of a trial with other tails are those of trials of models that have these tails themselves.
func TestTrialsWithOtherTails(t *testing.T) {
	try := func(df, scale float64, others ...likelihood.Tails) train.Trial {
		e := validated(t, func(e *config.Experiment) {
			e.Model.Name, e.Model.Adaptor, e.Model.AdaptorForm = "cnp", nil, ""
			e.Train.NumTau, e.Eval.NumTau = 0, 0
			e.Model.TailDF, e.Model.SigmaScale = df, scale
		})
		trial, err := train.Try(t.Context(), train.Options{Experiment: e, Source: overfitted, Tails: others})
		if err != nil {
			t.Fatal(err)
		}
		return trial
	}
	all := try(5, 0, likelihood.StudentTails(0, 1), likelihood.StudentTails(0, 2), likelihood.StudentTails(5, 1))
	for i, alone := range []train.Trial{try(5, 0), try(0, 0), try(0, 2), try(5, 0)} {
		got, want := all.Curves[i], alone.Curves[0]
		if len(got) < 3 || len(got) != len(want) || len(alone.Curves) != 1 {
			t.Fatalf("curves %d: %d validations, expected %d", i, len(got), len(want))
		}
		for k := range got {
			// 1e-5: a graph computes the Gaussian's log-likelihood in float32.
			if d := math.Abs(got[k] - want[k]); !(d < 1e-5) {
				t.Errorf("curve %d, validation %d: %v, expected %v", i, k, got[k], want[k])
			}
		}
	}
}
