package predict_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acqnp/acqnp/internal/predict"
)

// If all targets of a batch are scored, with the levels of the evaluation, their mean log density is
// the log-likelihood in raw units, which is a sum over two channels.
func TestScoredTargetsAreThoseOfTheEvaluation(t *testing.T) {
	for _, model := range []string{"acqnp", "cnp"} {
		o := options(t, model, source{batches: 1}.of())
		o.Units, o.Levels, o.Scored, o.Threads = logUnits(), predict.GridLevels, true, 2
		e := evaluate(t, o)
		targets := groups * (e.PerBatch[0].NumPoints - e.PerBatch[0].NumContext)
		// Raw y pass through exp, log and float32 on their way back to the model.
		if e.Means == nil || e.Targets != targets || math.Abs(2*e.LogDensity.Mean-e.Raw.TargetLL.Mean) > 1e-4 {
			t.Fatalf("%s: %+v, want %d targets of log density %v / 2", model, e.Means, targets, e.Raw.TargetLL.Mean)
		}
		if !(e.CRPS > 0) || len(e.PIT) != 20 || e.PerGroup != nil || e.LogDensity.StdError == nil {
			t.Errorf("%s: %+v", model, e)
		}
		o.Threads = 1
		if diff := cmp.Diff(e, evaluate(t, o)); diff != "" {
			t.Errorf("with one thread: %s", diff)
		}
	}
}

// An evaluation scores at most 500 targets, and its log-likelihoods are those of one without scores.
func TestEvaluationScoresFewTargets(t *testing.T) {
	for _, batches := range []int{60, 600} {
		o := options(t, "cqnp", source{batches: batches}.of())
		o.Units.Scaling = unscaled()
		plain := evaluate(t, o)
		o.Scored = true
		e := evaluate(t, o)
		if e.Means == nil || e.Targets < 490 || e.Targets > 500 {
			t.Errorf("%d batches: %+v", batches, e.Means)
		}
		e.Means = nil
		if diff := cmp.Diff(plain, e); diff != "" {
			t.Errorf("log-likelihoods with scores: %s", diff)
		}
	}
}

func TestEvaluationOfOwnDataListsGroups(t *testing.T) {
	o := options(t, "acqnp", source{batches: 2}.of())
	o.Source.EvalNames = func(i int) []string { return []string{fmt.Sprint("a", i), fmt.Sprint("b", i), "c"} } // c is in each batch
	o.Units.Scaling = unscaled()
	o.Scored = true
	e := evaluate(t, o)
	points := map[string]int{}
	for _, f := range e.PerGroup {
		points[f.Group] += f.Points
	}
	n := []int{e.PerBatch[0].NumPoints - e.PerBatch[0].NumContext, e.PerBatch[1].NumPoints - e.PerBatch[1].NumContext}
	want := map[string]int{"a0": n[0], "b0": n[0], "a1": n[1], "b1": n[1], "c": n[0] + n[1]}
	if diff := cmp.Diff(want, points); diff != "" {
		t.Error(diff)
	}
}

// A logarithm can make a mean infinite. The evaluation then has no scores and says why.
func TestEvaluationWithoutFiniteScores(t *testing.T) {
	o := options(t, "cqnp", source{batches: 2}.of())
	o.Units, o.Scored = logUnits(), true
	o.Units.Scaling.YScale[1] = 60
	e := evaluate(t, o)
	if e.Means != nil || !strings.Contains(e.Unscored, "evaluation batch 0: group 0, target 1: found a predictive mean of +Inf") {
		t.Errorf("%+v, %q", e.Means, e.Unscored)
	}
}
