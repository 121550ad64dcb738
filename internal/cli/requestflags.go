package cli

import (
	"context"
	"fmt"
	"io"
	"iter"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/acqnp/acqnp/internal/cli/output"
	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets/rows"
	"github.com/acqnp/acqnp/internal/files/tabular"
	"github.com/acqnp/acqnp/internal/fit/answer"
	"github.com/acqnp/acqnp/internal/fit/file"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/report/figures"
	"github.com/acqnp/acqnp/internal/run"
)

// contextHelp describes --context.
const contextHelp = `--context is a file of the known points (CSV, JSON lines or Parquet), in your units, with the
columns of the training data (x and y for the paper's one-dimensional benchmarks;
docs/reference/predictions.md has the others). A column names the groups: that of the training data, or
group. Without --context, the prediction is that for a group of which nothing is known (not for bnp).`

// requestFlags name a model, a context and targets, and the outputs of a prediction.
type requestFlags struct {
	settings
	modelFlags
	levelFlags
	context, targets, grid string
	out, plot              string
	format                 string // of out; "" if its ending says it
	scored                 bool   // the targets have y too
	weights                string // the column of row weights of scored targets
	predictions            string // the file of other tools' predictions
	calibrated             bool   // a run's calibration corrects its predictions
	raw                    bool   // a fit's does not
	asNew                  bool   // groups of a fit's data are new ones
}

func (o *requestFlags) addFlags(a *app, cmd *cobra.Command) {
	o.addInputs(a, cmd, "their x")
	f := cmd.Flags()
	f.StringVar(&o.grid, "grid", "", "N evenly spaced targets from `A:B:N` (--grid=-2:2:200), numbers or dates, or A:B:N,C:D:M for two columns of x; log:A:B:N for equal ratios, on a log axis of --plot")
	f.StringVarP(&o.out, "out", "o", "-", "`FILE` for the predictions, CSV or by its ending another form; - is standard output")
	f.StringVar(&o.plot, "plot", "", "`FILE` for a plot of the predictive density (.png, .svg or .pdf)")
	cmd.MarkFlagsOneRequired("targets", "grid", "context")
	cmd.MarkFlagsMutuallyExclusive("targets", "grid")
}

// addInputs adds the flags of the model, of the context and of the targets, a file with the given
// columns.
func (o *requestFlags) addInputs(a *app, cmd *cobra.Command, columns string) {
	a.addOverwrite(cmd)
	o.settings.addFlags(a, cmd)
	o.modelFlags.addFlags(cmd)
	o.levelFlags.addFlags(cmd, "target")
	cmd.Flags().StringVar(&o.context, "context", "", "`FILE` of the known points, CSV or another form of tables; - is standard input")
	cmd.Flags().StringVar(&o.targets, "targets", "", "`FILE` of the targets, with "+columns+"; - is standard input")
}

// addAsNew adds the flag of commands that take a fit.
func (o *requestFlags) addAsNew(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.asNew, "as-new", false, "take groups of a fit's data as new ones: without their rows of it")
}

// nameStreams replaces - by the names of the standard streams, and checks the name of the output.
func (o *requestFlags) nameStreams() error {
	if o.context == "-" && o.targets == "-" {
		return &invalid.Input{File: "--targets", Found: "standard input, which --context names too", Expected: "a file"}
	}
	if err := tabular.CheckOut("--out", o.out, o.format); err != nil {
		return err
	}
	if o.out == "-" {
		o.app.Out = o.app.Err // for the summary
	}
	for path, stream := range map[*string]string{&o.out: "/dev/stdout", &o.context: "/dev/stdin", &o.targets: "/dev/stdin"} {
		if *path == "-" {
			*path = stream
		}
	}
	return nil
}

// settle checks the flags, names standard streams and opens the device.
func (o *requestFlags) settle(checks ...func() error) error {
	checks = append([]func() error{o.nameStreams, o.openDevice, o.levelFlags.check}, checks...)
	if err := firstError(checks...); err != nil {
		return err
	}
	if o.plot != "" {
		if _, err := figures.PlotFormat(o.plot); err != nil {
			return err
		}
	}
	if o.asNew && !file.Is(o.Run) {
		return &invalid.Input{File: "--as-new", Found: "it for a trained network", Expected: "a directory of acqnp fit: a network keeps no rows of its training"}
	}
	if o.raw && !file.Is(o.Run) {
		return &invalid.Input{File: "--raw", Found: "it for a trained network", Expected: "a directory of acqnp fit; networks are calibrated with --use-calibration alone"}
	}
	return nil
}

// open checks the flags and the outputs, and reads what predicts and the questions that it is asked.
func (o *requestFlags) open(checks ...func() error) (a predict.Asked, err error) {
	if err := o.settle(checks...); err != nil {
		return a, err
	}
	if file.Is(o.Run) {
		a, err = o.openFit()
	} else {
		_, a, err = o.openRun()
	}
	if err == nil {
		o.app.warn()
	}
	return a, err
}

// files returns the files of the questions, which have a layout.
func (o *requestFlags) files(layout rows.Layout) predict.QuestionFiles {
	layout.Warnings = &o.app.warnings
	return predict.QuestionFiles{Context: o.context, Targets: o.targets, Grid: o.grid, Layout: &layout, Scored: o.scored, Weights: o.weights, AsNew: o.asNew}
}

