package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Commands use the best checkpoint of a run with validation, unless --checkpoint names another.
func TestTheBestCheckpointIsTheDefault(t *testing.T) {
	dir := t.TempDir()
	config, runDir := write(t, dir, "tiny.yaml", tinyConfig), filepath.Join(dir, "run")
	o := succeed(t, "train", "--config", config, "--run-dir", runDir, "--set", "train.validate_every=5", "--set", "train.patience=9", "--json")
	var s struct {
		Ended string
		Best  struct {
			Checkpoint string
			Step       int
			ValidLL    float64 `json:"valid_ll"`
		}
	}
	if err := json.Unmarshal([]byte(o.out), &s); err != nil || s.Ended != "steps" || s.Best.Step < 5 || s.Best.ValidLL >= 0 {
		t.Fatalf("%v: %s", err, o.out)
	}
	if !strings.Contains(o.err, "training ended at step 30 after all steps, best at step ") {
		t.Errorf("standard error:\n%s", o.err)
	}
	best := filepath.Join(runDir, "checkpoints", "best.safetensors")
	if e := readEvaluation(t, filepath.Join(runDir, "eval.json")); *e.Checkpoint.Step != s.Best.Step || e.Checkpoint.Path != best {
		t.Errorf("train evaluated %+v, expected step %d", e.Checkpoint, s.Best.Step)
	}
	for which, want := range map[string]int{"": s.Best.Step, "best": s.Best.Step, "latest": 30, "20": 20} {
		args := []string{"eval", "--run", runDir, "--quiet"}
		if which != "" {
			args = append(args, "--checkpoint", which)
		}
		succeed(t, args...)
		if e := readEvaluation(t, filepath.Join(runDir, "eval.json")); *e.Checkpoint.Step != want {
			t.Errorf("--checkpoint %s: step %d, expected %d", which, *e.Checkpoint.Step, want)
		}
	}
	out := filepath.Join(dir, "weights.safetensors")
	if o := succeed(t, "export", "--run", runDir, "--out", out); !strings.Contains(o.out, best) {
		t.Errorf("export: %s", o.out)
	}
	if err := os.WriteFile(best, []byte("torn"), 0o644); err != nil {
		t.Fatal(err)
	}
	checkRefusal(t, "a damaged best checkpoint", acqnp("eval", "--run", runDir), 2, "best.safetensors")
	succeed(t, "eval", "--run", runDir, "--checkpoint", "latest", "--quiet")
	checkRefusal(t, "no best checkpoint", acqnp("eval", "--run", share(t).run, "--checkpoint", "best"), 2, "best.safetensors: found no such file")
}

// plot training draws the validation of a run that patience ended.
func TestTrainingWithValidationIsDrawn(t *testing.T) {
	dir := t.TempDir()
	config, runDir := write(t, dir, "tiny.yaml", tinyConfig), filepath.Join(dir, "run")
	o := succeed(t, "train", "--config", config, "--run-dir", runDir, "--no-eval", "--set", "train.validate_every=1",
		"--set", "train.patience=1", "--set", "train.steps=400", "--set", "train.learning_rate=0.05")
	for _, words := range []string{"ended by patience; best checkpoint", " of step ", ", valid_ll "} {
		if !strings.Contains(o.out, words) {
			t.Errorf("standard output lacks %q: %s", words, o.out)
		}
	}
	svg := filepath.Join(dir, "training.svg")
	succeed(t, "plot", "training", "--run", runDir, "--out", svg)
	content, err := os.ReadFile(svg)
	if err != nil || !strings.Contains(string(content), "validation") || !strings.Contains(string(content), "best, step ") {
		t.Errorf("the legend lacks the validation (%v)", err)
	}
}
