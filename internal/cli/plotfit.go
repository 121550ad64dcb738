package cli

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/acqnp/acqnp/internal/benchmark"
	"github.com/acqnp/acqnp/internal/figures"
	"github.com/acqnp/acqnp/internal/input"
	"github.com/acqnp/acqnp/internal/predict"
)

// What the paper's figures show.
const (
	figureLevels     = 10 // quantile levels at each x
	memberBootstraps = 20 // whose means are drawn
)

type plotFitOptions struct {
	modelFigure
	function, functions int
}

func newPlotFit(a *app) *cobra.Command {
	var o plotFitOptions
	cmd := &cobra.Command{
		Use:   "fit --run DIR… --out FILE",
		Short: "Draw fits of evaluation functions, models side by side",
		Long: `Draw how models fit evaluation functions, as the paper's figure 1: the data; the quantile levels of ACQNP and CQNP, drawn
anew for each x; the means of BNP's bootstraps; the mean of CNP and CANP. For sawtooth, rbf and matern52, as in the
supplement, the mean of ACQNP and CQNP stands for their levels, which then are evenly spaced unless --levels says
otherwise: means of a few drawn levels jump from x to x. All runs are shown the functions of the first.`,
		Example: `  acqnp plot fit --run runs/lissajous/acqnp/seed-0 --run runs/lissajous/cqnp/seed-0 --out fit.png
  acqnp plot fit --run runs/rbf/bnp/seed-0 --function 3 --functions 2 --out fit.pdf`,
		Args: cobra.NoArgs,
		RunE: a.run(func(cmd *cobra.Command) error { return runPlotFit(cmd.Context(), a, &o) }),
	}
	o.addFlags(a, cmd, figureLevels, predict.RandomLevels)
	cmd.Flags().IntVar(&o.function, "function", 0, "the first function shown, counted from 0 over the evaluation batches")
	cmd.Flags().IntVar(&o.functions, "functions", 1, "how many functions are shown, a row each")
	return cmd
}

// maxRows is how many rows of panels still fit a page.
const maxRows = 8

func runPlotFit(ctx context.Context, a *app, o *plotFitOptions) error {
	if err := checkRange("--function", o.function, 0, maxBatches); err != nil {
		return err
	}
	if err := checkRange("--functions", o.functions, 1, maxRows); err != nil {
		return err
	}
	runs, err := o.open(a.progress(), oneDimensional)
	if err != nil {
		return err
	}
	first := runs[0]
	if err := sameBenchmark(runs); err != nil {
		return err
	}
	tasks, err := first.tasksOf(o.function, o.functions)
	if err != nil {
		return err
	}
	sheet := figures.Sheet{Title: first.e.Benchmark, XLabel: first.data.XNames[0], ShareY: true, Columns: []string{"Data"}}
	for i, t := range tasks {
		sheet.Rows = append(sheet.Rows, fmt.Sprintf("%s (function %d)", first.data.YNames[0], o.function+i))
		sheet.Cells = append(sheet.Cells, []figures.Cell{{Data: t.Data, Context: t.Context}})
	}
	for _, r := range runs {
		options, view := r.options(&o.modelFigure, memberBootstraps), fitView(r)
		if view == figures.MeanView && !o.given("levels") {
			options.Levels = predict.GridLevels
		}
		cells, err := figures.Cells(ctx, options, tasks, view, nil)
		if err != nil {
			return err
		}
		sheet.AddColumn(r.label, cells)
	}
	if err := sheet.Save(o.out); err != nil {
		return err
	}
	return o.summary(a)
}

// fitView is what the paper shows of a model.
func fitView(r figureRun) figures.View {
	b, _ := benchmark.Find(r.e.Benchmark)
	switch {
	case r.Bootstrap():
		return figures.MemberView
	case r.Quantile() && !b.Unimodal:
		return figures.LevelsView
	}
	return figures.MeanView
}

// sameBenchmark refuses runs that cannot be shown the same functions.
func sameBenchmark(runs []figureRun) error {
	first := runs[0]
	for _, r := range runs[1:] {
		if r.e.Benchmark != first.e.Benchmark {
			return &input.Error{File: r.dir, Key: "benchmark", Found: r.e.Benchmark, Expected: first.e.Benchmark + ", that of " + first.dir}
		}
		if !slices.Equal(r.data.XNames, first.data.XNames) || !slices.Equal(r.data.YNames, first.data.YNames) {
			return &input.Error{File: r.dir, Key: "data", Found: fmt.Sprintf("columns %v and %v", r.data.XNames, r.data.YNames),
				Expected: fmt.Sprintf("%v and %v, those of %s", first.data.XNames, first.data.YNames, first.dir)}
		}
	}
	return nil
}
