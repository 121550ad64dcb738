package run_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/acqnp/acqnp/internal/files/safetensors"
	"github.com/acqnp/acqnp/internal/run"
	"github.com/acqnp/acqnp/internal/test/must"
)

// The files of a run decide its state.
func TestStateOf(t *testing.T) {
	const line = `{"step":10,"loss":1,"learning_rate":0.1,"rows_per_s":100,"elapsed_s":2}` + "\n"
	const ended = `{"step":20,"loss":1,"learning_rate":0.1,"rows_per_s":100,"elapsed_s":4,"ended":"steps"}` + "\n"
	const eval20 = `{"per_batch": [], "checkpoint": {"path": "step-20", "step": 20}, "device": "cpu"}`
	const eval10 = `{"per_batch": [], "checkpoint": {"path": "step-10", "step": 10}, "device": "cpu"}`
	var best strings.Builder
	must.Do(t, safetensors.Write(&best, map[string]string{"config": `{"step":"7"}`, "step": "10"}, nil))
	for name, c := range map[string]struct {
		files map[string]string
		want  run.Phase
		step  int
	}{
		"nothing":            {nil, run.Waiting, 0},
		"configuration":      {map[string]string{"config.yaml": "a"}, run.Stopped, 0},
		"steps":              {map[string]string{"config.yaml": "a", "metrics.jsonl": line}, run.Stopped, 10},
		"an unfinished line": {map[string]string{"metrics.jsonl": line + ended[:len(ended)-1]}, run.Stopped, 10},
		"no last checkpoint": {map[string]string{"metrics.jsonl": line + ended}, run.Stopped, 20},
		"trained":            {map[string]string{"metrics.jsonl": line + ended, "checkpoints/step-20.safetensors": ""}, run.Trained, 20},
		"evaluated":          {map[string]string{"metrics.jsonl": line + ended, "checkpoints/step-20.safetensors": "", "eval.json": eval20}, run.Done, 20},
		"evaluated before":   {map[string]string{"metrics.jsonl": line + ended, "checkpoints/step-20.safetensors": "", "eval.json": eval10}, run.Trained, 20},
		"evaluated at best": {map[string]string{"metrics.jsonl": line + ended, "checkpoints/step-20.safetensors": "", "checkpoints/best.safetensors": best.String(),
			"eval.json": eval10}, run.Done, 20},
		"evaluated before the best": {map[string]string{"metrics.jsonl": line + ended, "checkpoints/step-20.safetensors": "", "checkpoints/best.safetensors": best.String(),
			"eval.json": eval20}, run.Trained, 20},
		"a foreign line": {map[string]string{"metrics.jsonl": line + "{}\n"}, run.Stopped, 10},
		"failed":         {map[string]string{"metrics.jsonl": line, "error.json": `{"exit_code":1,"message":"no"}`}, run.Failed, 10},
	} {
		dir := t.TempDir()
		for file, text := range c.files {
			path := filepath.Join(dir, file)
			must.Do(t, os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644))
		}
		s, err := run.StateOf(dir, true)
		if err != nil || s.Phase != c.want || s.Step != c.step {
			t.Errorf("%s: %+v, %v; want %s at step %d", name, s, err, c.want, c.step)
		}
	}
}

func TestFailureIsReadBack(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "rbf", "cnp")
	want := run.Failure{ExitCode: 1, Cause: run.Diverged, Message: "no", Attempts: 2, Host: "here", Time: time.Unix(1700000000, 0).UTC()}
	must.Do(t, run.WriteFailure(dir, want))
	if got, err := run.ReadFailure(dir); err != nil || *got != want {
		t.Errorf("%+v, %v", got, err)
	}
	for range 2 {
		must.Do(t, run.ClearFailure(dir))
	}
	if got, err := run.ReadFailure(dir); err != nil || got != nil {
		t.Errorf("%+v, %v after ClearFailure", got, err)
	}
}

// A damaged error.json is said to be that of a sweep.
func TestADamagedFailure(t *testing.T) {
	file := must.Write(t, "{\n\"exit_code\": }\n", t.TempDir(), "error.json")
	want := file + ":2: found invalid character '}' looking for beginning of value, expected what acqnp sweep writes of a run that failed"
	if _, err := run.ReadFailure(filepath.Dir(file)); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
