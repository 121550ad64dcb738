package cli

import (
	"context"
	"fmt"
	"io"
	"iter"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/figures"
	"github.com/acqnp/acqnp/internal/input"
	"github.com/acqnp/acqnp/internal/output"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/run"
	"github.com/acqnp/acqnp/internal/usage"
)

type sampleOptions struct {
	settings
	modelFlags
	levelFlags
	context, targets, grid string
	quantiles              []float64
	draws                  int
	out, plot              string
}

func newSample(a *app) *cobra.Command {
	var o sampleOptions
	cmd := &cobra.Command{
		Use:   "sample-quantiles (--run DIR | --config FILE --weights FILE | --prior) [--context FILE] (--targets FILE | --grid RANGE) --out FILE",
		Short: "Predict quantiles for points of your own",
		Long: `Predict from your own context points. For every target, the CSV file has the components of the
predicted mixture (u, tau, mu, sigma and weight of each quantile level) and its mean. --quantiles
adds quantiles of the mixture, --draws random draws from it.

The context is a CSV file in raw units. Its header names the columns x and y; x1, x2, …, y1, y2, …
if there are several; flow and speed for speed-flow; the names in data.x and data.y for csv. A
column named function, or as in data.function for csv, divides the rows into functions. All of them
are predicted in one call. Without --context, or if the file has no rows, the prediction is that for a
function of which nothing is known (not for BNP).

--prior predicts without any training, with the weights that the program carries. They know functions
of one x and one y of many kinds. x and y are standardised by the points of the context, which must
have the columns x and y and two different values of each.`,
		Example: `  acqnp sample-quantiles --run runs/lissajous/acqnp/seed-0 --context context.csv --grid=-2:2:200 --out quantiles.csv
  acqnp sample-quantiles --prior --context context.csv --grid=0:10:50 --quantiles 0.05,0.5,0.95 --out quantiles.csv
  acqnp sample-quantiles --run runs/lissajous/acqnp/seed-0 --context context.csv --targets targets.csv \
      --quantiles 0.05,0.5,0.95 --draws 100 --out quantiles.csv --plot quantiles.png`,
		Args: cobra.NoArgs,
		RunE: a.run(func(cmd *cobra.Command) error {
			o.given = cmd.Flags().Changed
			return runSample(cmd.Context(), a, o)
		}),
	}
	o.settings.addFlags(a, cmd)
	cmd.Flags().BoolVar(&o.Prior, "prior", false, "predict with the weights that the program carries")
	o.modelFlags.addFlags(cmd, "prior")
	o.levelFlags.addFlags(cmd, 10, "quantile levels of each target, for CQNP and ACQNP")
	f := cmd.Flags()
	f.StringVar(&o.context, "context", "", "CSV `FILE` with the context points")
	f.StringVar(&o.targets, "targets", "", "CSV `FILE` with the x of the targets")
	f.StringVar(&o.grid, "grid", "", "N evenly spaced targets from A to B, as `A:B:N` (--grid=-2:2:200); A:B:N,C:D:M if x has two dimensions")
	f.Float64SliceVar(&o.quantiles, "quantiles", nil, "`LEVELS` between 0 and 1 whose quantiles are predicted: 0.05,0.5,0.95")
	f.IntVar(&o.draws, "draws", 0, "`NUMBER` of random draws for each target and channel")
	f.StringVar(&o.out, "out", "", "CSV `FILE` for the predictions")
	f.StringVar(&o.plot, "plot", "", "`FILE` for a plot of context, quantile levels and mean (.png, .svg or .pdf)")
	must(cmd.MarkFlagRequired("out"))
	cmd.MarkFlagsOneRequired("targets", "grid")
	cmd.MarkFlagsMutuallyExclusive("targets", "grid")
	for _, name := range []string{"context", "targets", "out"} {
		must(cmd.MarkFlagFilename(name, "csv"))
	}
	return cmd
}

// sampleSummary is the result of sample-quantiles.
type sampleSummary struct {
	Out       string `json:"out"`
	Plot      string `json:"plot,omitempty"`
	Functions int    `json:"functions"`
	Targets   int    `json:"targets"` // of all functions together
	Weights   string `json:"weights"`
}

