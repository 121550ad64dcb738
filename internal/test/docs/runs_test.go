package docs

import (
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/config/catalogue"
	"github.com/acqnp/acqnp/internal/run"
)

// The runs that are kept beside the tables have the figures of the paper's cells, and the mean of
// their batches.
func TestCellsAreThoseOfTheKeptRuns(t *testing.T) {
	kept, err := filepath.Glob(filepath.Join(root, "docs/results/runs/*/*/seed-0/eval.json"))
	if err != nil || len(kept) == 0 {
		t.Fatalf("no runs are kept: %v", err)
	}
	for _, path := range kept {
		e, err := run.ReadEval(path)
		if err != nil {
			t.Fatal(err)
		}
		var context, target []float64
		for _, batch := range e.PerBatch {
			context, target = append(context, batch.ContextLL), append(target, batch.TargetLL)
		}
		x, err := config.Load(filepath.Join(filepath.Dir(path), "config.yaml"), config.Overrides{})
		if err != nil {
			t.Fatal(err)
		}
		steps := "100,000"
		if x.Data.Points[1] == 50 {
			steps += " of at most 50 points"
		}
		b, _ := catalogue.Find(e.Benchmark)
		cell := rows(t, "paper-cells", map[string]string{"benchmark": b.Printed, "model": strings.ToUpper(e.Model),
			"train.seed": "0", "steps": steps})[0]
		const half = 0.00051 // of the last decimal
		cell.says("context", e.ContextLL.Mean, half)
		cell.says("context", stat.Mean(context, nil), half)
		cell.says("context ±", *e.ContextLL.StdError, half)
		cell.says("target", e.TargetLL.Mean, half)
		cell.says("target", stat.Mean(target, nil), half)
		cell.says("target ±", *e.TargetLL.StdError, half)
	}
}
