package cli_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// weightsOf returns the file that export writes of a run.
func weightsOf(t *testing.T, run string) []byte {
	t.Helper()
	out := filepath.Join(t.TempDir(), "weights.safetensors")
	succeed(t, "export", "--run", run, "--format", "torch", "--out", out)
	content, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// Each run of train --seeds is what train --seed makes.
func TestTrainSeeds(t *testing.T) {
	dir := t.TempDir()
	config, runs := write(t, dir, "tiny.yaml", tinyConfig), filepath.Join(dir, "runs")
	o := succeed(t, "train", "--config", config, "--seeds", "3,1", "--run-dir", runs, "--json")
	var result struct {
		Runs []struct {
			Run  string `json:"run"`
			Step int    `json:"step"`
			Plot string `json:"plot"`
		} `json:"runs"`
	}
	if err := json.Unmarshal([]byte(o.out), &result); err != nil || len(result.Runs) != 2 {
		t.Fatalf("%v: %s", err, o.out)
	}
	for i, seed := range []string{"3", "1"} {
		r := result.Runs[i]
		if r.Run != filepath.Join(runs, "seed-"+seed) || r.Step != 30 || r.Plot != filepath.Join(r.Run, "fit.png") {
			t.Errorf("the run of seed %s is %+v", seed, r)
		}
		alone := filepath.Join(dir, "alone"+seed)
		succeed(t, "train", "--config", config, "--seed", seed, "--run-dir", alone, "--no-eval")
		if !bytes.Equal(weightsOf(t, r.Run), weightsOf(t, alone)) {
			t.Errorf("seed %s has other weights alone", seed)
		}
	}

	more := acqnp("train", "--config", config, "--seeds", "0..1", "--run-dir", runs)
	checkRefusal(t, "a run is there", more, 2, filepath.Join(runs, "seed-1"))
	if _, err := os.Stat(filepath.Join(runs, "seed-0")); err == nil {
		t.Error("seed 0 began although seed 1 was refused")
	}
	text := succeed(t, "train", "--config", config, "--seeds", "0..1", "--run-dir", runs, "--resume", "--no-eval")
	for _, seed := range []string{"0", "1"} {
		if !strings.Contains(text.out, "run "+filepath.Join(runs, "seed-"+seed)+": 30 steps") {
			t.Errorf("no result of seed %s: %s", seed, text.out)
		}
	}
}

func TestTrainSeedsRefusals(t *testing.T) {
	config := write(t, t.TempDir(), "tiny.yaml", tinyConfig)
	checkRefusal(t, "no range", acqnp("train", "--config", config, "--seeds", "5..1"), 2, "--seeds")
	checkRefusal(t, "both", acqnp("train", "--config", config, "--seeds", "1,2", "--seed", "1"), 2, "--seeds")
}

// One run fails because its directory is locked; the other ends, and the program says so with 1.
func TestTrainSeedsWithAFailure(t *testing.T) {
	dir := t.TempDir()
	config, runs := write(t, dir, "tiny.yaml", tinyConfig), filepath.Join(dir, "runs")
	locked, errs := program(t, "train", "--config", config, "--seed", "1", "--run-dir", filepath.Join(runs, "seed-1"),
		"--set", "train.steps=100000000", "--no-eval")
	waitFor(t, filepath.Join(runs, "seed-1", "metrics.jsonl"))
	o := acqnp("train", "--config", config, "--seeds", "0,1", "--run-dir", runs, "--resume", "--no-eval")
	if o.code != 1 || !strings.Contains(o.err, "1 of 2 runs failed; "+filepath.Join(runs, "seed-1")) || !strings.Contains(o.out, "seed-0: 30 steps") {
		t.Errorf("exit code %d: %s%s", o.code, o.out, o.err)
	}
	if err := locked.Process.Kill(); err != nil {
		t.Fatalf("%v\n%s", err, errs)
	}
	_ = locked.Wait()
}

func TestTrainSeedsEndWithASignal(t *testing.T) {
	dir := t.TempDir()
	config, runs := write(t, dir, "tiny.yaml", tinyConfig), filepath.Join(dir, "runs")
	cmd, errs := program(t, "train", "--config", config, "--seeds", "0,1", "--run-dir", runs, "--threads", "2",
		"--set", "train.steps=100000000", "--set", "train.checkpoint_every=100000000", "--no-eval")
	for _, seed := range []string{"seed-0", "seed-1"} {
		waitFor(t, filepath.Join(runs, seed, "metrics.jsonl"))
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 130 {
		t.Fatalf("%v\n%s", err, errs)
	}
	for _, seed := range []string{"seed-0", "seed-1"} {
		if left, _ := filepath.Glob(filepath.Join(runs, seed, "checkpoints", "step-*")); len(left) != 1 {
			t.Errorf("%s has the checkpoints %v", seed, left)
		}
		succeed(t, "eval", "--run", filepath.Join(runs, seed), "--quiet")
	}
}
