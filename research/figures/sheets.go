package main

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/plot/plotter"

	"github.com/acqnp/acqnp/internal/config/catalogue"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/report/figures"
)

const (
	gridPoints   = 240 // evenly spaced x at which a run predicts
	figureLevels = 10  // quantile levels at each x
	// Bootstraps of BNP.
	memberBootstraps   = 20 // of figure 1, which shows the mean of each
	ensembleBootstraps = 5  // of the lanes, which show quantiles of their mixture
)

// A prediction is the distribution that a run predicts at an x.
type prediction struct {
	x float64
	predict.Distribution
}

// A show returns the marks of predictions along x.
type show func([]prediction) []figures.Mark

// componentSheet returns a figure of fits by runs of one benchmark, as in the paper's figure 1: the data; the
// quantile levels of models that have some; the means of BNP's bootstraps; the mean of other models. On
// unimodal benchmarks it shows the mean of models with levels, over evenly spaced ones, instead of the levels,
// as the supplement does: the mean of a few random levels jumps from x to x.
func componentSheet(ctx context.Context, runs []figures.Run, groups int) (figures.Figure, error) {
	return dataSheet(ctx, runs, groups, func(r *figures.Run) show {
		b, _ := catalogue.Find(r.Experiment.Benchmark)
		r.Ask.Bootstraps = memberBootstraps
		switch {
		case r.Ask.Model.Bootstrap():
			return members
		case r.Experiment.Model.HasLevels() && !b.Unimodal:
			return levelsOf
		}
		r.Ask = r.Ask.Evenly()
		return means
	})
}

// laneSheet returns a figure of the quantiles of speed by flow on both lanes, as in the paper's figure 3: the
// levels of models that have some, and as many quantiles of other models' distributions.
func laneSheet(ctx context.Context, runs []figures.Run, _ int) (figures.Figure, error) {
	return dataSheet(ctx, runs, 2, func(r *figures.Run) show {
		r.Ask = r.Ask.Evenly()
		r.Ask.Bootstraps = ensembleBootstraps
		if r.Experiment.Model.HasLevels() {
			return levelsOf
		}
		return quantiles
	}, "lane 2", "lane 3")
}

// dataSheet returns a sheet with a row for each of the first groups: the data, and what each run predicts.
// how chooses what to show of a run, and can change how it predicts. names are those of the groups, if they
// have any.
func dataSheet(ctx context.Context, runs []figures.Run, groups int, how func(*figures.Run) show, names ...string) (figures.Figure, error) {
	subjects, err := figures.FirstGroups(runs, groups)
	if err != nil {
		return nil, err
	}
	for i, name := range names {
		subjects[i].Name = name
	}
	columns := []figures.Column{{Name: "Data"}}
	for _, r := range runs {
		predicted, err := column(ctx, r, subjects, how(&r))
		if err != nil {
			return nil, err
		}
		for i := range predicted.Panels {
			if len(columns) == 1 {
				p := predicted.Panels[i]
				p.Marks = nil
				columns[0].Panels = append(columns[0].Panels, p)
			}
			predicted.Panels[i].Targets = nil
		}
		columns = append(columns, predicted)
	}
	about := runs[0].Ask.About()
	return figures.NewSheet(about.Question, figures.AxisOf(about, 0), columns), nil
}

// levelSheet returns a figure of the runs' quantile levels τ along x, each run for its own first evaluation
// group, as in the paper's figure 2. The row above shows the quantiles at these levels.
func levelSheet(ctx context.Context, runs []figures.Run, _ int) (figures.Figure, error) {
	var columns []figures.Column
	for _, r := range runs {
		subjects, err := figures.FirstGroups([]figures.Run{r}, 1)
		if err != nil {
			return nil, err
		}
		c, err := column(ctx, r, subjects, levelsOf)
		if err != nil {
			return nil, err
		}
		taus, err := column(ctx, r, subjects, tausOf)
		if err != nil {
			return nil, err
		}
		c.Name += " on " + r.Experiment.Benchmark
		c.Panels[0].YLabel = "y"
		c.Panels = append(c.Panels, figures.Panel{YLabel: "τ", Marks: taus.Panels[0].Marks, YRange: []float64{-0.02, 1.02}})
		columns = append(columns, c)
	}
	sheet := figures.NewSheet("quantile levels τ, and the quantiles that they stand for", figures.Axis{Name: "x"}, columns)
	sheet.Apart = true
	return sheet, nil
}

// column returns a panel of each subject by a run, for the first column of y.
func column(ctx context.Context, r figures.Run, subjects []figures.Subject, shown show) (figures.Column, error) {
	if r.Ask.NumTau > 0 {
		r.Ask.NumTau = figureLevels
	}
	about, c := r.Ask.About(), figures.Column{Name: r.Label}
	questions, along := make([]points.Question, len(subjects)), make([][]prediction, len(subjects))
	for i, s := range subjects {
		questions[i] = s.Question
		questions[i].Targets = points.New(1, 0, grid(slices.Concat(s.Known.X, s.Targets.X)), nil)
	}
	for t, err := range r.Ask.Predict(ctx, questions) {
		if err != nil {
			return c, err
		}
		along[t.Group] = append(along[t.Group], prediction{questions[t.Group].Targets.X[t.Target], t.Channels[0]})
	}
	for i, s := range subjects {
		c.Panels = append(c.Panels, figures.Panel{YLabel: figures.LabelOf(about, 0) + ", " + s.Name,
			Context: pairs(s.Known), Targets: pairs(s.Held), Marks: shown(along[i])})
	}
	return c, nil
}

// grid returns evenly spaced numbers that cover x.
func grid(x []float64) []float64 {
	lo, hi := floats.Min(x), floats.Max(x)
	all := make([]float64, gridPoints)
	for i := range all {
		share := float64(i) / (gridPoints - 1)
		all[i] = lo*(1-share) + hi*share
	}
	return all
}

// pairs returns points of one column of x with their first column of y.
func pairs(p points.Points) plotter.XYs {
	all := make(plotter.XYs, p.Len())
	for i := range all {
		all[i] = plotter.XY{X: p.X[i], Y: p.RowY(i)[0]}
	}
	return all
}
