package cli

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/acqnp/acqnp/internal/cli/output"
	"github.com/acqnp/acqnp/internal/fit/file"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/likelihood/score"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/predict/conformal"
	"github.com/acqnp/acqnp/internal/report/figures"
	"github.com/acqnp/acqnp/internal/run"
)

type scoreOptions struct {
	requestFlags
	joint, calibrate bool
}

var _ = command(ownData, 3, newScore)

func newScore(a *app) *cobra.Command {
	var o scoreOptions
	cmd := &cobra.Command{
		Use:   "score (RUN | --config FILE --weights FILE) [--context FILE] (--targets FILE | --calibrate)",
		Short: "Measure how good predictions of points of your own are",
		Long: `Compare predictions with targets whose y is known, in your units: mean log density (higher is better),
CRPS and pinball losses (lower is better), shares of targets in the central intervals of 50% and 90%. With
groups, errors are over groups. Files are predict's, targets have y too. docs/how-to/score.md explains more.
--predictions scores other tools' quantiles (q0.05, q0.5, …), draws (draw1, …) or mean and sd of the same
targets beside ours; a column tool names them. docs/how-to/compare.md has lme4 and mgcv.

--calibrate corrects the intervals and regions of a run with the groups that init --hold-back held back,
or with --context and --targets, which training must not have seen, for --use-calibration. What fit wrote is
calibrated already. docs/explanation/calibration.md says what intervals then promise.`,
		Example: `  acqnp score prices.fit --context context.csv --targets held-out.csv --predictions lme4.csv
  acqnp score runs/prices/seed-0 --context context.csv --targets held-out.csv --out points.csv --plot pit.svg
  acqnp score runs/prices/seed-0 --calibrate`,
		Args: runArgument,
		RunE: a.run(func(cmd *cobra.Command) error {
			return runScore(cmd.Context(), a, o)
		}),
	}
	o.addInputs(a, cmd, "their x and y")
	o.addAsNew(cmd)
	o.scored = true
	cmd.Flags().StringVarP(&o.out, "out", "o", "", "`FILE` for the scores of each target, CSV or by its ending another form")
	cmd.Flags().BoolVar(&o.joint, "joint", false, "add the joint log density of all targets of a group")
	cmd.Flags().BoolVar(&o.calibrate, "calibrate", false, "calibrate the run on these targets, or on what it held back")
	cmd.Flags().BoolVar(&o.calibrated, "use-calibration", false, "score predictions corrected by the run's calibration")
	cmd.Flags().StringVar(&o.plot, "plot", "", "`FILE` for a plot of the calibration (.png, .svg or .pdf)")
	cmd.Flags().BoolVar(&o.raw, "raw", false, "leave the intervals of a fit as they are, not calibrated")
	cmd.Flags().StringVar(&o.weights, "row-weights", "", "`COL` of the targets with weights: a row of weight 2 counts as two of weight 1")
	cmd.Flags().StringVar(&o.predictions, "predictions", "", "`FILE` of other tools' predictions of the targets, to score beside ours")
	cmd.MarkFlagsOneRequired("targets", "calibrate")
	for _, apart := range [][]string{{"use-calibration", "raw"}, {"calibrate", "use-calibration"}, {"calibrate", "joint"}, {"row-weights", "joint"}, {"row-weights", "calibrate"}, {"calibrate", "config"}, {"calibrate", "predictions"},
		{"use-calibration", "config"}} {
		cmd.MarkFlagsMutuallyExclusive(apart...)
	}
	return cmd
}

// scoreSchema names the layout of score's JSON.
const scoreSchema = "acqnp.score/1"

// scoreSummary is the result of score.
type scoreSummary struct {
	Schema  string `json:"schema"`
	Weights string `json:"weights"`
	Out     string `json:"out,omitempty"`
	Plot    string `json:"plot,omitempty"`
	score.Summary
	Tools       []score.Tool       `json:"tools,omitempty"` // of --predictions
	Calibration *conformal.Summary `json:"calibration,omitempty"`
	Warnings    []string           `json:"warnings"`

	unit string // of y, for people
}

