package figures

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/floats"

	"github.com/acqnp/acqnp/internal/benchmark"
	"github.com/acqnp/acqnp/internal/predict"
)

// How many bootstraps the paper's figures of BNP show.
const (
	memberBootstraps   = 20 // a mean is drawn for each
	ensembleBootstraps = 5  // whose mixture the quantiles of the lanes are taken of
)

// FitFunctions says which evaluation functions a sheet of fits shows.
type FitFunctions struct{ First, Count int }

// NewFitSheet shows how runs of one benchmark fit evaluation functions, as the paper's figure 1:
// the data; the quantile levels of ACQNP and CQNP; the means of BNP's bootstraps; the mean of other
// models. On unimodal benchmarks the mean of ACQNP and CQNP stands for their levels. All runs are
// shown the functions of the first. askedLevels says that means are taken at the levels that the
// runs are asked with; else they are taken at evenly spaced ones.
func NewFitSheet(ctx context.Context, runs []Run, f FitFunctions, askedLevels bool) (Sheet, error) {
	if err := sameBenchmark(runs); err != nil {
		return Sheet{}, err
	}
	first := runs[0]
	tasks, err := first.tasks(f.First, f.Count)
	if err != nil {
		return Sheet{}, err
	}
	sheet := newDataSheet(first.Experiment.Benchmark, first.Ask.Units.XNames[0], tasks)
	for i := range tasks {
		sheet.Rows = append(sheet.Rows, fmt.Sprintf("%s (function %d)", first.Ask.Units.YNames[0], f.First+i))
	}
	for _, r := range runs {
		r.Ask.Bootstraps = memberBootstraps
		view := fitView(r)
		if view == MeanView && !askedLevels {
			r.Ask.Levels = predict.GridLevels
		}
		if err := sheet.addRun(ctx, r, tasks, view, nil); err != nil {
			return Sheet{}, err
		}
	}
	return sheet, nil
}

// fitView returns what the paper shows of a model.
func fitView(r Run) View {
	b, _ := benchmark.Find(r.Experiment.Benchmark)
	switch {
	case r.Ask.Model.Bootstrap():
		return MemberView
	case r.Ask.Model.Quantile() && !b.Unimodal:
		return LevelsView
	}
	return MeanView
}

// NewLaneSheet shows the quantiles of speed by flow on both lanes, as the paper's figure 3: levels
// of ACQNP and CQNP, and of other models as many quantiles of their distribution.
func NewLaneSheet(ctx context.Context, runs []Run, levels int) (Sheet, error) {
	tasks, err := runs[0].tasks(0, 2)
	if err != nil {
		return Sheet{}, err
	}
	sheet := newDataSheet("speed by flow", runs[0].Ask.Units.XNames[0], tasks)
	sheet.Rows = []string{"speed on lane 2", "speed on lane 3"}
	for _, r := range runs {
		r.Ask.Bootstraps = ensembleBootstraps
		view := QuantileView
		if r.Ask.Model.Quantile() {
			view = LevelsView
		}
		if err := sheet.addRun(ctx, r, tasks, view, evenLevels(levels)); err != nil {
			return Sheet{}, err
		}
	}
	return sheet, nil
}

// evenLevels returns n evenly spaced levels from 0.001 to 0.999, as quantile models have them on
// the grid.
func evenLevels(n int) []float64 {
	if n == 1 {
		return []float64{0.5}
	}
	return floats.Span(make([]float64, n), 0.001, 0.999)
}

// newDataSheet has one column, the tasks' data and contexts.
func newDataSheet(title, xLabel string, tasks []Task) Sheet {
	sheet := Sheet{Title: title, XLabel: xLabel, ShareY: true, Columns: []string{"Data"}}
	for _, t := range tasks {
		sheet.Cells = append(sheet.Cells, []Cell{{Data: t.Data, Context: t.Context}})
	}
	return sheet
}

// addRun adds a column with a run's predictions for the tasks.
func (s *Sheet) addRun(ctx context.Context, r Run, tasks []Task, view View, levels []float64) error {
	cells, err := Cells(ctx, r.Ask, tasks, view, levels)
	if err != nil {
		return err
	}
	s.AddColumn(r.Label, cells)
	return nil
}

// NewLevelSheet shows where the quantile levels of runs lie along x for one evaluation function of
// each, as the paper's figure 2, below the quantiles that they stand for.
func NewLevelSheet(ctx context.Context, runs []Run, function int) (Sheet, error) {
	sheet := Sheet{Title: "quantile levels τ, and the quantiles that they stand for", XLabel: "x", Rows: []string{"y", "τ"},
		Cells: make([][]Cell, 2)}
	for _, r := range runs {
		tasks, err := r.tasks(function, 1)
		if err != nil {
			return Sheet{}, err
		}
		quantiles, err := Cells(ctx, r.Ask, tasks, LevelsView, nil)
		if err != nil {
			return Sheet{}, err
		}
		quantiles[0].Data = tasks[0].Data
		levels, err := Cells(ctx, r.Ask, tasks, TauView, nil)
		if err != nil {
			return Sheet{}, err
		}
		sheet.AddColumn(r.Label+" on "+r.Experiment.Benchmark, []Cell{quantiles[0], levels[0]})
	}
	return sheet, nil
}
