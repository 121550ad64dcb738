package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/report/figures"
	"github.com/acqnp/acqnp/internal/run"
)

type plotFitOptions struct {
	settings
	figureFlags
	groups int
	seed   uint64
	given  func(flag string) bool // reports whether a flag was given
}

func newPlotFit(a *app) *cobra.Command {
	var o plotFitOptions
	cmd := &cobra.Command{
		Use:   "fit --run DIR… --out FILE",
		Short: "Draw fits of evaluation groups, models side by side",
		Long: `Draw what models predict for evaluation groups: the smallest regions of y that hold 50, 90 and
99% of the prediction as shading, the median where it is one curve, the context and the held-out
targets. If two columns of x vary within groups, the median and the width of the 90% interval are
maps. If more do, or names besides others, bars over the first of numbers that varies among the targets
are the predictions at some of them: their median, and what holds 50 and 90%.

All runs are shown the first groups of the first run. Another --seed draws others.`,
		Example: `  acqnp plot fit --run runs/lissajous/acqnp/seed-0 --run runs/lissajous/cqnp/seed-0 --out fit.png
  acqnp plot fit --run runs/rbf/bnp/seed-0 --groups 2 --seed 7 --out fit.pdf`,
		Args: cobra.NoArgs,
		RunE: a.run(func(cmd *cobra.Command) error { return o.run(cmd.Context(), a) }),
	}
	o.addDevice(a, cmd)
	o.figureFlags.addFlags(a, cmd)
	o.given = cmd.Flags().Changed
	cmd.Flags().Uint64Var(&o.seed, "seed", 0, seedHelp)
	cmd.Flags().IntVar(&o.groups, "groups", 1, "`NUMBER` of groups, a panel or a row each")
	return cmd
}

// maxRows is the largest number of rows of panels in a figure.
const maxRows = 8

func (o *plotFitOptions) run(ctx context.Context, a *app) error {
	if err := checkRange("--groups", o.groups, 1, maxRows); err != nil {
		return err
	}
	if err := firstError(o.openDevice, o.figureFlags.check); err != nil {
		return err
	}
	var runs []figures.Run
	for _, dir := range o.runs {
		r, err := o.open(dir)
		if err != nil {
			return err
		}
		runs = append(runs, r)
	}
	figures.LabelRuns(runs)
	figure, err := figures.NewFitFigure(ctx, runs, o.groups)
	if err != nil {
		return err
	}
	return o.save(a, figure)
}

// open opens a run, after checking the output against its files.
func (o *plotFitOptions) open(dir string) (figures.Run, error) {
	flags := func(config.Experiment) (set []config.Flag) {
		if o.given("seed") {
			set = append(set, seedFlag(o.seed))
		}
		return set
	}
	stored := predict.Stored{Run: dir, Checkpoint: run.Preferred}
	e, err := stored.Experiment(flags)
	if err == nil {
		err = figures.CheckPlottable(e.Benchmark)
	}
	if err == nil {
		err = o.app.checkOutputs(o.outputs(), stored.Files(e, o.dataDir)...)
	}
	if err != nil {
		return figures.Run{}, err
	}
	return figures.OpenRun(stored, e, o.dataDir, o.device, o.app.progress().Warn)
}
