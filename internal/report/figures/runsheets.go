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

// NewFitSheet returns a figure of fits of the first evaluation functions by runs of one benchmark, as
// in the paper's figure 1: the data; the quantile levels of ACQNP and CQNP; the means of BNP's
// bootstraps; the mean of other models. On unimodal benchmarks it shows the mean of ACQNP and CQNP over
// evenly spaced levels instead of the levels. All runs predict the functions of the first.
func NewFitSheet(ctx context.Context, runs []Run, count int) (Figure, error) {
	if err := sameBenchmark(runs); err != nil {
		return nil, err
	}
	first := runs[0]
	shown, err := first.shown(count)
	if err != nil {
		return nil, err
	}
	about := first.Ask.About()
	sheet := newDataSheet(about.Question, axisOf(about, 0), shown)
	for i := range shown {
		sheet.Rows = append(sheet.Rows, fmt.Sprintf("%s, function %d", labelOf(about, 0), i))
	}
	for _, r := range runs {
		r.Ask.Bootstraps = memberBootstraps
		view := fitView(r)
		if view == meanView {
			r.Ask = r.Ask.Evenly()
		}
		if err := sheet.addRun(ctx, r, shown, view, nil); err != nil {
			return nil, err
		}
	}
	return sheet, nil
}

// fitView returns the view that the paper's figure 1 has of a model.
func fitView(r Run) cellView {
	b, _ := catalogue.Find(r.Experiment.Benchmark)
	switch {
	case r.Ask.Model.Bootstrap():
		return memberView
	case r.Ask.Model.Quantile() && !b.Unimodal:
		return levelsView
	}
	return meanView
}

// NewLaneSheet returns a figure of the quantiles of speed by flow on both lanes, as in the paper's
// figure 3: the levels of ACQNP and CQNP, and as many quantiles of other models' distributions.
func NewLaneSheet(ctx context.Context, runs []Run, levels int) (Figure, error) {
	shown, err := runs[0].shown(2)
	if err != nil {
		return nil, err
	}
	about := runs[0].Ask.About()
	sheet := newDataSheet(about.Question, axisOf(about, 0), shown)
	sheet.Rows = []string{"lane 2: " + labelOf(about, 0), "lane 3: " + labelOf(about, 0)}
	for _, r := range runs {
		r.Ask.Bootstraps = ensembleBootstraps
		view := quantileView
		if r.Ask.Model.Quantile() {
			view = levelsView
		}
		if err := sheet.addRun(ctx, r, shown, view, evenLevels(levels)); err != nil {
			return nil, err
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

// newDataSheet returns a sheet with one column: the data and contexts of functions.
func newDataSheet(title string, x Axis, shown []sheetFunction) panelSheet {
	sheet := panelSheet{Title: title, X: x, ShareY: true, Columns: []string{"Data"}}
	for _, t := range shown {
		sheet.Cells = append(sheet.Cells, []sheetCell{{Data: t.Data, Context: t.Context}})
	}
	return sheet
}

// addRun adds a column with a run's predictions for the functions.
func (s *panelSheet) addRun(ctx context.Context, r Run, shown []sheetFunction, view cellView, levels []float64) error {
	cells, err := newCells(ctx, r.Ask, shown, view, levels)
	if err != nil {
		return err
	}
	s.addColumn(r.Label, cells)
	return nil
}

// NewLevelSheet returns a figure of the runs' quantile levels τ along x, each run for its
// own first evaluation function, as in the paper's figure 2. The row above shows the quantiles at these
// levels.
func NewLevelSheet(ctx context.Context, runs []Run) (Figure, error) {
	sheet := panelSheet{Title: "quantile levels τ, and the quantiles that they stand for", X: Axis{Name: "x"}, Rows: []string{"y", "τ"},
		Cells: make([][]sheetCell, 2)}
	for _, r := range runs {
		shown, err := r.shown(1)
		if err != nil {
			return nil, err
		}
		quantiles, err := newCells(ctx, r.Ask, shown, levelsView, nil)
		if err != nil {
			return nil, err
		}
		quantiles[0].Data = shown[0].Data
		levels, err := newCells(ctx, r.Ask, shown, tauView, nil)
		if err != nil {
			return nil, err
		}
		sheet.addColumn(r.Label+" on "+r.Experiment.Benchmark, []sheetCell{quantiles[0], levels[0]})
	}
	return sheet, nil
}
