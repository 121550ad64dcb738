package e2e

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/config/catalogue"
	"github.com/acqnp/acqnp/internal/run"
	"github.com/acqnp/acqnp/internal/test/must"
)

// A small form trains, is evaluated and predicts: one of each benchmark unless allVariable is set. A resumed
// run ends with the same bits as an uninterrupted one.
func TestSmallVariants(t *testing.T) {
	data := dataDir(t)
	prices := filepath.Join(data, "prices.csv")
	succeed(t, "data", "example", "--out", prices, "--quiet")
	for i, b := range append(slices.Clone(benchmarks), "csv") {
		for j, v := range []string{"acqnp-attention-small", "acqnp-transformer-small"} {
			if _, err := os.Stat(configFile(b, v)); err == nil && taken(i, j, 2) {
				t.Run(b+"/"+v, func(t *testing.T) { trainResumeAndPredict(t, b, v, data, prices) })
			}
		}
	}
}

func trainResumeAndPredict(t *testing.T, name, file, data, prices string) {
	settings := append(reduced(name, "acqnp"), "train.schedule=constant") // so that a resume may add steps
	if kind(name) == catalogue.CSV {
		settings = append(settings, "data.file="+prices)
	}
	t.Chdir(t.TempDir())
	config := func(more ...string) []string {
		args := []string{"--config", configFile(name, file), "--data-dir", data, "--no-eval", "--quiet"}
		return append(args, set(append(slices.Clone(settings), more...)...)...)
	}
	succeed(t, append([]string{"train"}, config("train.steps=2")...)...)
	succeed(t, append([]string{"train", "--resume"}, config("train.steps=4")...)...)
	succeed(t, append([]string{"train", "--run-dir", "whole"}, config("train.steps=4")...)...)
	resumed := filepath.Join("runs", name, file, "seed-0") // each form has a directory of its own
	if tensors(t, resumed, 4) != tensors(t, "whole", 4) {
		t.Error("the resumed run has other weights or moments than the uninterrupted run")
	}

	succeed(t, "eval", "--run", resumed, "--data-dir", data, "--batches", "1", "--quiet")
	e := must.Get(run.ReadEval(filepath.Join(resumed, "eval.json")))(t)
	aggregation := strings.TrimSuffix(strings.TrimPrefix(file, "acqnp-"), "-small")
	variant := aggregation + ", residual"
	if kind(name) == catalogue.CSV {
		variant += ", natural scale"
	}
	if e.Model != "acqnp" || e.Variant != variant || e.NumTau != 5 {
		t.Errorf("evaluated %s, variant %q, with %d levels", e.Model, e.Variant, e.NumTau)
	}

	context, grid := "x,y\n0.1,0.2\n0.3,0.1\n0.5,0.4\n", "--grid=0:1:3"
	switch kind(name) {
	case catalogue.CSV:
		context = "age,price\n1,200\n2,150\n3,120\n"
	case catalogue.Images:
		context, grid = "x1,x2,y\n0.1,0.2,0.5\n0.3,0.1,0.6\n0.5,0.4,0.7\n", "--grid=0:1:3,0:1:1"
	}
	must.Do(t, os.WriteFile("context.csv", []byte(context), 0o644))
	succeed(t, "sample-quantiles", "--run", resumed, "--data-dir", data, "--context", "context.csv", grid, "--num-quantiles", "3", "--level-spacing", "grid",
		"--out", "quantiles.csv", "--quiet")
	// A component for each of 3 targets and 3 levels, a mean for each target, and the header.
	quantiles := string(must.Get(os.ReadFile("quantiles.csv"))(t))
	if lines := strings.Count(quantiles, "\n"); lines != 3*3+3+1 {
		t.Errorf("%d lines of predictions:\n%s", lines, quantiles)
	}
}

// tensors returns the bytes of a checkpoint's weights and moments. The header before them, whose
// length the first 8 bytes state, also has the time that training took.
func tensors(t *testing.T, dir string, step int) string {
	t.Helper()
	content := must.Get(os.ReadFile(filepath.Join(dir, "checkpoints", fmt.Sprintf("step-%d.safetensors", step))))(t)
	return string(content[8+binary.LittleEndian.Uint64(content):])
}
