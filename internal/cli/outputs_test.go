package cli_test

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// outputFiles are the files that the outputs of a command must not destroy.
type outputFiles struct {
	dir  string
	run  string
	data map[string]string // by the name that stands for it in a test's command
}

func newOutputFiles(t *testing.T) outputFiles {
	t.Helper()
	dir := t.TempDir()
	f := outputFiles{dir: dir, run: filepath.Join(dir, "run")}
	table := write(t, dir, "prices.csv", "g,x,y\n"+strings.Repeat("a,1,2\na,2,3\na,3,5\nb,1,1\nb,2,4\nb,3,6\nc,1,2\nc,2,2\nc,3,1\nd,1,3\nd,2,3\nd,3,3\n", 3))
	config := write(t, dir, "own.yaml", `benchmark: csv
model: {name: cnp, representation: 4, encoder: [4], decoder: [4]}
data: {file: `+table+`, x: [x], y: [y], group: g, points: [4, 6], context: [2, 3]}
train: {steps: 4, batch_size: 2, log_every: 2, checkpoint_every: 2}
eval: {batches: 1, batch_size: 1}
`)
	succeed(t, "train", "--config", config, "--run-dir", f.run, "--quiet")
	f.data = map[string]string{
		"RUN": f.run, "DIR": dir, "TABLE": table, "CONFIG": config, "CONTEXT": write(t, dir, "context.csv", "x,y\n1,2\n2,1\n"),
		"TARGETS": write(t, dir, "targets.csv", "x\n1\n2\n"),
		"WEIGHTS": filepath.Join(dir, "weights.safetensors"), "TASKS": filepath.Join(dir, "tasks.safetensors"),
		"STEP": filepath.Join(f.run, "checkpoints", "step-4.safetensors"),
	}
	succeed(t, "export", "--run", f.run, "--out", f.data["WEIGHTS"], "--quiet")
	succeed(t, "data", "generate", "--config", config, "--out", f.data["TASKS"], "--quiet")
	for alias, of := range map[string]string{"hard.csv": "CONTEXT", "hard.safetensors": "STEP"} {
		if err := os.Link(f.data[of], filepath.Join(dir, alias)); err != nil {
			t.Skip("no hard links here")
		}
	}
	if err := os.Symlink(f.data["CONTEXT"], filepath.Join(dir, "linked.csv")); err != nil {
		t.Skip("no symbolic links here")
	}
	return f
}

