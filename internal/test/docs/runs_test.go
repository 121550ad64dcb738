package docs

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/config/catalogue"
)

// The runs that are kept beside the tables have the figures of the paper's cells, and the mean of
// their batches.
func TestCellsAreThoseOfTheKeptRuns(t *testing.T) {
	type estimate struct {
		Mean     float64 `json:"mean"`
		StdError float64 `json:"std_error"`
	}
	kept, err := filepath.Glob(filepath.Join(root, "docs/results/runs/*/*/seed-0/eval.json"))
	if err != nil || len(kept) == 0 {
		t.Fatalf("no runs are kept: %v", err)
	}
	for _, path := range kept {
		name, err := filepath.Rel(root, path)
		if err != nil {
			t.Fatal(err)
		}
		var e struct {
			Benchmark string   `json:"benchmark"`
			Model     string   `json:"model"`
			Context   estimate `json:"context_ll"`
			Target    estimate `json:"target_ll"`
			PerBatch  []struct {
				Context float64 `json:"context_ll"`
				Target  float64 `json:"target_ll"`
			} `json:"per_batch"`
		}
		if err := json.Unmarshal([]byte(read(t, name)), &e); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		b, _ := catalogue.Find(e.Benchmark)
		cell := rows(t, "paper-cells", map[string]string{"benchmark": b.Printed, "model": strings.ToUpper(e.Model),
			"train.seed": "0", "steps": "100,000 of at most 50 points"})[0]
		const half = 0.00051 // of the last decimal
		cell.says("context", e.Context.Mean, half)
		cell.says("context ±", e.Context.StdError, half)
		cell.says("target", e.Target.Mean, half)
		cell.says("target ±", e.Target.StdError, half)
		var context, target float64
		for _, batch := range e.PerBatch {
			context += batch.Context / float64(len(e.PerBatch))
			target += batch.Target / float64(len(e.PerBatch))
		}
		cell.says("context", context, half)
		cell.says("target", target, half)
	}
}
