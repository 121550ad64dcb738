// Package ablate varies one number of a model and measures what that does to its log-likelihoods: the number of
// quantile levels at test time, or the depth of ψ. They are the ablations of the paper's figure 4.
//
// A Trial is one run, trained or taken as it is, and the values that it is evaluated at. A Result is one of its
// evaluations, and a Point is the mean over the runs that differ in their seed alone.
package ablate

import (
	"encoding/csv"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/acqnp/acqnp/internal/atomicfile"
	"github.com/acqnp/acqnp/internal/report"
)

// Result is one evaluation of one run at one value of the number.
type Result struct {
	Run       string
	Benchmark string
	Model     string
	Seed      uint64 // train.seed
	Steps     int
	Value     int
	Eval      report.Eval
}

// Point is the mean over the runs of one model on one benchmark at one value. The deviations are NaN for one run.
type Point struct {
	Benchmark, Model    string
	Value, Runs         int
	Context, Target     float64
	ContextSD, TargetSD float64
	FewestBatches       int
}

// Points gathers results, ordered by benchmark and model as they first occur, then by value.
func Points(results []Result) []Point {
	var points []Point
	of := map[[3]any][]Result{}
	order := map[[2]string]int{}
	for _, r := range results {
		who, key := [2]string{r.Benchmark, r.Model}, [3]any{r.Benchmark, r.Model, r.Value}
		if _, known := order[who]; !known {
			order[who] = len(order)
		}
		if of[key] == nil {
			points = append(points, Point{Benchmark: r.Benchmark, Model: r.Model, Value: r.Value})
		}
		of[key] = append(of[key], r)
	}
	for i := range points {
		p := &points[i]
		p.average(of[[3]any{p.Benchmark, p.Model, p.Value}])
	}
	slices.SortStableFunc(points, func(p, q Point) int {
		if d := order[[2]string{p.Benchmark, p.Model}] - order[[2]string{q.Benchmark, q.Model}]; d != 0 {
			return d
		}
		return p.Value - q.Value
	})
	return points
}

// average sets the point's figures to those of its runs.
func (p *Point) average(runs []Result) {
	p.Runs, p.FewestBatches = len(runs), runs[0].Eval.Batches
	for _, r := range runs {
		p.FewestBatches = min(p.FewestBatches, r.Eval.Batches)
	}
	p.Context, p.ContextSD = meanAndSD(runs, func(r Result) float64 { return r.Eval.ContextLL.Mean })
	p.Target, p.TargetSD = meanAndSD(runs, func(r Result) float64 { return r.Eval.TargetLL.Mean })
}

// meanAndSD returns the mean and the sample standard deviation (n−1) over runs, NaN for one run.
func meanAndSD(runs []Result, value func(Result) float64) (mean, sd float64) {
	n := float64(len(runs))
	for _, r := range runs {
		mean += value(r) / n
	}
	for _, r := range runs {
		d := value(r) - mean
		sd += d * d
	}
	return mean, math.Sqrt(sd / (n - 1)) // 0/0 is NaN
}

// WriteResults writes a CSV file with a line for every result; column is the name of the varied number.
func WriteResults(path, column string, results []Result) error {
	header := []string{"run", "benchmark", "model", "seed", "steps", column, "levels", "batches",
		"context_ll", "context_std_error", "target_ll", "target_std_error"}
	return writeCSV(path, header, len(results), func(i int) []string {
		r := results[i]
		e := r.Eval
		return []string{r.Run, r.Benchmark, r.Model, strconv.FormatUint(r.Seed, 10), strconv.Itoa(r.Steps),
			strconv.Itoa(r.Value), e.Levels, strconv.Itoa(e.Batches),
			number(e.ContextLL.Mean), stdError(e.ContextLL), number(e.TargetLL.Mean), stdError(e.TargetLL)}
	})
}

// WritePoints writes a CSV file with a line for every point. Standard deviations are empty for one run.
func WritePoints(path, column string, points []Point) error {
	header := []string{"benchmark", "model", column, "runs", "batches", "context_ll", "context_sd", "target_ll", "target_sd"}
	return writeCSV(path, header, len(points), func(i int) []string {
		p := points[i]
		return []string{p.Benchmark, p.Model, strconv.Itoa(p.Value), strconv.Itoa(p.Runs), strconv.Itoa(p.FewestBatches),
			number(p.Context), number(p.ContextSD), number(p.Target), number(p.TargetSD)}
	})
}

func writeCSV(path string, header []string, rows int, row func(i int) []string) error {
	return atomicfile.Write(path, func(w io.Writer) error {
		out := csv.NewWriter(w)
		_ = out.Write(header) // csv.Writer keeps its first error
		for i := range rows {
			_ = out.Write(row(i))
		}
		out.Flush()
		return out.Error()
	})
}

// number returns the shortest text that reads back as v, and nothing for NaN.
func number(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

func stdError(e report.Estimate) string {
	if e.StdError == nil {
		return ""
	}
	return number(*e.StdError)
}
