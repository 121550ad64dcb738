package run_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/likelihood/score"
	"github.com/acqnp/acqnp/internal/run"
	"github.com/acqnp/acqnp/internal/test/must"
)

// someEval returns an Eval of two batches. Unless shift is 0, it is of scaled data.
func someEval(shift float64) run.Eval {
	e := run.NewEval([]run.BatchResult{
		{NumPoints: 500, NumContext: 11, ContextLL: 1.75, TargetLL: -1}, {NumPoints: 500, NumContext: 30, ContextLL: 0.75, TargetLL: -0.5},
	}, shift)
	step := 1000
	e.Benchmark, e.Model, e.Seed, e.NumTau, e.Levels = "lissajous", "acqnp", 43, 100, "random"
	e.Device, e.Seconds, e.Version = "cpu", 12.5, "v1"
	e.Weights = run.Weights{Path: "checkpoints/step-1000.safetensors", Step: &step}
	return e
}

func writeEval(t *testing.T, e run.Eval) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "eval.json")
	must.Do(t, e.Write(path))
	return path
}

func TestEvalJSONHasTheContractsFields(t *testing.T) {
	content := must.Get(os.ReadFile(writeEval(t, someEval(0))))(t)
	var got, want any
	must.Do(t, json.Unmarshal(content, &got))
	const contract = `{
		"schema": "acqnp.eval/2", "benchmark": "lissajous", "model": "acqnp", "seed": 43, "num_tau": 100, "levels": "random",
		"batches": 2, "context_ll": {"mean": 1.25, "std_error": 0.5}, "target_ll": {"mean": -0.75, "std_error": 0.25},
		"per_batch": [{"num_points": 500, "num_context": 11, "context_ll": 1.75, "target_ll": -1},
		              {"num_points": 500, "num_context": 30, "context_ll": 0.75, "target_ll": -0.5}],
		"checkpoint": {"path": "checkpoints/step-1000.safetensors", "step": 1000}, "device": "cpu", "seconds": 12.5, "version": "v1"
	}`
	must.Do(t, json.Unmarshal([]byte(contract), &want))
	must.Same(t, want, got)
}

// The scores of targets are further fields.
func TestEvalJSONHoldsScores(t *testing.T) {
	e, stdError := someEval(0), 0.25
	e.Means = &score.Means{Targets: 7, LogDensity: score.Estimate{Mean: -1, StdError: &stdError}, CRPS: 0.5, PIT: []float64{0.25, 0.75},
		Pinball: score.Pinball{P05: 1, P25: 2, P50: 3, P75: 4, P95: 5}, Coverage: score.Coverage{Half: 0.5, Most: 1}}
	e.PerGroup = []score.Group{{Group: "f", Points: 7, LogDensity: -1, CRPS: 0.5, Coverage: e.Coverage}}
	path := writeEval(t, e)
	content := must.Get(os.ReadFile(path))(t)
	var got map[string]any
	must.Do(t, json.Unmarshal(content, &got))
	coverage := map[string]any{"0.5": 0.5, "0.9": 1.0}
	for key, want := range map[string]any{
		"scored_targets": 7.0, "log_density": map[string]any{"mean": -1.0, "std_error": 0.25}, "crps": 0.5,
		"pinball":  map[string]any{"0.05": 1.0, "0.25": 2.0, "0.5": 3.0, "0.75": 4.0, "0.95": 5.0},
		"coverage": coverage, "pit": []any{0.25, 0.75},
		"per_group": []any{map[string]any{"group": "f", "points": 7.0, "log_density": -1.0, "crps": 0.5, "coverage": coverage}},
	} {
		must.Same(t, want, got[key], key)
	}
	read, err := run.ReadEval(path)
	if diff := cmp.Diff(e, read); err != nil || diff != "" {
		t.Errorf("%v, %s", err, diff)
	}
	var b bytes.Buffer
	if err := read.Print(&b); err != nil || !strings.Contains(b.String(), "0.5 in raw units, over 7 targets") {
		t.Errorf("%v: %s", err, b.String())
	}
}

// Log-likelihoods in raw units are the model's plus a constant, with the same standard errors.
func TestEvalJSONStatesRawUnits(t *testing.T) {
	e := someEval(-3.5)
	got := must.Get(run.ReadEval(writeEval(t, e)))(t)
	if got.Raw == nil || got.Raw.ContextLL.Mean != -2.25 || got.Raw.TargetLL.Mean != -4.25 || *got.Raw.ContextLL.StdError != 0.5 ||
		*got.Raw.TargetLL.StdError != 0.25 || got.ContextLL.Mean != 1.25 {
		t.Errorf("%+v", got)
	}
	var b bytes.Buffer
	if err := got.Print(&b); err != nil || !strings.Contains(b.String(), "context -2.2500 ± 0.5000, target -4.2500 ± 0.2500") {
		t.Errorf("%v: %s", err, b.String())
	}
	if someEval(0).Raw != nil {
		t.Error("units that are not scaled are stated twice")
	}
}

