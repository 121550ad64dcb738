package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// train --until stops early with exit code 0 and no evaluation, and --resume ends as one piece does.
func TestTrainUntil(t *testing.T) {
	dir := t.TempDir()
	config, parts, whole := write(t, dir, "tiny.yaml", tinyConfig), filepath.Join(dir, "parts"), filepath.Join(dir, "whole")
	train := func(runDir string, args ...string) outcome {
		return succeed(t, append([]string{"train", "--config", config, "--run-dir", runDir, "--resume", "--set", "train.validate_every=5"}, args...)...)
	}
	o := train(parts, "--until", "10")
	if !strings.Contains(o.out, "stopped by --until") || !strings.Contains(o.err, "stopped after step 10, as --until says") {
		t.Errorf("%s%s", o.out, o.err)
	}
	var s struct {
		Step       int
		Loss       *float64
		Ended      string
		Evaluation any
	}
	o = train(parts, "--until", "10", "--json")
	if err := json.Unmarshal([]byte(o.out), &s); err != nil || s.Step != 10 || s.Ended != "until" || s.Loss != nil || s.Evaluation != nil {
		t.Errorf("%v: %s", err, o.out)
	}
	if _, err := os.Stat(filepath.Join(parts, "eval.json")); err == nil {
		t.Error("a run that was stopped was evaluated")
	}
	train(parts)
	train(whole)
	a, b := readEvaluation(t, filepath.Join(parts, "eval.json")), readEvaluation(t, filepath.Join(whole, "eval.json"))
	if a.Target != b.Target {
		t.Errorf("target_ll %+v and in one piece %+v", a.Target, b.Target)
	}
	checkRefusal(t, "a negative step", acqnp("train", "--config", config, "--until", "-1"), 2, "--until")
}
