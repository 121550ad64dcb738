package tables_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/report/tables"
	"github.com/acqnp/acqnp/internal/test/must"
)

// An evalJSON is an evaluation as acqnp eval writes it, or as somebody else might.
type evalJSON struct {
	benchmark, model  string
	batches, numTau   int
	levels            string
	context, target   float64
	contextE, targetE float64 // negative: null
	weights           string
	step              int // 0: null
}

func (e evalJSON) String() string {
	quote := func(v any) string {
		b, err := json.Marshal(v)
		if err != nil {
			panic(err)
		}
		return string(b)
	}
	errorOf := func(v float64) any {
		if v < 0 {
			return nil
		}
		return v
	}
	var step any
	if e.step > 0 {
		step = e.step
	}
	return fmt.Sprintf(`{"schema": "acqnp.eval/2", "benchmark": %s, "model": %s, "seed": 43, "num_tau": %d, "levels": %s, "batches": %d,
"context_ll": {"mean": %v, "std_error": %s}, "target_ll": {"mean": %v, "std_error": %s},
"per_batch": [], "checkpoint": {"path": %s, "step": %s}, "device": "cpu", "seconds": 1, "version": "v1"}`,
		quote(e.benchmark), quote(e.model), e.numTau, quote(e.levels), e.batches,
		e.context, quote(errorOf(e.contextE)), e.target, quote(errorOf(e.targetE)), quote(e.weights), quote(step))
}

// lissajous returns an evaluation of ACQNP with the paper's settings.
func lissajous(context, target float64) evalJSON {
	return evalJSON{benchmark: "lissajous", model: "acqnp", batches: 5000, numTau: 100, levels: "random",
		context: context, contextE: 0.003, target: target, targetE: 0.004, weights: "w", step: 100000}
}

// addRun makes a run directory: eval.json beside a configuration with the seed and the settings.
func addRun(t *testing.T, root, name string, e evalJSON, seed int, settings string) {
	t.Helper()
	must.Write(t, e.String(), root, name, "eval.json")
	must.Write(t, fmt.Sprintf("benchmark: %s\nmodel: {name: %s}\n%s\ntrain: {seed: %d}\n", e.benchmark, e.model, settings, seed), root, name, "config.yaml")
}

// summarize gathers and summarizes runs. It returns the warnings as texts.
func summarize(t *testing.T, root string) (tables.Summary, []string) {
	t.Helper()
	var warnings []string
	runs := must.Get(tables.Gather(root, func(err error) { warnings = append(warnings, err.Error()) }))(t)
	s := must.Get(tables.Summarize(runs))(t)
	return s, warnings
}

// text returns the output of a format.
func text(t *testing.T, write func(io.Writer) error) string {
	t.Helper()
	var b bytes.Buffer
	must.Do(t, write(&b))
	return b.String()
}

// onlyRow returns the row of a summary, which must have exactly one.
func onlyRow(t *testing.T, s tables.Summary) tables.Row {
	t.Helper()
	if len(s.Tables) != 1 || len(s.Tables[0].Rows) != 1 {
		t.Fatalf("%+v, want one table of one row", s)
	}
	return s.Tables[0].Rows[0]
}

// records returns the records of the CSV of a summary.
func records(t *testing.T, s tables.Summary) [][]string {
	t.Helper()
	return must.Get(csv.NewReader(strings.NewReader(text(t, s.CSV))).ReadAll())(t)
}