// The joint log-likelihood has its own fields and lines, in raw units too.
func TestEvalJSONHoldsTheJointLikelihood(t *testing.T) {
	one, two := 1.0, 2.0
	e := run.NewEval([]run.BatchResult{{TargetLL: 1, JointLL: &one}, {TargetLL: 2, JointLL: &two, RawJoint: 1}}, -3)
	e.JointTargets, e.JointOrders = 16, 8
	content := must.Get(os.ReadFile(writeEval(t, e)))(t)
	var got map[string]any
	must.Do(t, json.Unmarshal(content, &got))
	must.Same(t, map[string]any{"mean": 1.5, "std_error": 0.5}, got["joint_ll"])
	must.Same(t, map[string]any{"mean": -1.0, "std_error": 1.0}, got["raw"].(map[string]any)["joint_ll"])
	if got["joint_targets"] != 16.0 || got["joint_orders"] != 8.0 || got["per_batch"].([]any)[1].(map[string]any)["joint_ll"] != 2.0 {
		t.Errorf("%s", content)
	}
	var b bytes.Buffer
	if err := e.Print(&b); err != nil || !strings.Contains(b.String(), "1.5000 ± 0.5000 a target, of the first 16 in 8 orders") ||
		!strings.Contains(b.String(), ", joint -1.0000 ± 1.0000\n") {
		t.Errorf("%v: %s", err, b.String())
	}
}

// Batches without a context do not count for it. One batch has no standard error.
func TestOneBatchHasNullStandardError(t *testing.T) {
	two := run.NewEval([]run.BatchResult{{NumContext: 2, ContextLL: 3, TargetLL: 1}, {TargetLL: 5}}, 0)
	if two.ContextLL.Mean != 3 || two.ContextLL.StdError != nil || two.TargetLL.Mean != 3 || two.Batches != 2 {
		t.Errorf("context %v, target %v of %d batches", two.ContextLL, two.TargetLL, two.Batches)
	}
	e := run.NewEval([]run.BatchResult{{NumContext: 1, ContextLL: 1, TargetLL: 2}}, 0)
	path := writeEval(t, e)
	content := must.Get(os.ReadFile(path))(t)
	if n := strings.Count(string(content), `"std_error": null`); n != 2 {
		t.Errorf("%d null standard errors in %s", n, content)
	}
	back, err := run.ReadEval(path)
	if err != nil || back.TargetLL.StdError != nil || back.Weights.Step != nil || back.TargetLL.Mean != 2 {
		t.Errorf("read back %+v, %v", back, err)
	}
}

func TestReadEvalRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		content string
		line    int
		words   string
	}{
		"no JSON":      {"{\n\"schema\": \"acqnp.eval/2\",\n nonsense}", 3, "invalid"},
		"cut off":      {`{"schema": "acqnp.eval/2", "batches": 2`, 1, "unexpected end"},
		"other schema": {`{"schema": "acqnp.eval/3"}`, 0, "acqnp.eval/2"},
		"a score":      {"{\"schema\": \"acqnp.eval/2\",\n\"crps\": \"low\"}", 2, "crps: found a JSON string, expected a number"},
		"empty":        {"", 1, "unexpected end"},
		"wrong type":   {"{\"schema\": \"acqnp.eval/2\",\n\"batches\": \"two\"}", 2, "batches: found a JSON string, expected a whole number"},
		"no object":    {"{\"schema\": \"acqnp.eval/2\",\n\"context_ll\": 2}", 2, "context_ll: found a JSON number, expected a JSON object"},
		"fraction":     {"{\"batches\": 2.5}", 1, "batches: found a JSON number 2.5, expected a whole number"},
	} {
		path := filepath.Join(t.TempDir(), "eval.json")
		must.Do(t, os.WriteFile(path, []byte(c.content), 0o644))
		_, err := run.ReadEval(path)
		var bad *invalid.Input
		if !errors.As(err, &bad) || bad.File != path || bad.Line != c.line || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestPrintTellsTheResult(t *testing.T) {
	var out bytes.Buffer
	must.Do(t, someEval(0).Print(&out))
	for _, want := range []string{"lissajous", "acqnp", "step 1000", "100 (random)", "2 in 12.5 s", "1.2500 ± 0.5000", "-0.7500 ± 0.2500"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}
