package cli

import (
	"context"

	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/floats"

	"github.com/acqnp/acqnp/internal/figures"
	"github.com/acqnp/acqnp/internal/input"
	"github.com/acqnp/acqnp/internal/predict"
)

// ensembleBootstraps is how many the paper's figure of the lanes takes the quantiles of.
const ensembleBootstraps = 5

func newPlotSpeedFlow(a *app) *cobra.Command {
	var o modelFigure
	cmd := &cobra.Command{
		Use:   "speed-flow --run DIR… --out FILE",
		Short: "Draw the quantiles of speed by flow on both lanes",
		Long: `Draw the quantiles of speed by flow for each lane in raw units, as the paper's figure 3: the data; what ACQNP and CQNP
predict at 10 levels; for the Gaussian models the quantiles of their distribution at the same levels, 0.001 to 0.999,
and for BNP those of the ensemble of 5 bootstraps.`,
		Example: `  acqnp plot speed-flow --run runs/speed-flow/acqnp/seed-0 --run runs/speed-flow/bnp/seed-0 --out lanes.png`,
		Args:    cobra.NoArgs,
		RunE:    a.run(func(cmd *cobra.Command) error { return runPlotSpeedFlow(cmd.Context(), a, &o) }),
	}
	o.addFlags(a, cmd, figureLevels, predict.GridLevels)
	return cmd
}

func runPlotSpeedFlow(ctx context.Context, a *app, o *modelFigure) error {
	if err := checkRange("--num-tau", o.numTau, 1, maxFigureLevels); err != nil {
		return err
	}
	runs, err := o.open(a.progress(), ofLanes)
	if err != nil {
		return err
	}
	first := runs[0]
	tasks, err := first.tasksOf(0, 2)
	if err != nil {
		return err
	}
	sheet := figures.Sheet{Title: "speed by flow", XLabel: first.data.XNames[0], ShareY: true, Columns: []string{"Data"},
		Rows: []string{"speed on lane 2", "speed on lane 3"}}
	for _, t := range tasks {
		sheet.Cells = append(sheet.Cells, []figures.Cell{{Data: t.Data, Context: t.Context}})
	}
	for _, r := range runs {
		view := figures.QuantileView
		if r.Quantile() {
			view = figures.LevelsView
		}
		cells, err := figures.Cells(ctx, r.options(o, ensembleBootstraps), tasks, view, evenLevels(o.numTau))
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

// maxFigureLevels is far above what can be told apart.
const maxFigureLevels = 1000

// evenLevels are n evenly spaced levels from 0.001 to 0.999, as quantile models have them on the grid.
func evenLevels(n int) []float64 {
	if n == 1 {
		return []float64{0.5}
	}
	return floats.Span(make([]float64, n), 0.001, 0.999)
}

func ofLanes(r figureRun) *input.Error {
	if r.e.Benchmark != "speed-flow" {
		return &input.Error{Key: "benchmark", Found: r.e.Benchmark, Expected: "speed-flow"}
	}
	return nil
}
