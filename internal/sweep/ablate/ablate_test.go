package ablate_test

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acqnp/acqnp/internal/run"
	"github.com/acqnp/acqnp/internal/sweep/ablate"
)

// result is one evaluation of a number of batches.
func result(benchmark, model string, seed uint64, value, batches int, context, target float64) ablate.Result {
	e := run.Eval{Benchmark: benchmark, Model: model, Batches: batches, Levels: "grid"}
	e.ContextLL.Mean, e.TargetLL.Mean = context, target
	return ablate.Result{Run: "run", Seed: seed, Steps: 10, Value: value, Eval: e}
}

var results = []ablate.Result{
	result("rbf", "cqnp", 0, 5, 4, 1, 2),
	result("circle", "acqnp", 0, 3, 4, 7, 8),
	result("rbf", "cqnp", 0, 3, 4, 3, 4),
	result("rbf", "cqnp", 1, 5, 2, 3, 6),
}

func TestPointsAreMeansOverSeeds(t *testing.T) {
	points := ablate.Points(results)
	var order []string
	for _, p := range points {
		order = append(order, p.Benchmark+" "+p.Model+" "+p.Context.String()+" "+p.Target.String())
	}
	// Points are in the order in which benchmarks and models first occur, then by value. The
	// standard deviation of 1 and 3 is √2, that of 2 and 6 is 2·√2.
	want := []string{"rbf cqnp 3.0000 4.0000", "rbf cqnp 2.0000 ± 1.4142 4.0000 ± 2.8284", "circle acqnp 7.0000 8.0000"}
	if diff := cmp.Diff(want, order); diff != "" {
		t.Error(diff)
	}
	if p := points[1]; p.Value != 5 || p.Runs != 2 || p.Batches != 2 {
		t.Errorf("%+v, want 2 runs at 5, with 2 batches at least", p)
	}
	if !math.IsNaN(points[0].Context.Deviation()) {
		t.Error("one run has a deviation")
	}
}

func TestVariantsAreNotAveraged(t *testing.T) {
	variant := result("rbf", "cqnp", 0, 5, 4, 9, 9)
	variant.Eval.Variant = "attention"
	points := ablate.Points(append(slices.Clone(results), variant))
	if len(points) != 4 || points[1].Context.Mean != 2 || points[3].Context.Mean != 9 || points[3].Series() != (ablate.Series{Benchmark: "rbf", Model: "cqnp", Variant: "attention"}) {
		t.Errorf("%+v, want the variant's point last", points)
	}
	var b strings.Builder
	if err := (ablate.Summary{Figures: []string{"f"}, Points: points}).Print(&b, ablate.Subject{}); err != nil || !strings.Contains(b.String(), "cqnp (attention)") {
		t.Errorf("error %v, no variant in\n%s", err, &b)
	}
}

// Two widths of a model are two series. The runs of a model with one width need no size.
func TestSizesAreNotAveraged(t *testing.T) {
	sized := slices.Clone(results)
	for i := range sized {
		sized[i].Size = "width 8"
	}
	other := result("circle", "acqnp", 0, 3, 4, 9, 9)
	other.Size = "width 16"
	points := ablate.Points(append(sized, other))
	var series []ablate.Series
	for _, p := range points {
		series = append(series, p.Series())
	}
	want := []ablate.Series{{Benchmark: "rbf", Model: "cqnp"}, {Benchmark: "rbf", Model: "cqnp"},
		{Benchmark: "circle", Model: "acqnp", Variant: "width 8"}, {Benchmark: "circle", Model: "acqnp", Variant: "width 16"}}
	if diff := cmp.Diff(want, series); diff != "" || points[3].Context.Mean != 9 {
		t.Errorf("%s\n%+v", diff, points)
	}
}

func TestVariantsHaveDirectoriesOfTheirOwn(t *testing.T) {
	var files []string
	for _, name := range []string{"cqnp", "cqnp-attention"} {
		path := filepath.Join(t.TempDir(), name+".yaml")
		text := "benchmark: rbf\nmodel: {name: cqnp, representation: 8, encoder: [4], decoder: [4]}\n"
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		files = append(files, path)
	}
	trials, err := ablate.Protocol{Out: "out", Seeds: []int{0}}.NumTau(files, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"out/runs/rbf/cqnp/seed-0", "out/runs/rbf/cqnp-attention/seed-0"} {
		if got := filepath.ToSlash(trials[i].Dir); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestExtentTellsTheWork(t *testing.T) {
	if got := ablate.Extent(results); got != " (training steps: 10; evaluation batches: 2 to 4)" {
		t.Errorf("%q", got)
	}
}

func TestTablesLeaveUnknownDeviationsEmpty(t *testing.T) {
	path := filepath.Join(t.TempDir(), "points.csv")
	if err := ablate.WritePoints(path, "num_tau", ablate.Points(results)[:1]); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := "benchmark,model,num_tau,runs,batches,context_ll,context_sd,target_ll,target_sd,variant\nrbf,cqnp,3,1,4,3,,4,,\n"
	if string(content) != want {
		t.Errorf("%q, want %q", content, want)
	}
}

func TestRepeatedRunsAreRefused(t *testing.T) {
	config := filepath.Join(t.TempDir(), "config.yaml")
	text := "benchmark: rbf\nmodel: {name: cqnp, representation: 4, encoder: [4], decoder: [4]}\n"
	if err := os.WriteFile(config, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	p := ablate.Protocol{Out: "out", Seeds: []int{0, 1}, Batches: 7, Set: []string{"train.steps=5"}}
	if _, err := p.NumTau([]string{config, config}, nil); err == nil || !strings.Contains(err.Error(), "the same run twice") {
		t.Errorf("error %v", err)
	}
	trials, err := p.NumTau([]string{config}, nil)
	if err != nil {
		t.Fatal(err)
	}
	e := trials[1].Experiment
	if len(trials) != 2 || e.Train.Seed != 1 || e.Train.Steps != 5 || e.Eval.Batches != 7 {
		t.Errorf("%d trials, of seed %d with %d steps and %d batches", len(trials), e.Train.Seed, e.Train.Steps, e.Eval.Batches)
	}
	if _, err := p.Depths(config); err == nil || !strings.Contains(err.Error(), "found cqnp") {
		t.Errorf("error %v", err)
	}
}
