package ablate

import (
	"encoding/csv"
	"io"
	"math"
	"strconv"

	"github.com/acqnp/acqnp/internal/files"
	"github.com/acqnp/acqnp/internal/run"
)

// WriteResults writes a CSV file with a line for every result. column is the name of the column of
// values. The standard error of one batch is empty.
func WriteResults(path, column string, results []Result) error {
	header := []string{"run", "benchmark", "model", "seed", "steps", column, "levels", "batches",
		"context_ll", "context_std_error", "target_ll", "target_std_error", "variant"}
	return writeCSV(path, header, len(results), func(i int) []string {
		r := results[i]
		e := r.Eval
		return []string{r.Run, e.Benchmark, e.Model, strconv.FormatUint(r.Seed, 10), strconv.Itoa(r.Steps),
			strconv.Itoa(r.Value), e.Levels, strconv.Itoa(e.Batches),
			number(e.ContextLL.Mean), stdError(e.ContextLL), number(e.TargetLL.Mean), stdError(e.TargetLL), e.Variant}
	})
}

// WritePoints writes a CSV file with a line for every point. column is the name of the column of
// values. The standard deviation of one run is empty.
func WritePoints(path, column string, points []Point) error {
	header := []string{"benchmark", "model", column, "runs", "batches", "context_ll", "context_sd", "target_ll", "target_sd", "variant"}
	return writeCSV(path, header, len(points), func(i int) []string {
		p := points[i]
		return []string{p.Benchmark, p.Model, strconv.Itoa(p.Value), strconv.Itoa(p.Runs), strconv.Itoa(p.Batches),
			number(p.Context.Mean), number(p.Context.Deviation()), number(p.Target.Mean), number(p.Target.Deviation()), p.Variant}
	})
}

func writeCSV(path string, header []string, rows int, row func(i int) []string) error {
	return files.Write(path, func(w io.Writer) error {
		out := csv.NewWriter(w)
		_ = out.Write(header) // csv.Writer keeps its first error
		for i := range rows {
			_ = out.Write(row(i))
		}
		out.Flush()
		return out.Error()
	})
}

// stdError returns an estimate's standard error as text, or "" for one batch.
func stdError(e run.Estimate) string {
	if e.StdError == nil {
		return ""
	}
	return number(*e.StdError)
}

// number returns the shortest text that reads back as v, or "" for NaN.
func number(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}
