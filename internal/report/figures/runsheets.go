package figures

import (
	"context"
	"fmt"

	"github.com/acqnp/acqnp/internal/invalid"
)

// mostMaps is the largest number of rows of maps, for several runs.
const mostMaps = 24

// NewFitFigure returns a figure of the predictive densities of the first evaluation groups by runs
// of one benchmark, as NewPrediction draws them. Several runs are shown together, for the first channel
// of y: densities side by side, maps one after the other. All runs predict the groups
// of the first.
func NewFitFigure(ctx context.Context, runs []Run, count int) (Figure, error) {
	subjects, err := FirstGroups(runs, count)
	if err != nil {
		return nil, err
	}
	v := viewOf(runs[0].Ask.About(), subjects, nil)
	if len(runs) == 1 && count <= MaxPanels {
		return NewPrediction(ctx, runs[0].Ask, subjects, Options{})
	}
	if v.maps() {
		return mapsOfRuns(ctx, runs, v, subjects)
	}
	var columns []Column
	for _, r := range runs {
		c, err := r.column(ctx, v, subjects)
		if err != nil {
			return nil, err
		}
		columns = append(columns, c)
	}
	return NewSheet(v.about.Question, v.axis(0), columns), nil
}

// FirstGroups returns the first groups of the first run's evaluation. It returns an *invalid.Input if
// there are fewer, or if the runs differ in their benchmark or their columns.
func FirstGroups(runs []Run, count int) ([]Subject, error) {
	first := runs[0]
	if err := sameBenchmark(runs); err != nil {
		return nil, err
	}
	subjects, err := Subjects(first.Source, first.Ask.Units.Scaling, count)
	if err == nil && len(subjects) < count {
		err = &invalid.Input{File: "--groups", Found: fmt.Sprint(count), Expected: fmt.Sprintf("at most the groups of %s of %s",
			invalid.Plural(first.Source.Eval.Count, "evaluation batch", "evaluation batches"), first.Dir)}
	}
	return subjects, err
}

// column returns a panel of each subject by a run, for the first channel of y.
func (r Run) column(ctx context.Context, v view, subjects []Subject) (Column, error) {
	panels, err := panelsOf(ctx, r.Ask, v, subjects, Options{})
	c := Column{Name: r.Label}
	for i := 0; err == nil && i < len(subjects); i++ {
		p := panels[i*len(panels)/len(subjects)]
		if p.Title != "" {
			p.YLabel += ", " + p.Title
		}
		c.Panels = append(c.Panels, p)
	}
	return c, err
}

// mapsOfRuns returns the maps of each subject, by one run after the other.
func mapsOfRuns(ctx context.Context, runs []Run, v view, subjects []Subject) (Figure, error) {
	if n := len(runs) * len(subjects); n > mostMaps {
		return nil, &invalid.Input{File: "--groups", Found: fmt.Sprintf("%d for %d runs", len(subjects), len(runs)),
			Expected: fmt.Sprintf("at most %d, groups by runs, as two columns of x vary", mostMaps)}
	}
	figure := MapPlot{Title: v.about.Question, X: v.axis(0), Y: v.axis(1)}
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