// contents returns the contents of all files below the directory, by path.
func (f outputFiles) contents(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(f.dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		all[path] = e.Type().String() + string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func (f outputFiles) args(text string) []string {
	args := strings.Fields(text)
	for i, arg := range args {
		name, rest, _ := strings.Cut(arg, "/")
		if path, ok := f.data[name]; ok {
			args[i] = filepath.Join(path, rest)
		}
	}
	return args
}

func TestOutputsDestroyNothing(t *testing.T) {
	f := newOutputFiles(t)
	before := f.contents(t)
	sample := "sample-quantiles --run RUN --context CONTEXT --targets TARGETS --quiet "
	for _, c := range []struct{ args, want string }{
		// An input.
		{sample + "--out CONTEXT", "--out"},
		{sample + "--out TARGETS", "--out"},
		{sample + "--out TABLE", "--out"},
		{sample + "--out DIR/run/../context.csv", "--out"},
		{sample + "--out DIR/linked.csv", "--out"},
		{sample + "--out DIR/hard.csv", "--out"},
		{"predict --run RUN --context CONTEXT --grid 0:1:2 --quiet --out CONTEXT", "--out"},
		{"predict --run RUN --context CONTEXT --targets TARGETS --quiet --out DIR/hard.csv", "--out"},
		{"predict --run RUN --context CONTEXT --grid 0:1:2 --quiet --out RUN/config.yaml", "--out"},
		{"score --run RUN --context CONTEXT --targets TABLE --out TABLE", "--out"},
		{"score --run RUN --context CONTEXT --targets TABLE --out CONTEXT", "--out"},
		{"eval --run RUN --tasks TASKS --out TASKS", "--out"},
		{"eval --run RUN --out TABLE", "--out"},
		{"eval --config CONFIG --weights WEIGHTS --out CONFIG", "--out"},
		{"eval --config CONFIG --weights WEIGHTS --out WEIGHTS", "--out"},
		{"export --run RUN --out TABLE --format torch", "--out"},
		{"export --run RUN --out DIR/hard.safetensors", "--out"},
		{"data generate --config CONFIG --out CONFIG", "--out"},
		{"data generate --config CONFIG --out TABLE", "--out"},
		{"report DIR --out RUN/eval.json", "--out"},
		// Another output.
		{sample + "--out DIR/a.png --plot DIR/a.png", "--out"},
		{sample + "--out DIR/a.png --plot DIR/run/../a.png", "--out"},
		// A file of a run.
		{sample + "--out RUN/config.yaml", "--out"},
		{sample + "--out RUN/eval.json", "--out"},
		{"eval --run RUN --out STEP", "--out"},
		{"eval --run RUN --out RUN/fit.png", "--out"},
		{"eval --config CONFIG --weights WEIGHTS --out RUN/metrics.jsonl", "--out"},
		{"export --run RUN --out STEP", "--out"},
		{"export --run RUN --out RUN/.lock --format torch", "--out"},
		{"export --run RUN --out RUN/checkpoints/step-9.safetensors", "--out"},
		{"data generate --config CONFIG --out STEP", "--out"},
		{"data example --out RUN/config.yaml", "--out"},
		{"report DIR --out RUN/config.yaml", "--out"},
		// Paths that cannot be files.
		{sample + "--out RUN", "--out"},
		{sample + "--out DIR/a.csv --plot DIR/none/a.png", "--plot"},
	} {
		checkRefusal(t, c.args, acqnp(f.args(c.args)...), 2, c.want)
		after := f.contents(t)
		for path, content := range before {
			if after[path] != content {
				t.Fatalf("%s: changed %s", c.args, path)
			}
		}
		if len(after) != len(before) {
			t.Fatalf("%s: %d files, %d before", c.args, len(after), len(before))
		}
	}
}

// Every command refuses an output that exists, and replaces it with --overwrite. Devices, and the
// eval.json of a run, need no --overwrite.
func TestFilesAreReplacedOnlyWithOverwrite(t *testing.T) {
	f := newOutputFiles(t)
	request := " --run RUN --context CONTEXT --grid 0:1:2 --out "
	for i, c := range []struct{ args, old string }{
		{"init --csv TABLE --group g --x x --y y --out OLD", "old.yaml"},
		{"predict" + request + "OLD", "old.csv"},
		{"predict" + request + "NEW/a.csv --plot OLD", "old.png"},
		{"sample-quantiles" + request + "OLD", "old.csv"},
		{"score --run RUN --context CONTEXT --targets CONTEXT --out OLD", "old.csv"},
		{"eval --run RUN --out OLD", "old.json"},
		{"report DIR --out OLD", "old.html"},
		{"export --run RUN --out OLD", "old.safetensors"},
		{"export --run RUN --out NEW/a.safetensors", "a.py"},
		{"export --run RUN --out OLD", "old.onnx"},
		{"export --run RUN --out NEW/a.onnx", "a-density.onnx"},
		{"data generate --config CONFIG --out OLD", "old.safetensors"},
		{"data example --out OLD", "old.csv"},
		{"plot fit --run RUN --out OLD", "old.png"},
		{"plot training --run RUN --out OLD", "old.png"},
	} {
		f.data["NEW"] = filepath.Join(f.dir, fmt.Sprint("new-", i))
		if err := os.Mkdir(f.data["NEW"], 0o755); err != nil {
			t.Fatal(err)
		}
		f.data["OLD"] = write(t, f.data["NEW"], c.old, "")
		args, before := append(f.args(c.args), "--quiet"), f.contents(t)
		checkRefusal(t, c.args, acqnp(args...), 2, ": "+f.data["OLD"]+" exists; --overwrite replaces it\n")
		if after := f.contents(t); !maps.Equal(before, after) {
			t.Errorf("%s: changed files", c.args)
		}
		succeed(t, append(args, "--overwrite")...)
		if read(t, f.data["OLD"]) == "" {
			t.Errorf("%s: --overwrite has not replaced the file", c.args)
		}
	}
	succeed(t, f.args("predict"+request+os.DevNull+" --quiet")...)
	succeed(t, f.args("eval --run RUN --quiet")...)
	succeed(t, f.args("eval --run RUN --quiet")...)
}

func TestPlotsDestroyNothing(t *testing.T) {
	f := newOutputFiles(t)
	before := f.contents(t)
	for of, alias := range map[string]string{"STEP": "step.png", "TABLE": "table.png", "CONFIG": "config.png"} {
		if err := os.Symlink(f.data[of], filepath.Join(f.dir, alias)); err != nil {
			t.Skip("no symbolic links here")
		}
	}
	for _, args := range []string{
		"plot fit --run RUN --out DIR/step.png",
		"plot fit --run RUN --out DIR/table.png",
		"plot training --run RUN --out DIR/step.png",
	} {
		checkRefusal(t, args, acqnp(f.args(args)...), 2, "--out")
	}
	after := f.contents(t)
	for path, content := range before {
		if after[path] != content {
			t.Fatalf("changed %s", path)
		}
	}
	succeed(t, f.args("plot fit --run RUN --out RUN/fit.png --overwrite --quiet")...)
	succeed(t, f.args("plot training --run RUN --out RUN/training.png --quiet")...)
}

func TestOutputsFollowLinks(t *testing.T) {
	s, dir := share(t), t.TempDir()
	target, link := filepath.Join(dir, "target.csv"), filepath.Join(dir, "link.csv")
	if err := os.Symlink("target.csv", link); err != nil {
		t.Skip("no symbolic links here")
	}
	for range 2 { // the link dangles at first
		succeed(t, "sample-quantiles", "--run", s.run, "--context", s.context, "--grid=0:1:2", "--out", link, "--overwrite", "--quiet")
		if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
			t.Fatalf("the link has become %v: %v", info, err)
		}
		if len(readRows(t, target)) == 0 {
			t.Error("nothing in the link's target")
		}
	}
}

// --overwrite removes the old run only after the new one's inputs are checked.
func TestOverwriteKeepsTheRunIfTheNewOneCannotStart(t *testing.T) {
	f := newOutputFiles(t)
	linked := filepath.Join(f.dir, "linked.safetensors")
	if err := os.Symlink(f.data["STEP"], linked); err != nil {
		t.Skip("no symbolic links here")
	}
	before := f.contents(t)
	for _, c := range []struct{ args, want string }{
		{"train --config CONFIG --run-dir RUN --overwrite --weights STEP", "step-4.safetensors"},
		{"train --config CONFIG --run-dir RUN --overwrite --weights DIR/linked.safetensors", "linked.safetensors"},
		{"train --config CONFIG --run-dir RUN --overwrite --weights TASKS", "tasks.safetensors"},
		{"train --config CONFIG --run-dir RUN --overwrite --weights DIR/none", "none"},
	} {
		checkRefusal(t, c.args, acqnp(f.args(c.args)...), 2, c.want)
		after := f.contents(t)
		for path, content := range before {
			if after[path] != content {
				t.Fatalf("%s: changed %s", c.args, path)
			}
		}
	}
	succeed(t, f.args("train --config CONFIG --run-dir RUN --overwrite --weights WEIGHTS --quiet --no-eval")...)
	succeed(t, f.args("train --config RUN/config.yaml --run-dir RUN --overwrite --quiet --no-eval")...)
}
