package figures

import (
	"context"
	"fmt"

	"github.com/acqnp/acqnp/internal/invalid"
)

// mostParts is the largest number of rows of maps, for several runs.
const mostParts = 24

// NewFitFigure returns a figure of the predictive densities of the first evaluation functions by runs
// of one benchmark, as NewPrediction draws them. Several runs are shown together, for the first channel
// of y: densities side by side, maps one after the other. All runs predict the functions
// of the first.
func NewFitFigure(ctx context.Context, runs []Run, count int) (Figure, error) {
	if err := sameBenchmark(runs); err != nil {
		return nil, err
	}
	first := runs[0]
	subjects, err := Subjects(first.Source, first.Ask.Units.Scaling, count)
	if err != nil {
		return nil, err
	}
	if len(subjects) < count {
		return nil, first.noFunctions(count)
	}
	if len(runs) == 1 && count <= MaxPanels {
		return NewPrediction(ctx, first.Ask, subjects, Options{})
	}
	v := viewOf(first.Ask.About(), subjects)
	if v.kind != maps {
		return densitySheet(ctx, runs, v, subjects)
	}
	if n := len(runs) * count; n > mostParts {
		return nil, &invalid.Input{File: "--functions", Found: fmt.Sprintf("%d for %d runs", count, len(runs)),
			Expected: fmt.Sprintf("at most %d, functions by runs, as two columns of x vary", mostParts)}
	}
	return mapsOfRuns(ctx, runs, v, subjects)
}

// densitySheet returns a sheet with a row for each subject and a column for each run.
func densitySheet(ctx context.Context, runs []Run, v view, subjects []Subject) (Figure, error) {
	first := runs[0]
	sheet := panelSheet{Title: first.Ask.About().Question, X: v.axis(0), ShareY: true, Cells: make([][]sheetCell, len(subjects))}
	for _, s := range subjects {
		sheet.Rows = append(sheet.Rows, fmt.Sprintf("%s, %s", labelOf(v.about, 0), v.title(s)))
	}
	for _, r := range runs {
		panels, err := densityPanels(ctx, r.Ask, v, subjects, Options{})
		if err != nil {
			return nil, err
		}
		var cells []sheetCell
		for i := range subjects {
			p := panels[i*len(panels)/len(subjects)]
			cells = append(cells, sheetCell{Data: p.Targets, Context: p.Context, Grid: p.Grid, Bars: p.Bars})
		}
		sheet.addColumn(r.Label, cells)
	}
	return sheet, nil
}

// mapsOfRuns returns the maps of each subject, by one run after the other.
func mapsOfRuns(ctx context.Context, runs []Run, v view, subjects []Subject) (Figure, error) {
	figure := MapPlot{Title: runs[0].Ask.About().Question, X: v.axis(0), Y: v.axis(1)}
	for i := range subjects {
		for _, r := range runs {
			rows, err := mapRows(ctx, r.Ask, v, subjects[i:i+1], Options{})
			if err != nil {
				return nil, err
			}
			if len(rows) > 0 {
				rows[0].Title = r.Label + ", " + rows[0].Title
				figure.Rows = append(figure.Rows, rows[0])
			}
		}
	}
	return figure, nil
}
