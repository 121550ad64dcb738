package train_test

import (
	"math"
	"slices"
	"testing"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/device"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/predict/post"
	"github.com/acqnp/acqnp/internal/run"
	"github.com/acqnp/acqnp/internal/train"
)

// Tails and a simple model beside the network change what validation and evaluation see, both in the same
// way, and not the training.
func TestReadingsAreValidatedAndNotTrained(t *testing.T) {
	type tails struct{ df, scale, pool float64 }
	results, params := map[tails]train.Best{}, map[tails][]float32{}
	for _, c := range []tails{{}, {4, 0, 0}, {4, 1.5, 0}, {0, 1.5, 0}, {4, 1.5, 0.3}, {0, 0, 0.3}} {
		dir := t.TempDir()
		e := validated(t, func(e *config.Experiment) {
			e.Model.Name, e.Model.Adaptor, e.Model.AdaptorForm, e.Model.ScaleForm = "cnp", nil, "", ""
			e.Postprocessing.TailDF, e.Postprocessing.SigmaScale = c.df, c.scale
			e.Postprocessing.PoolWeight, e.Postprocessing.PoolKernel = c.pool, []float64{0.5, 0.3}
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

// The curves of a trial with other readings are those of trials of models that have these readings
// themselves.
func TestTrialsWithOtherReadings(t *testing.T) {
	try := func(model string, df, pool float64, others ...post.Postprocessing) train.Trial {
		e := validated(t, func(e *config.Experiment) {
			if model == "cnp" {
				e.Model.Name, e.Model.Adaptor, e.Model.AdaptorForm, e.Model.ScaleForm = "cnp", nil, "", ""
				e.Train.NumTau, e.Eval.NumTau = 0, 0
			}
			e.Postprocessing = config.Postprocessing{TailDF: df, PoolWeight: pool, PoolKernel: []float64{0.5, 0.3}}
		})
		trial, err := train.Try(t.Context(), train.Options{Experiment: e, Source: overfitted, Others: others})
		if err != nil {
			t.Fatal(err)
		}
		return trial
	}
	for _, c := range []struct {
		model string
		own   float64
		dfs   []float64
	}{{"cnp", 5, []float64{0, 5, 20}}, {"acqnp", 0, []float64{0}}} {
		pools := []float64{0.2, 0, 0.5}
		var others []post.Postprocessing
		want := [][]float64{try(c.model, c.own, 0.2).Curves[0]}
		for _, df := range c.dfs {
			for _, pool := range pools {
				others = append(others, post.Postprocessing{Postprocessing: config.Postprocessing{TailDF: df, PoolWeight: pool}})
				want = append(want, try(c.model, df, pool).Curves[0])
			}
		}
		got := try(c.model, c.own, 0.2, others...).Curves
		if len(got) != len(want) {
			t.Fatalf("%s: %d curves, expected %d", c.model, len(got), len(want))
		}
		for i := range want {
			if len(got[i]) < 3 || len(got[i]) != len(want[i]) {
				t.Fatalf("%s, curve %d: %d validations, expected %d", c.model, i, len(got[i]), len(want[i]))
			}
			for k := range want[i] {
				// 1e-5: a graph computes the Gaussian's log-likelihood in float32.
				if d := math.Abs(got[i][k] - want[i][k]); !(d < 1e-5) {
					t.Errorf("%s, curve %d, validation %d: %v, expected %v", c.model, i, k, got[i][k], want[i][k])
				}
			}
		}
	}
}
