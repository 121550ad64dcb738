package cli

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/acqnp/acqnp/internal/cli/output"
	"github.com/acqnp/acqnp/internal/fit"
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
		Long: `Compare predictions with targets whose y is known, in your units: the mean log density of a target
(higher is better), the CRPS and pinball losses (distances in the units of y, lower is better), and the
shares of targets inside the central intervals of 50% and 90%, which are near 50% and 90% if the model
knows how sure it is. With several groups, standard errors are those over groups. The files are those
of predict; the targets have y too. docs/how-to/score.md explains the table and the columns of --out.

--calibrate corrects the intervals and regions of a run with the groups that init --hold-back held back,
or with --context and --targets, which the training must not have seen; predict --use-calibration uses
the correction. What fit wrote is calibrated already. docs/explanation/calibration.md says
what intervals then promise.`,
		Example: `  acqnp score prices.fit --context context.csv --targets held-out.csv
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
	cmd.MarkFlagsOneRequired("targets", "calibrate")
	for _, apart := range [][]string{{"use-calibration", "raw"}, {"calibrate", "use-calibration"}, {"calibrate", "joint"}, {"row-weights", "joint"}, {"row-weights", "calibrate"}, {"calibrate", "config"},
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
	Calibration *conformal.Summary `json:"calibration,omitempty"`
	Warnings    []string           `json:"warnings"`

	unit string // of y, for people
}

func runScore(ctx context.Context, a *app, o scoreOptions) error {
	if o.calibrate && fit.Is(o.Run) {
		return &invalid.Input{File: "--run", Found: "a directory of acqnp fit", Expected: "a trained network for --calibrate: fit has calibrated its intervals"}
	}
	q, err := o.openScored()
	if err != nil {
		return err
	}
	scores := predict.Scores{Names: predict.NamesOf(&q.Asked), Threads: o.cores(), Warnings: &a.warnings, Support: q.About().Outcomes}
	if o.calibrate {
		scores.Outcomes = &score.Outcomes{ByPoint: predict.ByPoint(q.experiment, q.Questions)}
	}
	if scores.Calibrated, err = o.calibration(q); err != nil {
		return err
	}
	tally := score.NewTally(scores.YNames)
	if err := scores.Write(o.out, tally, o.show(q, q.Predict(ctx, q.Questions))); err != nil {
		return err
	}
	if o.joint {
		if err := predict.JointScores(ctx, q.Predictor, q.Questions, tally, &a.warnings); err != nil {
			return err
		}
	}
	about := q.About()
	s := &scoreSummary{Schema: scoreSchema, Weights: about.Weights.Path, Out: o.out, Plot: o.plot, Summary: tally.Summary(), unit: strings.Join(scores.YNames, ", ")}
	if o.plot != "" {
		if err := (figures.Calibration{Title: about.Question, Means: s.Means, Functions: s.PerFunction}).Save(o.plot, &a.warnings); err != nil {
			return err
		}
	}
	s.Warnings = a.warn()
	if o.calibrate {
		if s.Calibration, err = o.writeCalibration(q, scores.Outcomes); err != nil {
			return err
		}
	}
	return a.result(s, s.print)
}

// writeCalibration writes the calibration of a run that the outcomes of its predictions give.
func (o *scoreOptions) writeCalibration(q question, outcomes *score.Outcomes) (*conformal.Summary, error) {
	source := conformal.FromRun
	if o.targets != "" {
		source = conformal.FromFiles
	}
	c := q.run.Calibration(outcomes, source)
	return c.Summary(o.Run), c.Write(o.Run)
}

// openScored reads what predicts and the functions to score: those of the files or, with --calibrate alone, those
// that the training of a run held back.
func (o *scoreOptions) openScored() (q question, err error) {
	if o.calibrate {
		file := output.File{Flag: "--calibrate", Path: filepath.Join(o.Run, run.CalibrationFile), Part: run.CalibrationFile, Overwrite: true}
		if err := o.app.checkOutputs([]output.File{file}, o.context, o.targets); err != nil {
			return q, err
		}
	}
	if o.targets != "" {
		return o.open()
	}
	if err := o.settle(); err != nil {
		return q, err
	}
	if q.experiment, err = o.experiment(); err != nil {
		return q, err
	}
	t, held, err := o.OpenCalibration(q.experiment, o.dataDir, o.device, o.app.progress().Warn)
	if err != nil {
		return q, err
	}
	t = o.choose(t)
	q.run, q.Asked = &t, held
	q.Predictor = t
	return q, nil
}

func (s *scoreSummary) print(w io.Writer) error {
	fmt.Fprintf(w, "%s of %s, predicted with %s\n", invalid.Plural(s.Targets, "target", "targets"),
		invalid.Plural(len(s.PerFunction), "group", "groups"), s.Weights)
	if err := s.Summary.Print(w, s.unit); err != nil {
		return err
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
