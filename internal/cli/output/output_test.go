package output_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/cli/output"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/run"
	"github.com/acqnp/acqnp/internal/test/must"
)

// files makes a run, an input and links to them in a new working directory.
func files(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	for _, dir := range []string{"run/checkpoints", "plain", "other"} {
		must.Do(t, os.MkdirAll(dir, 0o755))
	}
	for _, name := range []string{"in.csv", "old.csv", "run/config.yaml", "run/.lock", "run/metrics.jsonl", "run/eval.json", "run/fit.png",
		"run/checkpoints/step-10.safetensors", "plain/config.yaml", "plain/eval.json"} {
		must.Do(t, os.WriteFile(name, []byte(name), 0o644))
	}
	for name, target := range map[string]string{"linked.csv": "in.csv", "linked-run": "run", "dangling.csv": "plain/new.csv",
		"linked-config.csv": "run/config.yaml", "loop.csv": "loop.csv"} {
		if err := os.Symlink(target, name); err != nil {
			t.Skip("no symbolic links here")
		}
	}
	if err := os.Link("in.csv", "hard.csv"); err != nil {
		t.Skip("no hard links here")
	}
	must.Do(t, os.Link("run/checkpoints/step-10.safetensors", "hard.safetensors"))
}

func TestCheckRefusesWhatWouldBeDestroyed(t *testing.T) {
	files(t)
	out := func(path string) []output.File { return []output.File{{Flag: "--out", Path: path}} }
	two := func(out, plot string) []output.File {
		return []output.File{{Flag: "--out", Path: out, Overwrite: true}, {Flag: "--plot", Path: plot, Part: run.FitFile}}
	}
	for _, c := range []struct {
		outputs []output.File
		want    string
	}{
		{out("in.csv"), "--out: found in.csv, which is also an input"},
		{out("./plain/../in.csv"), "(in.csv)"},
		{out("linked.csv"), "input"},
		{out("hard.csv"), "input"},
		{out("hard.safetensors"), "input"},
		{two("a.png", "a.png"), "--plot: found a.png, which --out names too"},
		{two("a.png", "plain/../a.png"), "--out"},
		{two("plain/new.csv", "dangling.csv"), "--out"},
		{two("old.csv", "hard.csv"), "--plot: found hard.csv, which is also an input"},
		{out("run/config.yaml"), "config.yaml"},
		{out("linked-run/metrics.jsonl"), "metrics.jsonl"},
		{out("linked-config.csv"), "linked-config.csv"},
		{out("run/.lock"), ".lock"},
		{out("run/checkpoints/step-10.safetensors"), "step-10"},
		{out("run/checkpoints/step-20.safetensors"), "run"},
		{out("run/checkpoints/notes.txt"), "run"},
		{out("run/eval.json"), "eval.json"},
		{out("run/fit.png"), "fit.png"},
		{two("run/x.csv", "run/eval.json"), "eval.json"},
		{out("plain"), "the directory plain"},
		{out("plain/"), "plain"},
		{out("none/x"), "no directory none"},
		{out("none/"), "none"},
		{out("in.csv/x"), "in.csv"},
		{out("loop.csv"), "loop.csv"},
		{out("old.csv"), "--out: old.csv exists; --overwrite replaces it"},
		{out("plain/eval.json"), "plain/eval.json exists"},
		{[]output.File{{Flag: "--out", Path: "run/eval.json", Part: run.EvalFile}}, "run/eval.json exists"},
		{two("run/x.csv", "run/fit.png"), "--plot: run/fit.png exists"},
	} {
		err := output.Check(c.outputs, append(run.Files("run"), "in.csv", "absent.csv")...)
		var bad *invalid.Input
		if !errors.As(err, &bad) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: error %v, want one with %q", c.outputs, err, c.want)
		}
	}
}

func TestCheckAccepts(t *testing.T) {
	files(t)
	for _, outputs := range [][]output.File{
		{{Flag: "--out"}, {Flag: "--plot"}},
		{{Flag: "--out", Path: "new.csv"}, {Flag: "--plot", Path: "new.png"}},
		{{Flag: "--out", Path: "old.csv", Overwrite: true}, {Flag: "--plot", Path: "new.png"}},
		{{Flag: "--out", Path: "dangling.csv"}},
		{{Flag: "--out", Path: "run/eval.json", Part: run.EvalFile, Overwrite: true}},
		{{Flag: "--out", Path: "run/fit.png", Part: run.FitFile, Overwrite: true}},
		{{Flag: "--out", Path: "run/quantiles.csv"}, {Flag: "--plot", Path: "run/quantiles.png"}},
		{{Flag: "--out", Path: "plain/eval.json", Overwrite: true}},
		{{Flag: "--out", Path: "plain/config.yaml", Overwrite: true}}, // not a run's
		{{Flag: "--out", Path: os.DevNull}, {Flag: "--plot", Path: os.DevNull}},
	} {
		if err := output.Check(outputs, "in.csv", os.DevNull); err != nil {
			t.Errorf("%v: %v", outputs, err)
		}
	}
	if left, _ := filepath.Glob(".tmp-*"); len(left) > 0 {
		t.Errorf("left %v", left)
	}
	if got, err := os.ReadFile("old.csv"); err != nil || string(got) != "old.csv" {
		t.Error("Check changed a file")
	}
}