// openFit opens what acqnp fit wrote. It corrects its intervals unless --raw is given.
func (o *requestFlags) openFit() (a predict.Asked, err error) {
	if err := firstError(o.refuseOfFit, func() error { return o.checkFiles(filepath.Join(o.Run, file.Name)) }); err != nil {
		return a, err
	}
	f, err := answer.Read(o.Run)
	if err != nil {
		return a, err
	}
	if a, err = predict.Ask(f, o.files(f.Layout())); err != nil {
		return a, err
	}
	if !o.raw {
		a.Calibrated = f.Calibrated()
	}
	return a, f.CheckPoints(o.context, o.targets, a.Questions)
}

// refuseOfFit refuses flags that say nothing about a fit.
func (o *requestFlags) refuseOfFit() error {
	for _, of := range [][2]string{
		{"num-quantiles", "a trained network with quantile levels"},
		{"precision", "a trained network: a fit computes in one precision"},
		{"checkpoint", "a trained network: a fit has no checkpoints"},
	} {
		if o.given(of[0]) {
			return &invalid.Input{File: "--" + of[0], Found: "a directory of acqnp fit", Expected: of[1]}
		}
	}
	return nil
}

// openRun opens a run, or a configuration and weights. --use-calibration corrects its intervals.
func (o *requestFlags) openRun() (t predict.Trained, a predict.Asked, err error) {
	e, err := o.experiment()
	if err != nil {
		return t, a, err
	}
	if t, err = o.Open(e, o.dataDir, o.device, o.app.progress().Warn); err == nil {
		err = t.CheckGroups()
	}
	if err != nil {
		return t, a, err
	}
	t = o.choose(t)
	if a, err = predict.Ask(t, o.files(t.Layout(e))); err == nil && o.calibrated {
		a.Calibrated, err = t.Calibrated(o.Run)
	}
	return t, a, err
}

// show returns the predictions, and reports their progress. Of a network, it notes which device computes.
func (o *requestFlags) show(a predict.Asked, predictions iter.Seq2[predict.Target, error]) iter.Seq2[predict.Target, error] {
	p := o.app.progress()
	if a.About().Parameters > 0 {
		o.announce(p)
	}
	return predict.Shown(p, a.CountTargets(), predictions)
}

// drawSeed returns the seed of draws.
func (o *requestFlags) drawSeed(a predict.Asked) uint64 {
	if o.given("seed") {
		return o.seed
	}
	return a.About().Seed
}

// experiment checks the outputs, and returns the configuration of the run with the flags applied.
func (o *requestFlags) experiment() (config.Experiment, error) {
	e, err := o.Experiment(func(e config.Experiment) []config.Flag { return o.overrides(e, &o.app.warnings) })
	if err != nil {
		return e, err
	}
	if o.plot != "" {
		if err := figures.CheckPlottable(e.Benchmark); err != nil {
			return e, err
		}
	}
	return e, o.checkFiles(o.Files(e, o.dataDir)...)
}

// checkFiles checks the outputs against the files that are read.
func (o *requestFlags) checkFiles(read ...string) error {
	outputs := []output.File{{Flag: "--out", Path: o.out}, {Flag: "--plot", Path: o.plot, Part: run.FitFile}}
	return o.app.checkOutputs(outputs, append(read, o.context, o.targets, o.predictions)...)
}

// predictSummary is the result of a prediction.
type predictSummary struct {
	Out      string   `json:"out"`
	Plot     string   `json:"plot,omitempty"`
	Groups   int      `json:"groups"`
	Targets  int      `json:"targets"` // of all groups together
	Weights  string   `json:"weights"`
	Warnings []string `json:"warnings"`
}

// finish draws the predictive density, if a plot is asked for, and prints the result.
func (o *requestFlags) finish(ctx context.Context, a predict.Asked, how figures.Options) error {
	if o.plot != "" {
		how.Log = o.logAxes(a)
		figure, err := figures.NewPrediction(ctx, a.Predictor, figures.AskedSubjects(&a, o.targets), how)
		if err != nil {
			return err
		}
		if err := figure.Save(o.plot, &o.app.warnings); err != nil {
			return err
		}
	}
	s := &predictSummary{Out: o.out, Plot: o.plot, Groups: a.CountAsked(), Targets: a.CountTargets(), Weights: a.About().Weights.Path, Warnings: o.app.warn()}
	return o.app.result(s, s.print)
}

// logAxes returns which columns of x the picture has a log axis for. It warns of known points without a place on it.
func (o *requestFlags) logAxes(a predict.Asked) []bool {
	is, without := rows.LogRanges(o.grid), 0
	for _, q := range a.Questions {
		for i, v := range q.Known.X {
			if c := i % q.Known.DX; c < len(is) && is[c] && v <= 0 {
				without++
			}
		}
	}
	if without > 0 {
		o.app.warnings.Add("picture %s: its log axis has no place for %s with x ≤ 0", o.plot, invalid.Plural(without, "known point", "known points"))
	}
	return is
}

func (s *predictSummary) print(w io.Writer) error {
	out := s.Out
	if out == "/dev/stdout" {
		out = "standard output"
	}
	fmt.Fprintf(w, "%s: %s of %s, predicted with %s\n", out, invalid.Plural(s.Targets, "target", "targets"),
		invalid.Plural(s.Groups, "group", "groups"), s.Weights)
	if s.Plot != "" {
		fmt.Fprintf(w, "plot %s\n", s.Plot)
	}
	return nil
}