func runScore(ctx context.Context, a *app, o scoreOptions) error {
	if o.calibrate && file.Is(o.Run) {
		return &invalid.Input{File: "--run", Found: "a directory of acqnp fit", Expected: "a trained network for --calibrate: fit has calibrated its intervals"}
	}
	if o.calibrate && o.context != "" && o.targets == "" {
		return &invalid.Input{File: "--context", Found: "no --targets", Expected: "--targets beside it, or neither, for the groups that init --hold-back held back"}
	}
	var t predict.Trained // that is calibrated
	var asked predict.Asked
	var err error
	if o.calibrate {
		t, asked, err = o.openCalibrated()
	} else {
		asked, err = o.open()
	}
	if err != nil {
		return err
	}
	about := asked.About()
	scores := predict.Scores{Names: predict.NamesOf(&asked), Threads: o.cores(), Warnings: &a.warnings, Support: about.Outcomes, Calibrated: asked.Calibrated}
	if o.calibrate {
		scores.Outcomes = &score.Outcomes{ByPoint: t.ByPoint(asked.Questions)}
	}
	if o.predictions != "" {
		if scores.Tools, err = predict.ReadTools(o.predictions, scores.Names, &a.warnings); err != nil {
			return err
		}
	}
	tally := score.NewTally(scores.YNames)
	if err := scores.Write(o.out, tally, o.show(asked, asked.Predict(ctx, asked.Questions))); err != nil {
		return err
	}
	if o.joint {
		if err := predict.JointScores(ctx, asked.Predictor, asked.Questions, tally, &a.warnings); err != nil {
			return err
		}
	}
	s := &scoreSummary{Schema: scoreSchema, Weights: about.Weights.Path, Out: o.out, Plot: o.plot, Summary: tally.Summary(), unit: strings.Join(scores.YNames, ", ")}
	if scores.Tools != nil {
		s.Tools = scores.Tools.Summary(scores)
	}
	if o.plot != "" {
		if err := (figures.Calibration{Title: about.Question, Means: s.Means, Groups: s.PerGroup}).Save(o.plot, &a.warnings); err != nil {
			return err
		}
	}
	s.Warnings = a.warn()
	if o.calibrate {
		source := conformal.FromRun
		if o.targets != "" {
			source = conformal.FromFiles
		}
		c := t.Calibration(scores.Outcomes, source)
		if s.Calibration, err = c.Summary(o.Run), c.Write(o.Run); err != nil {
			return err
		}
	}
	return a.result(s, s.print)
}

// openCalibrated reads the run to calibrate and the questions of the files or, without any, those that its training
// held back.
func (o *scoreOptions) openCalibrated() (t predict.Trained, a predict.Asked, err error) {
	file := output.File{Flag: "--calibrate", Path: filepath.Join(o.Run, run.CalibrationFile), Part: run.CalibrationFile, Overwrite: true}
	if err := o.app.checkOutputs([]output.File{file}, o.context, o.targets); err != nil {
		return t, a, err
	}
	if err := o.settle(); err != nil {
		return t, a, err
	}
	if o.targets != "" {
		if t, a, err = o.openRun(); err == nil {
			o.app.warn()
		}
		return t, a, err
	}
	e, err := o.experiment()
	if err != nil {
		return t, a, err
	}
	if t, a, err = o.OpenCalibration(e, o.dataDir, o.device, o.app.progress().Warn, &o.app.warnings); err == nil {
		t = o.choose(t)
		a.Predictor = t
	}
	return t, a, err
}

func (s *scoreSummary) print(w io.Writer) error {
	fmt.Fprintf(w, "%s of %s, predicted with %s\n", invalid.Plural(s.Targets, "target", "targets"),
		invalid.Plural(len(s.PerGroup), "group", "groups"), s.Weights)
	if err := s.Summary.Print(w, s.unit); err != nil {
		return err
	}
	if len(s.Tools) > 0 {
		if err := s.PrintTools(w, s.Tools); err != nil {
			return err
		}
	}
	if s.Calibration != nil {
		s.Calibration.Print(w)
	}
	if s.Out != "" {
		fmt.Fprintf(w, "\nscores of each target %s\n", s.Out)
	}
	if s.Plot != "" {
		fmt.Fprintf(w, "\nplot %s\n", s.Plot)
	}
	return nil
}
