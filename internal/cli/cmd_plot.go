package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/acqnp/acqnp/internal/cli/output"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/progress"
	"github.com/acqnp/acqnp/internal/report/figures"
	"github.com/acqnp/acqnp/internal/run"
)

var _ = command(thePaper, 3, newPlot)

func newPlot(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "plot",
		Short: "Draw what trained models predict, and how they were trained",
		Long: `Draw figures as PNG, SVG or PDF: what trained models predict, where their quantile levels lie, images
completed, and the loss by step. Several runs are drawn side by side. Of a fit, effects draws what each
column does.`,
		Example: `  acqnp plot fit --run runs/lissajous/acqnp/seed-0 --run runs/lissajous/cqnp/seed-0 --out fit.png
  acqnp plot completion --run runs/freyface/acqnp/seed-0 --out completion.pdf`,
		Args: cobra.ArbitraryArgs,
		RunE: runGroup,
	}
	cmd.AddCommand(newPlotFit(a), newPlotLevels(a), newPlotSpeedFlow(a), newPlotCompletion(a), newPlotTraining(a), newPlotEffects(a))
	return cmd
}

// figureFlags name the runs that a figure shows, and the file.
type figureFlags struct {
	runs []string
	out  string
}

func (f *figureFlags) addFlags(a *app, cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.runs, "run", nil, "run `DIR`, repeatable")
	cmd.Flags().StringVarP(&f.out, "out", "o", "", "`FILE` for the figure (.png, .svg or .pdf)")
	a.addOverwrite(cmd)
	must(cmd.MarkFlagRequired("run"))
	must(cmd.MarkFlagRequired("out"))
}

// maxRuns is the largest number of runs in a figure, a panel each.
const maxRuns = 12

func (f *figureFlags) check() error {
	if _, err := figures.PlotFormat(f.out); err != nil {
		return err
	}
	return checkRange("runs given with --run", len(f.runs), 1, maxRuns)
}

func (f *figureFlags) outputs() []output.File {
	return []output.File{{Flag: "--out", Path: f.out, Part: run.FitFile}}
}

// modelFigure holds the flags of a figure of predictions.
type modelFigure struct {
	settings
	figureFlags
	levelFlags
}

// addFlags adds the flags. A figure has levels of the number and in the way of the arguments, 0 for
// the configuration's number.
func (o *modelFigure) addFlags(a *app, cmd *cobra.Command, numTau int, levels string) {
	o.addDevice(a, cmd)
	o.figureFlags.addFlags(a, cmd)
	o.numTau, o.levels, o.given = numTau, levels, cmd.Flags().Changed
}

// open checks the flags and opens the runs. Each must pass check.
func (o *modelFigure) open(p progress.Reporter, check figures.Check) ([]figures.Run, error) {
	if err := firstError(o.openDevice, o.figureFlags.check); err != nil {
		return nil, err
	}
	var runs []figures.Run
	for _, dir := range o.runs {
		stored := predict.Stored{Run: dir, Checkpoint: run.Preferred}
		e, err := stored.Experiment()
		if err == nil {
			e, err = stored.Experiment(o.overrides(e, &o.app.warnings)...)
		}
		if err == nil {
			err = o.app.checkOutputs(o.outputs(), stored.Files(e, o.dataDir)...)
		}
		if err != nil {
			return nil, err
		}
		r, err := figures.OpenRun(stored, e, o.dataDir, o.device, check, p.Warn)
		if err != nil {
			return nil, err
		}
		r.Ask = o.choose(r.Ask)
		runs = append(runs, r)
	}
	figures.LabelRuns(runs)
	return runs, nil
}

// draw opens the runs, each of which must pass check, and draws a figure of them.
func (o *modelFigure) draw(ctx context.Context, a *app, check figures.Check,
	figure func(context.Context, []figures.Run) (figures.Figure, error)) error {
	runs, err := o.open(a.progress(), check)
	if err != nil {
		return err
	}
	drawn, err := figure(ctx, runs)
	if err != nil {
		return err
	}
	return o.save(a, drawn)
}

// figureSummary is the result of plot.
type figureSummary struct {
	Out      string   `json:"out"`
	Runs     []string `json:"runs"`
	Warnings []string `json:"warnings"`
}

// save writes the figure and prints its path.
func (f *figureFlags) save(a *app, figure figures.Figure) error {
	if err := figure.Save(f.out, &a.warnings); err != nil {
		return err
	}
	s := figureSummary{Out: f.out, Runs: f.runs, Warnings: a.warn()}
	return a.result(s, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%s: %s\n", s.Out, invalid.Plural(len(s.Runs), "run", "runs"))
		return err
	})
}
