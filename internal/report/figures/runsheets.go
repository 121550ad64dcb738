package figures

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/floats"

	"github.com/acqnp/acqnp/internal/config/catalogue"
	"github.com/acqnp/acqnp/internal/invalid"
)

// Numbers of bootstraps in the paper's figures of BNP.
const (
	memberBootstraps   = 20 // of a fit, which shows the mean of each
	ensembleBootstraps = 5  // of the lanes, which show quantiles of their mixture
)

// mostMaps is the largest number of rows of maps, for several runs.
const mostMaps = 24

// NewFitFigure returns a figure of the predictive densities of the first evaluation functions by runs
// of one benchmark, as NewPrediction draws them. Several runs are shown together, for the first channel
// of y: densities side by side, maps one after the other. All runs predict the functions
// of the first.
func NewFitFigure(ctx context.Context, runs []Run, count int) (Figure, error) {
	v, subjects, err := firstFunctions(runs, count)
	if err != nil {
		return nil, err
	}
	if len(runs) == 1 && count <= MaxPanels {
		return NewPrediction(ctx, runs[0].Ask, subjects, Options{})
	}
	if v.maps() {
		return mapsOfRuns(ctx, runs, v, subjects)
	}
	var columns []column
	for _, r := range runs {
		c, err := r.column(ctx, v, subjects, Options{})
		if err != nil {
			return nil, err
		}
		columns = append(columns, c)
	}
	return newSheet(v.about.Question, v.axis(0), columns), nil
}

// NewFitSheet returns a figure of fits of the first evaluation functions by runs of one benchmark, as
// in the paper's figure 1: the data; the quantile levels of models that have some; the means of BNP's
// bootstraps; the mean of other models. On unimodal benchmarks it shows the mean of models with levels,
// over evenly spaced ones, instead of the levels. All runs predict the functions of the first.
func NewFitSheet(ctx context.Context, runs []Run, count int) (Figure, error) {
	return dataSheet(ctx, runs, count, func(r *Run) Options {
		b, _ := catalogue.Find(r.Experiment.Benchmark)
		r.Ask.Bootstraps = memberBootstraps
		switch {
		case r.Ask.Model.Bootstrap():
			return Options{shown: memberPart}
		case r.Experiment.Model.HasLevels() && !b.Unimodal:
			return Options{shown: levelPart}
		}
		r.Ask = r.Ask.Evenly()
		return Options{shown: meanPart}
	})
}

// NewLaneSheet returns a figure of the quantiles of speed by flow on both lanes, as in the paper's
// figure 3: the levels of models that have some, and as many quantiles of other models' distributions.
func NewLaneSheet(ctx context.Context, runs []Run, levels int) (Figure, error) {
	even := []float64{0.5} // else the paper's, from 0.001 to 0.999
	if levels > 1 {
		even = floats.Span(make([]float64, levels), 0.001, 0.999)
	}
	return dataSheet(ctx, runs, 2, func(r *Run) Options {
		r.Ask.Bootstraps = ensembleBootstraps
		if r.Experiment.Model.HasLevels() {
			return Options{shown: levelPart}
		}
		return Options{shown: quantilePart, Levels: even}
	}, "lane 2", "lane 3")
}

// dataSheet returns a sheet with a row for each of the first functions: the data, and what each run predicts.
// how chooses what to show of a run, and can change how it predicts. names are those of the functions, if they have any.
func dataSheet(ctx context.Context, runs []Run, count int, how func(*Run) Options, names ...string) (Figure, error) {
	v, subjects, err := firstFunctions(runs, count)
	if err != nil {
		return nil, err
	}
	for i, name := range names {
		subjects[i].Name = name
	}
	columns := []column{{name: "Data"}}
	for _, r := range runs {
		o := how(&r)
		c, err := r.column(ctx, v, subjects, o)
		if err != nil {
			return nil, err
		}
		for i := range c.panels {
			if len(columns) == 1 {
				p := c.panels[i]
				columns[0].panels = append(columns[0].panels, Panel{YLabel: p.YLabel, Context: p.Context, Targets: p.Targets})
			}
			c.panels[i].Targets = nil
		}
		columns = append(columns, c)
	}
	return newSheet(v.about.Question, v.axis(0), columns), nil
}

// NewLevelSheet returns a figure of the runs' quantile levels τ along x, each run for its
// own first evaluation function, as in the paper's figure 2. The row above shows the quantiles at these
// levels.
func NewLevelSheet(ctx context.Context, runs []Run) (Figure, error) {
	var columns []column
	for _, r := range runs {
		v, subjects, err := firstFunctions([]Run{r}, 1)
		if err != nil {
			return nil, err
		}
		c, err := r.column(ctx, v, subjects, Options{shown: levelPart})
		if err != nil {
			return nil, err
		}
		taus, err := r.column(ctx, v, subjects, Options{shown: tauPart})
		if err != nil {
			return nil, err
		}
		c.name += " on " + r.Experiment.Benchmark
		c.panels[0].YLabel = "y"
		c.panels = append(c.panels, Panel{YLabel: "τ", Grid: taus.panels[0].Grid, yRange: []float64{-0.02, 1.02}})
		columns = append(columns, c)
	}
	sheet := newSheet("quantile levels τ, and the quantiles that they stand for", Axis{Name: "x"}, columns)
	sheet.apart = true
	return sheet, nil
}

// firstFunctions returns the first functions of the first run's evaluation, and how they are shown. It returns an
// *invalid.Input if there are fewer, or if the runs differ in their benchmark or their columns.
func firstFunctions(runs []Run, count int) (view, []Subject, error) {
	first := runs[0]
	if err := sameBenchmark(runs); err != nil {
		return view{}, nil, err
	}
	subjects, err := Subjects(first.Source, first.Ask.Units.Scaling, count)
	if err == nil && len(subjects) < count {
		err = &invalid.Input{File: "--functions", Found: fmt.Sprint(count), Expected: fmt.Sprintf("at most the functions of %s of %s",
			invalid.Plural(first.Source.EvalBatches(), "evaluation batch", "evaluation batches"), first.Dir)}
	}
	if err != nil {
		return view{}, nil, err
	}
	return viewOf(first.Ask.About(), subjects), subjects, nil
}

// column returns a panel of each subject by a run, for the first channel of y.
func (r Run) column(ctx context.Context, v view, subjects []Subject, o Options) (column, error) {
	panels, err := panelsOf(ctx, r.Ask, v, subjects, o)
	c := column{name: r.Label}
	for i := 0; err == nil && i < len(subjects); i++ {
		p := panels[i*len(panels)/len(subjects)]
		if p.Title != "" {
			p.YLabel += ", " + p.Title
		}
		c.panels = append(c.panels, p)
	}
	return c, err
}

// mapsOfRuns returns the maps of each subject, by one run after the other.
func mapsOfRuns(ctx context.Context, runs []Run, v view, subjects []Subject) (Figure, error) {
	if n := len(runs) * len(subjects); n > mostMaps {
		return nil, &invalid.Input{File: "--functions", Found: fmt.Sprintf("%d for %d runs", len(subjects), len(runs)),
			Expected: fmt.Sprintf("at most %d, functions by runs, as two columns of x vary", mostMaps)}
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