func runSample(ctx context.Context, a *app, o sampleOptions) error {
	e, err := o.experiment()
	if err != nil {
		return err
	}
	units, err := o.Units(e, o.dataDir)
	if err != nil {
		return err
	}
	dx := len(units.XNames)
	if o.plot != "" {
		if err := figures.CheckPlottable(dx); err != nil {
			return err
		}
	}
	p := a.progress()
	m, err := o.Load(e, units, o.device, p.Warn)
	if err != nil {
		return err
	}
	m.Levels, units = o.levels, m.Units
	layout := units.Layout(e.Data.Function, "function")
	layout.DropMissing = e.Data.Missing == config.Drop
	functions, err := predict.FunctionFiles{Context: o.context, Targets: o.targets, Grid: o.grid, Layout: &layout}.Read()
	if err != nil {
		return err
	}
	if o.Prior {
		if m.Units.Scaling, err = predict.ContextScaling(o.context, functions); err != nil {
			return err
		}
	}
	o.announce(p)
	targets := predict.CountTargets(functions, dx)
	predictions := predict.Shown(p, targets, m.Predict(ctx, functions))
	table := predict.Quantiles{XNames: units.XNames, XText: layout.XText, YNames: units.YNames, Functions: functions, Levels: o.quantiles,
		Draws: o.draws, Seed: e.Eval.Seed}
	if err := o.write(table, predictions, figures.FitPlot{Title: m.Title(), XLabel: units.Label(0), YLabel: units.YNames[0]}); err != nil {
		return err
	}
	s := sampleSummary{Out: o.out, Plot: o.plot, Functions: len(functions), Targets: targets, Weights: m.Weights.Path}
	return a.result(s, s.print)
}

// experiment checks the flags and the outputs, and returns the model's configuration with the flags
// applied.
func (o *sampleOptions) experiment() (e config.Experiment, err error) {
	for _, check := range []func() error{o.settings.check, o.levelFlags.check, o.checkCounts, o.checkPrior, o.checkPlot} {
		if err := check(); err != nil {
			return e, err
		}
	}
	if e, err = o.Experiment(); err != nil {
		return e, err
	}
	outputs := []output.File{{Flag: "--out", Path: o.out}, {Flag: "--plot", Path: o.plot, Part: run.FitFile}}
	if err := o.app.checkOutputs(outputs, append(o.Files(e, o.dataDir), o.context, o.targets)...); err != nil {
		return e, err
	}
	return o.Experiment(o.overrides(e)...)
}

// maxDraws is the largest number of draws for each target and channel.
const maxDraws = 1_000_000

func (o *sampleOptions) checkCounts() error {
	for _, q := range o.quantiles {
		if !(q > 0 && q < 1) {
			return &input.Error{File: "--quantiles", Found: strconv.FormatFloat(q, 'g', -1, 64), Expected: "numbers between 0 and 1"}
		}
	}
	return usage.Range("--draws", o.draws, 0, maxDraws)
}

func (o *sampleOptions) checkPrior() error {
	if o.Prior && o.context == "" {
		return &input.Error{File: "--context", Found: "nothing", Expected: "a file of points: --prior standardises x and y by the context"}
	}
	return nil
}

func (o *sampleOptions) checkPlot() error {
	if o.plot == "" {
		return nil
	}
	_, err := figures.PlotFormat(o.plot)
	return err
}

// write writes the table and the plot, without its panels yet, in one pass over the predictions.
func (o *sampleOptions) write(table predict.Quantiles, predictions iter.Seq2[predict.Target, error], plot figures.FitPlot) error {
	if o.plot == "" {
		return table.Write(o.out, predictions)
	}
	plot.Panels = figures.NewPanels(table.Functions, len(table.YNames), 0, o.quantiles)
	if err := table.Write(o.out, figures.Collect(plot.Panels, table.Functions, 0, predictions)); err != nil {
		return err
	}
	return plot.Save(o.plot)
}

func (s *sampleSummary) print(w io.Writer) error {
	fmt.Fprintf(w, "%s: %d targets of %d functions, predicted with %s\n", s.Out, s.Targets, s.Functions, s.Weights)
	if s.Plot != "" {
		fmt.Fprintf(w, "plot %s\n", s.Plot)
	}
	return nil
}
