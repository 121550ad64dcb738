package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/report/figures"
)

// figureLevels is the number of quantile levels at each x in the paper's figures.
const figureLevels = 10

type plotFitOptions struct {
	modelFigure
	functions  int
	components bool
}

func newPlotFit(a *app) *cobra.Command {
	var o plotFitOptions
	cmd := &cobra.Command{
		Use:   "fit --run DIR… --out FILE",
		Short: "Draw fits of evaluation functions, models side by side",
		Long: `Draw what models predict for evaluation functions: the smallest regions of y that hold 50, 90 and
99% of the prediction as shading, the median where it is one curve, the context and the held-out
targets. If two columns of x vary within functions, the median and the width of the 90% interval are
maps. If more do, or names besides others, the picture runs over the first of numbers that varies among
the targets. The others are fixed at the middle of the context, as the titles say, and bars are the
predictions at the targets' own x.

--components draws the paper's figure 1 instead: the quantile levels of ACQNP and CQNP, the means of
BNP's bootstraps, and the mean of CNP and CANP. The levels are random for each x. For sawtooth, rbf and
matern52, the mean of ACQNP and CQNP is drawn instead of their levels, as in the supplement. The levels
are then evenly spaced, since the mean of a few random levels jumps from x to x.

All runs are shown the first functions of the first run. Another --seed draws others.`,
		Example: `  acqnp plot fit --run runs/lissajous/acqnp/seed-0 --run runs/lissajous/cqnp/seed-0 --out fit.png
  acqnp plot fit --run runs/rbf/bnp/seed-0 --functions 2 --seed 7 --components --out fit.pdf`,
		Args: cobra.NoArgs,
		RunE: a.run(func(cmd *cobra.Command) error { return runPlotFit(cmd.Context(), a, &o) }),
	}
	o.addFlags(a, cmd, 0, predict.RandomLevels)
	o.addSeed(cmd)
	f := cmd.Flags()
	f.BoolVar(&o.components, "components", false, "draw quantile levels, bootstraps or means instead of the density")
	f.IntVar(&o.functions, "functions", 1, "`NUMBER` of functions, a panel or a row each")
	return cmd
}

// maxRows is the largest number of rows of panels in a figure.
const maxRows = 8

func runPlotFit(ctx context.Context, a *app, o *plotFitOptions) error {
	if err := checkRange("--functions", o.functions, 1, maxRows); err != nil {
		return err
	}
	check, sheet := figures.Plottable, figures.NewFitFigure
	if o.components {
		check, sheet = figures.OneDimensional, figures.NewFitSheet
		o.numTau = figureLevels
	}
	return o.draw(ctx, a, check, func(ctx context.Context, runs []figures.Run) (figures.Figure, error) {
		return sheet(ctx, runs, o.functions)
	})
}
