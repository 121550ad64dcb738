package cli_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// evaluation is the part of eval.json that the tests read.
type evaluation struct {
	Schema     string `json:"schema"`
	Benchmark  string `json:"benchmark"`
	Model      string `json:"model"`
	Seed       uint64 `json:"seed"`
	NumTau     int    `json:"num_tau"`
	Levels     string `json:"levels"`
	Bootstraps int    `json:"bootstraps"`
	Batches    int    `json:"batches"`
	Context    struct {
		Mean     float64  `json:"mean"`
		StdError *float64 `json:"std_error"`
	} `json:"context_ll"`
	Target struct {
		Mean float64 `json:"mean"`
	} `json:"target_ll"`
	PerBatch   []map[string]float64 `json:"per_batch"`
	Checkpoint struct {
		Path string `json:"path"`
		Step *int   `json:"step"`
	} `json:"checkpoint"`
	Device  string `json:"device"`
	Version string `json:"version"`
}

func readEvaluation(t *testing.T, path string) (e evaluation) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &e); err != nil {
		t.Fatal(err)
	}
	return e
}

func TestTrainingRaisesTheLogLikelihood(t *testing.T) {
	dir := t.TempDir()
	config := write(t, dir, "tiny.yaml", tinyConfig)
	o := succeed(t, "train", "--config", config, "--run-dir", filepath.Join(dir, "run"), "--set", "train.steps=300",
		"--quiet", "--json")
	var s struct {
		Evaluation struct {
			Batches       int
			Before, After struct {
				Context struct{ Mean float64 } `json:"context_ll"`
				Target  struct{ Mean float64 } `json:"target_ll"`
			}
		}
	}
	if err := json.Unmarshal([]byte(o.out), &s); err != nil {
		t.Fatal(err)
	}
	before, after := s.Evaluation.Before, s.Evaluation.After
	// In 300 steps at a high rate, even a model that learns only the spread of y gains several
	// tenths.
	if gain := after.Target.Mean - before.Target.Mean; !(gain > 0.1) {
		t.Errorf("target log-likelihood %g → %g", before.Target.Mean, after.Target.Mean)
	}
	if gain := after.Context.Mean - before.Context.Mean; !(gain > 0.1) {
		t.Errorf("context log-likelihood %g → %g", before.Context.Mean, after.Context.Mean)
	}
}

func TestTrainFromWeights(t *testing.T) {
	s, run := share(t), filepath.Join(t.TempDir(), "run")
	o := succeed(t, "train", "--config", s.config, "--weights", s.weights, "--run-dir", run, "--set", "train.steps=1",
		"--set", "train.learning_rate=1e-9", "--set", "train.weight_decay=0", "--quiet", "--json")
	var summary struct {
		Evaluation struct {
			Before, After struct {
				Target struct{ Mean float64 } `json:"target_ll"`
			}
		}
	}
	if err := json.Unmarshal([]byte(o.out), &summary); err != nil {
		t.Fatal(err)
	}
	// One step at a tiny rate keeps the log-likelihood of the imported weights, to float32
	// rounding.
	if e := summary.Evaluation; math.Abs(e.Before.Target.Mean-e.After.Target.Mean) > 1e-4 {
		t.Errorf("%+v", e)
	}
}

func TestRealDataInRawUnits(t *testing.T) {
	data, dir := sharedData(t), t.TempDir()
	config := write(t, dir, "lanes.yaml", strings.NewReplacer("sawtooth", "speed-flow", "data: {points: [6, 12]}\n", "",
		"batch_size: 4", "batch_size: 2", "steps: 30", "steps: 60", ", num_points: 20, max_context: 8", "").Replace(tinyConfig))
	run, out := filepath.Join(dir, "run"), filepath.Join(dir, "quantiles.csv")
	o := succeed(t, "train", "--config", config, "--run-dir", run, "--data-dir", data, "--quiet")
	if !strings.Contains(o.out, "1 batch") || !strings.Contains(o.out, "fit.png") {
		t.Error(o.out)
	}
	context := write(t, dir, "context.csv", "flow,speed\n500,62\n1000,61\n1500,59\n")
	// Columns and scaling are in the checkpoint and in exported weights, so no data are needed.
	sample := []string{"sample-quantiles", "--data-dir", dir, "--context", context, "--grid", "0:2500:6",
		"--num-quantiles", "20", "--quantiles", "0.5", "--quiet"}
	succeed(t, append(sample, "--run", run, "--out", out)...)
	weights, again := filepath.Join(dir, "weights.safetensors"), filepath.Join(dir, "again.csv")
	succeed(t, "export", "--data-dir", dir, "--run", run, "--out", weights)
	succeed(t, append(sample, "--config", config, "--weights", weights, "--out", again)...)
	if read(t, out) != read(t, again) {
		t.Error("exported weights predict otherwise than their run")
	}
	for _, r := range readRows(t, out) {
		// After so little training a median is right to some tens of miles an hour. In the model's
		// units it would be below 2.
		if v, err := strconv.ParseFloat(r["value"], 64); r["kind"] == "quantile" && (err != nil || v < 20 || v > 120) {
			t.Errorf("median speed at flow %s: %s", r["flow"], r["value"])
		}
	}
}

// read returns the content of a file.
func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// A run resumes from another working directory, and with the data in another place.
func TestResumeFromAnotherDirectory(t *testing.T) {
	data, dir := sharedData(t), t.TempDir()
	data, err := filepath.Abs(data)
	if err != nil {
		t.Fatal(err)
	}
	config := write(t, dir, "lanes.yaml", strings.NewReplacer("sawtooth", "speed-flow", "data: {points: [6, 12]}\n", "",
		"batch_size: 4", "batch_size: 2", ", num_points: 20, max_context: 8", "").Replace(tinyConfig))
	t.Chdir(dir)
	succeed(t, "train", "--config", "lanes.yaml", "--run-dir", "run", "--data-dir", data, "--set", "train.steps=10", "--quiet", "--no-eval")
	elsewhere := t.TempDir()
	if err := os.Symlink(data, filepath.Join(elsewhere, "data")); err != nil {
		t.Skip("no symbolic links here")
	}
	t.Chdir(elsewhere)
	run := filepath.Join(dir, "run")
	succeed(t, "train", "--config", config, "--run-dir", run, "--resume", "--set", "train.steps=20", "--quiet", "--no-eval")
	succeed(t, "train", "--config", config, "--run-dir", "whole", "--set", "train.steps=20", "--quiet", "--no-eval")
	weights := func(run string) string {
		succeed(t, "export", "--run", run, "--out", "weights.safetensors", "--overwrite")
		return read(t, "weights.safetensors")
	}
	if weights(run) != weights("whole") {
		t.Error("another result than that of a run in one piece")
	}
}
