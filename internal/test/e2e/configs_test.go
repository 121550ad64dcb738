package e2e

import (
	"cmp"
	"maps"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/config/catalogue"
	"github.com/acqnp/acqnp/internal/datasets/datatest"
	"github.com/acqnp/acqnp/internal/files/safetensors"
	"github.com/acqnp/acqnp/internal/run"
	"github.com/acqnp/acqnp/internal/test/must"
)

// allVariable makes the tests take all configurations; .ci/nightly long sets it.
const allVariable = "TEST_ALL"

// taken reports whether the tests take form j of benchmark i: by default one of n in turn, so that every
// form and every benchmark has its turn.
func taken(i, j, n int) bool { return os.Getenv(allVariable) != "" || (i+j)%n == 0 }

// The configurations train and are evaluated, with two steps and one batch of few groups, points
// and levels. Everything else is as shipped. Package config knows which there are, and loads all of
// them; a third of them trains unless allVariable is set.
func TestConfigurationsRun(t *testing.T) {
	data := dataDir(t)
	runs := 0
	for i, b := range catalogue.Names(func(b catalogue.Benchmark) bool { return b.Kind != catalogue.CSV }) {
		files := must.Get(filepath.Glob(configFile(b, "*")))(t)
		for j, file := range files {
			if name := strings.TrimSuffix(filepath.Base(file), ".yaml"); taken(i, j, 3) && (!testing.Short() || j < 3) {
				t.Run(b+"/"+name, func(t *testing.T) { trainAndEvaluate(t, b, name, data) })
				runs++
			}
		}
	}
	if runs < 14 {
		t.Errorf("only %d configurations ran", runs)
	}
}

// dataDir returns a directory with the data sets that consist of files. They have few images.
func dataDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	files := datatest.Images(8, 3)
	maps.Copy(files, datatest.Lanes(1318)) // as many rows as the real ones, for data.context
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		must.Do(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must.Do(t, os.WriteFile(path, content, 0o644))
	}
	return dir
}

// trainAndEvaluate trains and evaluates a configuration of a benchmark. file is its name without
// the ending, such as acqnp or acqnp-attention; best is a form of cnp.
func trainAndEvaluate(t *testing.T, name, file, data string) {
	dir := filepath.Join(t.TempDir(), "run")
	model, _, _ := strings.Cut(file, "-")
	if model == "best" {
		model = "cnp"
	}
	train := []string{"train", "--config", configFile(name, file), "--data-dir", data, "--run-dir", dir, "--no-eval", "--quiet"}
	values := reduced(name, model)
	if kind(name) == catalogue.Tasks {
		file := tasksFile(t)
		values = append(values, "data.command=[]", "data.tasks="+file, "data.eval_tasks="+file)
	}
	succeed(t, append(train, set(values...)...)...)
	if info, err := os.Stat(filepath.Join(dir, "checkpoints", "step-2.safetensors")); err != nil || info.Size() == 0 {
		t.Errorf("no checkpoint of step 2: %v", err)
	}

	succeed(t, "eval", "--run", dir, "--data-dir", data, "--batches", "1", "--quiet")
	e := must.Get(run.ReadEval(filepath.Join(dir, "eval.json")))(t)
	if e.Benchmark != name || e.Model != model || e.Batches != 1 || len(e.PerBatch) != 1 || e.Seed != 43 {
		t.Errorf("found %+v, want %s on %s with one batch and seed 43", e, model, name)
	}
	if e.Weights.Step == nil || *e.Weights.Step != 2 {
		t.Errorf("evaluated %+v", e.Weights)
	}
	levels, bootstraps := 0, 0
	switch {
	case quantile(model):
		levels = 5
	case model == "bnp":
		bootstraps = 6
	}
	if e.NumTau != levels || e.Bootstraps != bootstraps {
		t.Errorf("%d levels and %d bootstraps, want %d and %d", e.NumTau, e.Bootstraps, levels, bootstraps)
	}
	// Two steps teach little, but no model starts with densities this far off: y is scaled to the
	// order of 1, and scales start at a tenth or more. JSON cannot hold NaN or infinity, but 1e308.
	for part, v := range map[string]float64{"context": e.ContextLL.Mean, "target": e.TargetLL.Mean} {
		if !(math.Abs(v) < 1e3) || v == 0 {
			t.Errorf("%s log-likelihood %v", part, v)
		}
	}
	b, _ := catalogue.Find(name)
	pixels := cmp.Or(b.Image.Height*b.Image.Width, 32*32) // of omniglot, data.resize
	want := map[catalogue.Kind]int{catalogue.SpeedFlow: 1318, catalogue.Synthetic: 140, catalogue.Images: pixels, catalogue.Tasks: 10}[b.Kind]
	if got := e.PerBatch[0].NumPoints; got != want {
		t.Errorf("%d points, want %d", got, want)
	}
}

// reduced returns the settings that shorten a run to seconds.
func reduced(name, model string) []string {
	values := []string{"train.steps=2"}
	if quantile(model) {
		values = append(values, "train.num_tau=3", "eval.num_tau=5")
	}
	if model == "bnp" {
		values = append(values, "model.eval_bootstraps=6")
	}
	if kind(name) != catalogue.SpeedFlow { // speed-flow always has two groups, its lanes
		values = append(values, "train.batch_size=2", "eval.batch_size=2")
	}
	if kind(name) == catalogue.Synthetic {
		values = append(values, "data.points=[24,30]", "eval.num_points=140") // contexts are as large as 128
	}
	return values
}

// tasksFile writes a batch of two groups with ten points each, of which the model knows four.
func tasksFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tasks.safetensors")
	var x, y []float32
	for i := range 20 {
		x, y = append(x, float32(i%10)/5-1), append(y, float32(i%3))
	}
	shape := []int{2, 10, 1}
	f := must.Get(os.Create(path))(t)
	defer f.Close()
	must.Do(t, safetensors.Write(f, map[string]string{"num_context": "[4]"}, []safetensors.Tensor{safetensors.F32("0.x", shape, x), safetensors.F32("0.y", shape, y)}))
	return path
}

func kind(name string) catalogue.Kind {
	b, _ := catalogue.Find(name)
	return b.Kind
}
