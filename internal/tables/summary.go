package tables

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/acqnp/acqnp/internal/benchmark"
	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/input"
	"github.com/acqnp/acqnp/internal/run"
)

// A Summary compares the runs of a directory with the paper's results.
type Summary struct {
	Tables []Table `json:"tables"`
}

// A Table has the rows of one of the paper's tables, or those for which the paper has no results.
type Table struct {
	Title string `json:"title"`
	Rows  []Row  `json:"rows"`
}

// A Row is a model on a benchmark: means over runs of different seeds.
type Row struct {
	Benchmark string   `json:"benchmark"` // as configurations name it; for csv with the file
	Model     string   `json:"model"`
	Runs      []Run    `json:"-"` // in the order of their seeds; empty for the paper's result alone
	Context   Part     `json:"context"`
	Target    Part     `json:"target"`
	Used      Used     `json:"used"`
	Notes     []string `json:"notes"` // how the runs differ from each other and from the paper's
}

// A Part is the context or the target log-likelihood of a row. Unknown values are nil.
type Part struct {
	Mean       *float64          `json:"mean"`                 // over runs
	SD         *float64          `json:"sd"`                   // sample standard deviation over runs, of two or more
	StdError   *float64          `json:"std_error"`            // of a single run: over its batches, of two or more
	Paper      *benchmark.Number `json:"paper"`                // nil if the paper has no such result
	Difference *float64          `json:"difference_in_errors"` // (mean − paper's mean) / combined error
}

// models lists the models in the order of the paper's rows.
var models = config.Models()

// unpublished is the title of the table of benchmarks and models without results in the paper.
const unpublished = "Not in the paper"

// Summarize takes means over the runs of each benchmark and model. If two have the same seed, it
// returns an *input.Error that names both. The summary has the benchmarks and models with runs, or
// also all others of the paper if all is set.
func Summarize(runs []Run, all bool) (Summary, error) {
	groups := map[[2]string][]Run{}
	for _, run := range runs {
		key := [2]string{run.benchmark(), run.Eval.Model}
		for _, other := range groups[key] {
			if other.identity() == run.identity() {
				return Summary{}, &input.Error{File: run.Path, Found: run.identity() + " of " + key[1] + " on " + key[0] + ", as in " + other.Path,
					Expected: "each once (name a narrower directory, or move one away)"}
			}
		}
		groups[key] = append(groups[key], run)
	}
	var s Summary
	for _, title := range benchmark.Tables {
		t := Table{Title: string(title)}
		for _, b := range benchmark.Names(func(b benchmark.Benchmark) bool { return b.Table == title }) {
			for _, m := range models {
				key := [2]string{b, m}
				if group := groups[key]; all || len(group) > 0 {
					t.Rows = append(t.Rows, newRow(b, m, group))
				}
				delete(groups, key)
			}
		}
		s.add(t)
	}
	rest := Table{Title: unpublished}
	for key, group := range groups {
		rest.Rows = append(rest.Rows, newRow(key[0], key[1], group))
	}
	slices.SortFunc(rest.Rows, func(a, b Row) int {
		return cmp.Or(
			cmp.Compare(a.Benchmark, b.Benchmark),
			cmp.Compare(slices.Index(models, a.Model), slices.Index(models, b.Model)),
			cmp.Compare(a.Model, b.Model),
		)
	})
	s.add(rest)
	return s, nil
}

func (s *Summary) add(t Table) {
	if len(t.Rows) > 0 {
		s.Tables = append(s.Tables, t)
	}
}

func newRow(name, model string, runs []Run) Row {
	slices.SortStableFunc(runs, bySeed)
	row := Row{Benchmark: name, Model: model, Runs: runs, Used: used(runs), Notes: notes(runs)}
	var paper struct{ context, target *benchmark.Number }
	if p, ok := benchmark.Paper(name, model); ok {
		paper.context, paper.target = &p.Context, &p.Target
	}
	row.Context = newPart(runs, paper.context, func(e run.Eval) run.Estimate { return e.ContextLL })
	row.Target = newPart(runs, paper.target, func(e run.Eval) run.Estimate { return e.TargetLL })
	return row
}

// bySeed orders runs by seed. Runs of unknown seed come last, by path.
func bySeed(a, b Run) int {
	switch {
	case a.Config != nil && b.Config != nil:
		return cmp.Compare(a.Config.Train.Seed, b.Config.Train.Seed)
	case a.Config != nil:
		return -1
	case b.Config != nil:
		return 1
	}
	return strings.Compare(a.Path, b.Path)
}

func newPart(runs []Run, paper *benchmark.Number, of func(run.Eval) run.Estimate) Part {
	p := Part{Paper: paper}
	if len(runs) == 0 {
		return p
	}
	means := make([]float64, len(runs))
	for i, run := range runs {
		means[i] = of(run.Eval).Mean
	}
	mean := stat.Mean(means, nil)
	p.Mean = &mean
	if len(runs) > 1 {
		sd := stat.StdDev(means, nil)
		p.SD = &sd
	} else {
		p.StdError = of(runs[0].Eval).StdError
	}
	if paper != nil {
		d := (mean - paper.Mean) / math.Hypot(p.errorOfMean(len(runs)), paper.Spread)
		p.Difference = &d
	}
	return p
}

// errorOfMean returns the standard error of the mean of n runs: over the runs, or over the batches
// of a single run. It is 0 if neither is known.
func (p Part) errorOfMean(n int) float64 {
	switch {
	case p.SD != nil:
		return *p.SD / math.Sqrt(float64(n))
	case p.StdError != nil:
		return *p.StdError
	}
	return 0
}
