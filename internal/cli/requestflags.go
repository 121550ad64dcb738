package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/acqnp/acqnp/internal/cli/output"
	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/files/tabular"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/progress"
	"github.com/acqnp/acqnp/internal/report/figures"
	"github.com/acqnp/acqnp/internal/run"
)

// contextHelp describes --context.
const contextHelp = `--context is a file of the known points (CSV, JSON lines, Parquet or Arrow), in your units, with the
columns of the training data (x and y for the paper's one-dimensional benchmarks;
docs/reference/predictions.md has the others). A column names the groups: that of the training data, or
function. Without --context, the prediction is that for a group of which nothing is known (not for bnp).`

// requestFlags name a model, a context and targets, and the outputs of a prediction.
type requestFlags struct {
	settings
	modelFlags
	levelFlags
	context, targets, grid string
	out, plot              string
	format                 string // of out; "" if its ending says it
	scored                 bool   // the targets have y too
}

func (o *requestFlags) addFlags(a *app, cmd *cobra.Command) {
	o.addInputs(a, cmd, "their x")
	f := cmd.Flags()
	f.StringVar(&o.grid, "grid", "", "N evenly spaced targets from `A:B:N` (--grid=-2:2:200), numbers or dates, or A:B:N,C:D:M for two columns of x")
	f.StringVarP(&o.out, "out", "o", "-", "`FILE` for the predictions, CSV or by its ending another form; - is standard output")
	f.StringVar(&o.plot, "plot", "", "`FILE` for a plot of the predictive density (.png, .svg or .pdf)")
	must(cmd.MarkFlagFilename("plot", "png", "svg", "pdf"))
	cmd.MarkFlagsOneRequired("targets", "grid")
	cmd.MarkFlagsMutuallyExclusive("targets", "grid")
	must(cmd.MarkFlagFilename("out", tabular.Endings...))
}

// addInputs adds the flags of the model, of the context and of the targets, a file with the given
// columns.
func (o *requestFlags) addInputs(a *app, cmd *cobra.Command, columns string) {
	a.addOverwrite(cmd)
	o.given = cmd.Flags().Changed
	o.settings.addFlags(a, cmd)
	o.modelFlags.addFlags(cmd)
	o.levelFlags.addFlags(cmd, "target")
	cmd.Flags().StringVar(&o.context, "context", "", "`FILE` of the known points, CSV or another form of tables; - is standard input")
	cmd.Flags().StringVar(&o.targets, "targets", "", "`FILE` of the targets, with "+columns+"; - is standard input")
	for _, name := range []string{"context", "targets"} {
		must(cmd.MarkFlagFilename(name, tabular.Endings...))
	}
}

// streams replaces - by the names of the standard streams, and checks the name of the output.
func (o *requestFlags) streams() error {
	if o.context == "-" && o.targets == "-" {
		return &invalid.Input{File: "--targets", Found: "standard input, which --context names too", Expected: "a file"}
	}
	if err := tabular.CheckOut("--out", o.out, o.format); err != nil {
		return err
	}
	for path, stream := range map[*string]string{&o.out: "/dev/stdout", &o.context: "/dev/stdin", &o.targets: "/dev/stdin"} {
		if *path == "-" {
			*path = stream
		}
	}
	return nil
}

// experiment checks the flags and the outputs, and returns the model's configuration with the flags
// applied.
func (o *requestFlags) experiment(checks ...func() error) (e config.Experiment, err error) {
	for _, check := range append([]func() error{o.streams, o.settings.check, o.levelFlags.check, o.checkPlot}, checks...) {
		if err := check(); err != nil {
			return e, err
		}
	}
	if e, err = o.Experiment(); err != nil {
		return e, err
	}
	if o.plot != "" {
		if err := figures.CheckPlottable(e.Benchmark); err != nil {
			return e, err
		}
	}
	outputs := []output.File{{Flag: "--out", Path: o.out}, {Flag: "--plot", Path: o.plot, Part: run.FitFile}}
	if err := o.app.checkOutputs(outputs, append(o.Files(e, o.dataDir), o.context, o.targets)...); err != nil {
		return e, err
	}
	return o.Experiment(o.overrides(e)...)
}

func (o *requestFlags) checkPlot() error {
	if o.plot == "" {
		return nil
	}
	_, err := figures.PlotFormat(o.plot)
	return err
}

// draw draws the predictive density, if a plot is asked for.
func (o *requestFlags) draw(ctx context.Context, asked *predict.Asked, how figures.Options) error {
	if o.plot == "" {
		return nil
	}
	figure, err := figures.NewPrediction(ctx, asked.Predictor, figures.AskedSubjects(asked, o.targets), how)
	if err != nil {
		return err
	}
	return figure.Save(o.plot)
}

// open reads the model and the functions to predict.
func (o *requestFlags) open(e config.Experiment, p progress.Reporter) (predict.Trained, predict.Asked, error) {
	request := predict.Request{Stored: o.Stored, Context: o.context, Targets: o.targets, Grid: o.grid, Scored: o.scored, Warnings: &o.app.warnings}
	model, asked, err := request.Open(e, o.dataDir, o.device, p.Warn)
	if err != nil {
		return model, asked, err
	}
	o.app.warn()
	model = o.choose(model)
	asked.Predictor = model
	return model, asked, nil
}

// predictSummary is the result of a prediction.
type predictSummary struct {
	Out       string   `json:"out"`
	Plot      string   `json:"plot,omitempty"`
	Functions int      `json:"functions"`
	Targets   int      `json:"targets"` // of all functions together
	Weights   string   `json:"weights"`
	Warnings  []string `json:"warnings"`
}

func (o *requestFlags) summary(asked *predict.Asked) *predictSummary {
	return &predictSummary{Out: o.out, Plot: o.plot, Functions: len(asked.Functions), Targets: asked.CountTargets(), Weights: asked.About().Weights.Path, Warnings: o.app.warn()}
}

func (s *predictSummary) print(w io.Writer) error {
	out := s.Out
	if out == "/dev/stdout" {
		out = "standard output"
	}
	fmt.Fprintf(w, "%s: %s of %s, predicted with %s\n", out, invalid.Plural(s.Targets, "target", "targets"),
		invalid.Plural(s.Functions, "group", "groups"), s.Weights)
	if s.Plot != "" {
		fmt.Fprintf(w, "plot %s\n", s.Plot)
	}
	return nil
}
