package docs

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/config/catalogue"
	"github.com/acqnp/acqnp/internal/run"
	"github.com/acqnp/acqnp/internal/test/must"
)

// The runs on speed-flow that are kept, of some of its seeds, have the figures of its table of runs.
func TestRunsOnSpeedFlowAreThoseOfTheKeptRuns(t *testing.T) {
	kept, err := filepath.Glob(filepath.Join(root, "research/runs/speed-flow/*/seed-*"))
	if err != nil || len(kept) == 0 {
		t.Fatalf("no runs are kept: %v", err)
	}
	runs := records(t, data+"/paper-speed-flow-runs.csv")
	for _, dir := range kept {
		e := must.Get(run.ReadEval(filepath.Join(dir, "eval.json")))(t)
		x := must.Get(config.Load(filepath.Join(dir, "config.yaml"), config.Overrides{}))(t)
		want := []string{x.Label(), fmt.Sprint(x.Train.Seed), fmt.Sprint(x.Data.Seed), fmt.Sprintf("%.3f", e.ContextLL.Mean), fmt.Sprintf("%.3f", e.TargetLL.Mean)}
		if !slices.ContainsFunc(runs, func(row []string) bool { return slices.Equal(row[:len(want)], want) }) {
			t.Errorf("paper-speed-flow-runs.csv has no row %q, which %s has", want, dir)
		}
	}
}

// The runs that are kept in research have the figures of the paper's cells: of one seed its own, with the errors of its
// evaluation; of several their means and deviations.
func TestCellsAreThoseOfTheKeptRuns(t *testing.T) {
	first, err := filepath.Glob(filepath.Join(root, "research/runs/*/*/seed-0"))
	if err != nil || len(first) == 0 {
		t.Fatalf("no runs are kept: %v", err)
	}
	cells := records(t, data+"/paper-cells.csv")
	for _, dir := range first {
		all := must.Get(filepath.Glob(filepath.Join(filepath.Dir(dir), "seed-*")))(t)
		var context, target []float64
		var e run.Eval
		for _, dir := range all {
			e = must.Get(run.ReadEval(filepath.Join(dir, "eval.json")))(t)
			context, target = append(context, e.ContextLL.Mean), append(target, e.TargetLL.Mean)
		}
		seeds, contextErr, targetErr := "0", *e.ContextLL.StdError, *e.TargetLL.StdError
		if n := len(all); n > 1 {
			seeds, contextErr, targetErr = fmt.Sprintf("0 to %d", n-1), stat.StdDev(context, nil), stat.StdDev(target, nil)
		}
		x := must.Get(config.Load(filepath.Join(dir, "config.yaml"), config.Overrides{}))(t)
		b, _ := catalogue.Find(e.Benchmark)
		want := []string{b.Printed, config.Label(e.Model, e.Variant), seeds, "100,000", fmt.Sprintf("%d to %d", x.Data.Points[0], x.Data.Points[1])}
		i := slices.IndexFunc(cells, func(row []string) bool { return slices.Equal(row[:5], want) })
		if i < 0 {
			t.Errorf("paper-cells.csv has no row %q", want)
			continue
		}
		if cell := cells[i][slices.Index(cells[0], "batches")]; cell != strconv.Itoa(e.Batches) {
			t.Errorf("paper-cells.csv: %q has %s batches, the run %d", want, cell, e.Batches)
		}
		for column, value := range map[string]float64{"context": stat.Mean(context, nil), "context ±": contextErr,
			"target": stat.Mean(target, nil), "target ±": targetErr} {
			cell := cells[i][slices.Index(cells[0], column)]
			if said, err := strconv.ParseFloat(cell, 64); err != nil || math.Abs(said-value) > 0.00051 { // half of the last decimal
				t.Errorf("paper-cells.csv: %s of %q is %s, the runs have %.4f", column, want, cell, value)
			}
		}
	}
}
