package e2e

import (
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/config/catalogue"
	"github.com/acqnp/acqnp/internal/datasets/datatest"
	"github.com/acqnp/acqnp/internal/run"
)

// allVariable makes the tests take all configurations; .ci/nightly long sets it.
const allVariable = "TEST_ALL"

// taken reports whether the tests take form j of benchmark i: by default one of n in turn, so that every
// form and every benchmark has its turn.
func taken(i, j, n int) bool { return os.Getenv(allVariable) != "" || (i+j)%n == 0 }

// The configurations of the paper's benchmarks train and are evaluated, with two steps and one
// batch of few functions, points and levels. Everything else is as shipped. Package config loads all of
// them; a third of them trains unless allVariable is set.
func TestConfigurationsRun(t *testing.T) {
	files, err := filepath.Glob(configFile("*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	var wanted []string
	for _, b := range benchmarks {
		for _, m := range models {
			wanted = append(wanted, configFile(b, m))
		}
		for _, v := range variantsOf(b) {
			wanted = append(wanted, configFile(b, v))
		}
	}
	files = slices.DeleteFunc(files, func(f string) bool { return filepath.Base(filepath.Dir(f)) == "csv" })
	for _, b := range transformerBenchmarks {
		for _, v := range transformerConfigs {
			wanted = append(wanted, configFile(b, v))
		}
	}
	slices.Sort(wanted)
	if len(files) < 91 || !slices.Equal(files, wanted) {
		t.Fatalf("found %d configurations: %q", len(files), files)
	}

	data := dataDir(t)
	for i, b := range benchmarks {
		t.Run(b, func(t *testing.T) {
			chosen := append(slices.Clone(models), variantsOf(b)...)
			if testing.Short() {
				chosen = chosen[i%len(models):][:1]
			}
			for j, m := range chosen {
				if testing.Short() || taken(i, j, 3) {
					t.Run(m, func(t *testing.T) { trainAndEvaluate(t, b, m, data) })
				}
			}
		})
	}
}

// The benchmarks of transformer neural processes, and their configurations.
var (
	transformerBenchmarks = []string{"tnp-sawtooth", "tnp-gp"}
	transformerConfigs    = []string{"cnp-transformer", "cnp-transformer-mixture", "acqnp-transformer"}
)

func TestTransformerBenchmarksRun(t *testing.T) {
	for i, b := range transformerBenchmarks {
		for _, v := range transformerConfigs[i:] { // one of them twice
			t.Run(b+" "+v, func(t *testing.T) { trainAndEvaluate(t, b, v, t.TempDir()) })
		}
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
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// trainAndEvaluate trains and evaluates a configuration of a benchmark. file is its name without
// the ending, such as acqnp or acqnp-attention.
func trainAndEvaluate(t *testing.T, name, file, data string) {
	dir := filepath.Join(t.TempDir(), "run")
	model, _, _ := strings.Cut(file, "-")
	train := []string{"train", "--config", configFile(name, file), "--data-dir", data, "--run-dir", dir, "--no-eval", "--quiet"}
	succeed(t, append(train, set(reduced(name, model)...)...)...)
	if info, err := os.Stat(filepath.Join(dir, "checkpoints", "step-2.safetensors")); err != nil || info.Size() == 0 {
		t.Errorf("no checkpoint of step 2: %v", err)
	}

	succeed(t, "eval", "--run", dir, "--data-dir", data, "--batches", "1", "--quiet")
	e, err := run.ReadEval(filepath.Join(dir, "eval.json"))
	if err != nil {
		t.Fatal(err)
	}
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
	if want := points(name); e.PerBatch[0].NumPoints != want {
		t.Errorf("%d points, want %d", e.PerBatch[0].NumPoints, want)
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
	if kind(name) != catalogue.SpeedFlow { // speed-flow always has two functions, its lanes
		values = append(values, "train.batch_size=2", "eval.batch_size=2")
	}
	switch {
	case slices.Contains(transformerBenchmarks, name): // whose contexts are as large as 128
		values = append(values, "data.points=[24,30]", "eval.num_points=140")
	case synthetic(name):
		values = append(values, "data.points=[6,20]", "eval.num_points=120")
	}
	return values
}

func synthetic(name string) bool { return kind(name) == catalogue.Synthetic }

func kind(name string) catalogue.Kind {
	b, _ := catalogue.Find(name)
	return b.Kind
}

// points returns how many points a function has in evaluation.
func points(name string) int {
	b, _ := catalogue.Find(name)
	switch {
	case b.Kind == catalogue.SpeedFlow:
		return 1318
	case b.Kind == catalogue.Images && b.Image.Height == 0: // as data.resize says
		return 32 * 32
	case b.Kind == catalogue.Images:
		return b.Image.Height * b.Image.Width
	case slices.Contains(transformerBenchmarks, name):
		return 140
	}
	return 120
}
