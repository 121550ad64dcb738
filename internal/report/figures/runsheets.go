package figures

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/floats"

	"github.com/acqnp/acqnp/internal/config/catalogue"
)

// Numbers of bootstraps in the paper's figures of BNP.
const (
	memberBootstraps   = 20 // of a fit, which shows the mean of each
	ensembleBootstraps = 5  // of the lanes, which show quantiles of their mixture
)

// FitFunctions state which evaluation functions a sheet of fits shows.
type FitFunctions struct{ First, Count int }

// NewFitSheet returns a figure of fits of evaluation functions by runs of one benchmark, as in the
// paper's figure 1: the data; the quantile levels of ACQNP and CQNP; the means of BNP's bootstraps;
// the mean of other models. On unimodal benchmarks it shows the mean of ACQNP and CQNP instead of
// their levels. This mean uses the levels of Run.Ask if askedLevels is set, and evenly spaced ones
// otherwise. All runs predict the functions of the first.
func NewFitSheet(ctx context.Context, runs []Run, f FitFunctions, askedLevels bool) (Sheet, error) {
	if err := sameBenchmark(runs); err != nil {
		return Sheet{}, err
	}
	first := runs[0]
	tasks, err := first.tasks(f.First, f.Count)
	if err != nil {
		return Sheet{}, err
	}
	sheet := newDataSheet(first.Experiment.Benchmark, AxisOf(first.Ask.Units, 0), tasks)
	for i := range tasks {
		sheet.Rows = append(sheet.Rows, fmt.Sprintf("%s (function %d)", first.Ask.Units.YNames[0], f.First+i))
	}
	for _, r := range runs {
		r.Ask.Bootstraps = memberBootstraps
		view := fitView(r)
		if view == MeanView && !askedLevels {
			r.Ask = r.Ask.Evenly()
		}
		if err := sheet.addRun(ctx, r, tasks, view, nil); err != nil {
			return Sheet{}, err
		}
	}
	return sheet, nil
}

// fitView returns the view that the paper's figure 1 has of a model.
func fitView(r Run) View {
	b, _ := catalogue.Find(r.Experiment.Benchmark)
	switch {
	case r.Ask.Model.Bootstrap():
		return MemberView
	case r.Ask.Model.Quantile() && !b.Unimodal:
		return LevelsView
	}
	return MeanView
}

// NewLaneSheet returns a figure of the quantiles of speed by flow on both lanes, as in the paper's
// figure 3: the levels of ACQNP and CQNP, and as many quantiles of other models' distributions.
func NewLaneSheet(ctx context.Context, runs []Run, levels int) (Sheet, error) {
	tasks, err := runs[0].tasks(0, 2)
	if err != nil {
		return Sheet{}, err
	}
	sheet := newDataSheet("speed by flow", AxisOf(runs[0].Ask.Units, 0), tasks)
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

// evenLevels returns n evenly spaced levels from 0.001 to 0.999, the paper's.
func evenLevels(n int) []float64 {
	if n == 1 {
		return []float64{0.5}
	}
	return floats.Span(make([]float64, n), 0.001, 0.999)
}

// newDataSheet returns a sheet with one column: the tasks' data and contexts.
func newDataSheet(title string, x Axis, tasks []Task) Sheet {
	sheet := Sheet{Title: title, X: x, ShareY: true, Columns: []string{"Data"}}
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

// NewLevelSheet returns a figure of the runs' quantile levels τ along x, each run for one of its
// own evaluation functions, as in the paper's figure 2. The row above shows the quantiles at these
// levels.
func NewLevelSheet(ctx context.Context, runs []Run, function int) (Sheet, error) {
	sheet := Sheet{Title: "quantile levels τ, and the quantiles that they stand for", X: Axis{Name: "x"}, Rows: []string{"y", "τ"},
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
