package golden_test

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/acqnp/acqnp/internal/cli"
	"github.com/acqnp/acqnp/internal/files/safetensors"
	"github.com/acqnp/acqnp/internal/files/safetensors/safetensorstest"
	"github.com/acqnp/acqnp/internal/test/must"
)

// exchange holds PyTorch's results for the weights and tasks of testdata/exchange. See
// tools/golden/README.md.
type exchange struct {
	NumTau int `json:"num_tau"`
	Cases  []struct {
		Benchmark string         `json:"benchmark"`
		Weights   string         `json:"weights"` // the file's name, without the benchmark
		Model     map[string]any `json:"model"`   // as in a configuration
		Tasks     [][2]float64   `json:"tasks"`   // for every batch: mean log-likelihood of context points and of targets
		Grid      [][2]float64   `json:"grid"`    // with evenly spaced levels; quantile models
	} `json:"cases"`
}

const exchangeDir = "testdata/exchange"

// exchangeTolerance is the error that the project promises for imported weights. Float32 makes
// errors of about 1e-5 here. Wrong levels or bootstraps would make 1e-3 or more.
const exchangeTolerance = 2e-4

// TestImportedWeightsEvaluateAsInPyTorch evaluates weights on tasks from PyTorch, as a user would.
func TestImportedWeightsEvaluateAsInPyTorch(t *testing.T) {
	b := must.Get(os.ReadFile(filepath.Join(exchangeDir, "expected.json")))(t)
	var e exchange
	must.Do(t, json.Unmarshal(b, &e))
	if len(e.Cases) != 20 {
		t.Fatalf("%d cases, expected 20: ten models, one output and RGB", len(e.Cases))
	}
	for _, c := range e.Cases {
		name := c.Weights + "-" + c.Benchmark
		t.Run(name, func(t *testing.T) {
			config := configFile(t, c.Benchmark, c.Model)
			weights := filepath.Join(exchangeDir, name+".safetensors")
			tasks := filepath.Join(exchangeDir, "tasks-"+c.Benchmark+".safetensors")
			sameMeans(t, "levels and bootstraps of the file", evaluate(t, config, weights, tasks), c.Tasks)
			if c.Grid != nil {
				got := evaluate(t, config, weights, withoutLevels(t, tasks), "--level-spacing", "grid", "--num-quantiles", strconv.Itoa(e.NumTau))
				sameMeans(t, "levels of a grid", got, c.Grid)
			}
		})
	}
}

// configFile writes a configuration of this model. The other keys have the defaults of the
// benchmark.
func configFile(t *testing.T, benchmark string, model map[string]any) string {
	t.Helper()
	text := must.Get(yaml.Marshal(map[string]any{"benchmark": benchmark, "model": model}))(t)
	return written(t, "config.yaml", text)
}

func written(t *testing.T, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	must.Do(t, os.WriteFile(path, content, 0o644))
	return path
}

// evaluate runs `acqnp eval` on a tasks file, without the benchmark's own data.
func evaluate(t *testing.T, config, weights, tasks string, flags ...string) (means [][2]float64) {
	t.Helper()
	dir := t.TempDir()
	out := filepath.Join(dir, "eval.json")
	args := append([]string{"eval", "--config", config, "--weights", weights, "--tasks", tasks, "--data-dir", dir,
		"--device", "cpu", "--threads", "2", "--quiet", "--out", out}, flags...)
	var stdout, stderr bytes.Buffer
	if code := cli.Main(args, cli.Streams{In: strings.NewReader(""), Out: &stdout, Err: &stderr}); code != 0 {
		t.Fatalf("acqnp %s: exit code %d\n%s", strings.Join(args, " "), code, &stderr)
	}
	b := must.Get(os.ReadFile(out))(t)
	var r struct {
		PerBatch []struct {
			Context float64 `json:"context_ll"`
			Target  float64 `json:"target_ll"`
		} `json:"per_batch"`
	}
	must.Do(t, json.Unmarshal(b, &r))
	for _, b := range r.PerBatch {
		means = append(means, [2]float64{b.Context, b.Target})
	}
	return means
}

func sameMeans(t *testing.T, with string, got, want [][2]float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("with the %s: %d batches, expected %d", with, len(got), len(want))
	}
	for i := range want {
		for k, part := range [2]string{"context", "target"} {
			if off := math.Abs(got[i][k] - want[i][k]); !(off <= exchangeTolerance) {
				t.Errorf("with the %s: batch %d: %s log-likelihood %.6f, PyTorch's %.6f", with, i, part, got[i][k], want[i][k])
			}
		}
	}
}

// withoutLevels copies a tasks file without its levels.
func withoutLevels(t *testing.T, path string) string {
	t.Helper()
	meta, all := safetensorstest.Read(t, path)
	kept := slices.DeleteFunc(all, func(v safetensors.Tensor) bool { return strings.HasSuffix(v.Name, ".u") })
	var b bytes.Buffer
	must.Do(t, safetensors.Write(&b, meta, kept))
	return written(t, "tasks.safetensors", b.Bytes())
}
