package cli_test

import (
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/files/safetensors"
)

// otherModel writes the tiny configuration with another model.
func otherModel(t *testing.T, dir, model string) string {
	t.Helper()
	head, rest, ok := strings.Cut(tinyConfig, "model:\n")
	_, tail, ok2 := strings.Cut(rest, "data:")
	if !ok || !ok2 {
		t.Fatal("the tiny configuration has another form")
	}
	return write(t, dir, "other.yaml", strings.NewReplacer(", num_tau: 4", "", "num_tau: 5, ", "").Replace(head+"model: "+model+"\ndata:"+tail))
}

func TestBootstrapsFromTrainingToQuantiles(t *testing.T) {
	s, dir := share(t), t.TempDir()
	config := otherModel(t, dir, "{name: bnp, width: 8, pre_depth: 2, post_depth: 2, decoder_depth: 3, train_bootstraps: 2, eval_bootstraps: 4}")
	whole, parts := filepath.Join(dir, "whole"), filepath.Join(dir, "parts")
	succeed(t, "train", "--config", config, "--run-dir", whole, "--set", "train.schedule=constant", "--quiet")
	succeed(t, "eval", "--run", whole, "--quiet")
	e := readEvaluation(t, filepath.Join(whole, "eval.json"))
	if e.Model != "bnp" || e.NumTau != 0 || e.Levels != "" || e.Bootstraps != 4 || math.IsNaN(e.Target.Mean) {
		t.Errorf("%+v", e)
	}
	for _, steps := range []string{"13", "30"} {
		succeed(t, "train", "--config", config, "--run-dir", parts, "--resume", "--set", "train.schedule=constant",
			"--set", "train.steps="+steps, "--quiet", "--no-eval")
	}
	var weights []string
	for _, run := range []string{whole, parts} {
		out := run + ".safetensors"
		succeed(t, "export", "--run", run, "--out", out, "--quiet")
		weights = append(weights, read(t, out))
	}
	if weights[0] != weights[1] {
		t.Error("a resumed run ends with other weights")
	}

	out, plot := filepath.Join(dir, "quantiles.csv"), filepath.Join(dir, "plot.svg")
	succeed(t, "sample-quantiles", "--run", whole, "--context", s.context, "--grid=-2:2:3", "--quantiles", "0.5",
		"--draws", "2", "--out", out, "--plot", plot, "--quiet")
	kinds, mean := map[string]int{}, 0.0
	for _, r := range readRows(t, out) {
		kinds[r["kind"]]++
		switch r["kind"] {
		case "component":
			if r["u"] != "" || r["tau"] != "" || r["weight"] != "0.25" || r.number(t, "sigma") < 0.1 {
				t.Errorf("%v", r)
			}
			mean += r.number(t, "mu") / 4
		case "mean":
			if v := r.number(t, "value"); math.Abs(v-mean) > 1e-12 {
				t.Errorf("mean %g, of the components %g", v, mean)
			}
			mean = 0
		}
	}
	if kinds["component"] != 12 || kinds["mean"] != 3 || kinds["quantile"] != 3 || kinds["draw"] != 6 {
		t.Errorf("rows: %v", kinds)
	}
}

// Weights without columns and scaling get those of the configuration's data.
func TestWeightsWithoutUnits(t *testing.T) {
	s, dir := share(t), t.TempDir()
	f, err := safetensors.ReadFile(s.weights)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(f.Metadata["units"], `"name":"x"`) {
		t.Errorf("units %q", f.Metadata["units"])
	}
	plain := filepath.Join(dir, "plain.safetensors")
	w, err := os.Create(plain)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := safetensors.Write(io.Writer(w), nil, f.Tensors); err != nil {
		t.Fatal(err)
	}
	var tables []string
	for _, weights := range []string{s.weights, plain} {
		out := filepath.Join(dir, "quantiles.csv")
		succeed(t, "sample-quantiles", "--config", s.config, "--weights", weights, "--context", s.context, "--grid=-2:2:3", "--out", out, "--overwrite", "--quiet")
		tables = append(tables, read(t, out))
	}
	if tables[0] != tables[1] {
		t.Error("other predictions without units")
	}
}
