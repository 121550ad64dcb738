package cli_test

import (
	"fmt"
	"math"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/test/must"
)

// A recipeRun is a run on a CSV file with names and logarithms, a context and targets with y.
type recipeRun struct{ run, context, targets string }

// recipes trains a model for a few steps.
func recipes(t *testing.T, dir, model string) recipeRun {
	t.Helper()
	var rows strings.Builder
	rows.WriteString("dish,kind,minutes,weight,height\n")
	for f := range 12 {
		for i := range 9 {
			minutes := 1 + float64(7*i%9) + 0.1*float64(f)
			fmt.Fprintf(&rows, "d%d,%s,%g,%.4g,%.4g\n", f, []string{"a", "b", "c"}[(f+i)%3], minutes,
				math.Exp(0.3*minutes+math.Sin(float64(5*f+i))), 3*minutes-float64(f))
		}
	}
	table := must.Write(t, rows.String(), dir, "recipes.csv")
	config := must.Write(t, `benchmark: csv
model: {name: `+model+`}
data: {file: `+table+`, group: dish, x: [kind, minutes], y: [weight, height], categories: [kind], log: [minutes, weight]}
train: {steps: 200, batch_size: 4, learning_rate: 1e-2, log_every: 200, checkpoint_every: 200}
eval: {batch_size: 1}
`, dir, model+".yaml")
	r := recipeRun{run: filepath.Join(dir, "run-"+model)}
	small := []string{"--set", "model.decoder=[8]"}
	switch model {
	case "bnp":
		small = []string{"--set", "model.width=8"}
	case "acqnp":
		small = append(small, "--set", "model.adaptor=[8]", "--set", "train.num_tau=4", "--set", "eval.num_tau=7")
	}
	if model != "bnp" {
		small = append(small, "--set", "model.encoder=[8]", "--set", "model.representation=8")
	}
	succeed(t, append([]string{"train", "--config", config, "--run-dir", r.run, "--quiet", "--no-eval"}, small...)...)
	r.context = must.Write(t, "dish,kind,minutes,weight,height\nnew,a,2,3.5,4\nnew,c,5.5,9,16\n", dir, "context.csv")
	r.targets = must.Write(t, "dish,kind,minutes,weight,height\nnew,b,3,6,10\nnew,a,7,11,22\nnew,unknown,1,2,1\n", dir, "targets.csv")
	return r
}

// densities returns the log density of each target and channel that acqnp score has.
func (r recipeRun) densities(t *testing.T, dir string) (densities []float64) {
	t.Helper()
	points := filepath.Join(dir, "points.csv")
	succeed(t, "score", "--run", r.run, "--context", r.context, "--targets", r.targets, "--out", points, "--quiet")
	for _, row := range readRows(t, points) {
		densities = append(densities, row.number(t, "log_density"))
	}
	if len(densities) != 6 {
		t.Fatalf("%d rows, expected 3 targets of 2 channels", len(densities))
	}
	return densities
}

// lines runs a program that prints one number a line.
func lines(t *testing.T, program string, args ...string) (numbers []float64) {
	t.Helper()
	out, err := exec.Command(program, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, text := range strings.Fields(string(out)) {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatalf("%v in\n%s", err, out)
		}
		numbers = append(numbers, v)
	}
	return numbers
}

func near(t *testing.T, what string, got, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %v, want %v", what, got, want)
	}
	for i, v := range want {
		if !(math.Abs(got[i]-v) <= tolerance*(1+math.Abs(v))) {
			t.Errorf("%s %d is %v, want %v", what, i, got[i], v)
		}
	}
}

// TestDensitiesInR compares the density that docs/quantiles.R computes with that of score: a
// mixture of asymmetric Laplace distributions, and one of Gaussians.
func TestDensitiesInR(t *testing.T) {
	rscript, err := exec.LookPath("Rscript")
	if err != nil {
		t.Skip("found no Rscript (Debian: r-base-core)")
	}
	groups := must.Get(filepath.Abs(filepath.Join("..", "..", "docs", "quantiles.R")))(t)
	for _, model := range []string{"acqnp", "bnp"} {
		dir := t.TempDir()
		r := recipes(t, dir, model)
		densities := r.densities(t, dir)
		quantiles := filepath.Join(dir, "quantiles.csv")
		succeed(t, "sample-quantiles", "--run", r.run, "--context", r.context, "--targets", r.targets, "--quantiles", "0.5", "--draws", "2", "--out", quantiles, "--quiet")
		got := lines(t, rscript, "--vanilla", "-e", `
args <- commandArgs(TRUE)
source(args[1])
q <- read_quantiles(args[2])
y <- read.csv(args[3])
for (i in seq_len(nrow(y))) for (channel in c("weight", "height")) {
  p <- density_of(components(q, i - 1, channel, "new"), c(y[i, channel], -1), log = channel == "weight")
  if (channel == "weight") stopifnot(p[2] == 0) else stopifnot(p[2] > 0)
  cat(format(log(p[1]), digits = 15), "\n")
}
`, groups, quantiles, r.targets)
		// quantiles.csv has all digits of a number; R prints 15.
		near(t, model+": log density", got, densities, 1e-12)
	}
}
