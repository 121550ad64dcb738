package docs

import (
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/config/catalogue"
	"github.com/acqnp/acqnp/internal/run"
)

// The runs that are kept in research have the figures of the paper's cells.
func TestCellsAreThoseOfTheKeptRuns(t *testing.T) {
	kept, err := filepath.Glob(filepath.Join(root, "research/runs/*/*/seed-0/eval.json"))
	if err != nil || len(kept) == 0 {
		t.Fatalf("no runs are kept: %v", err)
	}
	cells := records(t, data+"/paper-cells.csv")
	for _, path := range kept {
		e, err := run.ReadEval(path)
		if err != nil {
			t.Fatal(err)
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
		want := []string{b.Printed, strings.ToUpper(e.Model), "0", steps}
		i := slices.IndexFunc(cells, func(row []string) bool { return slices.Equal(row[:4], want) })
		if i < 0 {
			t.Errorf("paper-cells.csv has no row %q", want)
			continue
		}
		for column, value := range map[string]float64{"context": e.ContextLL.Mean, "context ±": *e.ContextLL.StdError,
			"target": e.TargetLL.Mean, "target ±": *e.TargetLL.StdError} {
			cell := cells[i][slices.Index(cells[0], column)]
			if said, err := strconv.ParseFloat(cell, 64); err != nil || math.Abs(said-value) > 0.00051 { // half of the last decimal
				t.Errorf("paper-cells.csv: %s of %q is %s, the run has %.4f", column, want, cell, value)
			}
		}
	}
}
