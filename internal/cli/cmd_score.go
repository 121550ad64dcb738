package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/acqnp/acqnp/internal/input"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/score"
)

type scoreOptions struct {
	requestFlags
	joint bool
}

func newScore(a *app) *cobra.Command {
	var o scoreOptions
	cmd := &cobra.Command{
		Use:   "score (--run DIR | --config FILE --weights FILE | --prior) [--context FILE] --targets FILE",
		Short: "Measure how well predictions foretell points of your own",
		Long: `Predict points whose y is known, and say how good the predictions are, in raw units: the mean log
density of a target and its standard error, the CRPS, pinball losses, and how many targets lie inside
the central intervals of 50% and 90%. These shares are near 50% and 90% if the model knows how much it
does not know.

Context and targets are CSV files as for predict; the targets also have the columns of y.
With several functions, the error is that over functions, because the points of one function are
alike. --out writes a row for each target and channel, with log density, CRPS, PIT (the predicted
probability of a y up to the true one), mean and standard deviation. --joint adds the log density of
all targets of a function together: each is predicted with those before it in its context, in the
order of the file.`,
		Example: `  acqnp score --run runs/prices/seed-0 --context context.csv --targets held-out.csv
  acqnp score --run runs/prices/seed-0 --context context.csv --targets held-out.csv --out points.csv --json`,
		Args: cobra.NoArgs,
		RunE: a.run(func(cmd *cobra.Command) error {
			return runScore(cmd.Context(), a, o)
		}),
	}
	o.addInputs(a, cmd, "x and y of the targets")
	o.scored = true
	o.levelFlags.addFlags(cmd, 0, predict.GridLevels, "quantile levels of each target, for CQNP and ACQNP (default the configuration's eval.num_tau)")
	cmd.Flags().StringVar(&o.out, "out", "", "CSV `FILE` for the scores of each target and channel")
	cmd.Flags().BoolVar(&o.joint, "joint", false, "state the log density of all targets of a function together, too")
	must(cmd.MarkFlagRequired("targets"))
	must(cmd.MarkFlagFilename("out", "csv"))
	return cmd
}

// scoreSchema names the layout of score's JSON.
const scoreSchema = "acqnp.score/1"

// scoreSummary is the result of score.
type scoreSummary struct {
	Schema  string `json:"schema"`
	Weights string `json:"weights"`
	Out     string `json:"out,omitempty"`
	score.Summary

	unit string // of y, for people
}

func runScore(ctx context.Context, a *app, o scoreOptions) error {
	e, err := o.experiment()
	if err != nil {
		return err
	}
	p := a.progress()
	asked, err := o.open(e, p)
	if err != nil {
		return err
	}
	o.announce(p)
	names := predict.NamesOf(&asked)
	tally := score.NewTally(names.YNames)
	predictions := predict.Shown(p, asked.CountTargets(), asked.Predict(ctx, asked.Functions))
	if err := (predict.Scores{Names: names, Threads: o.cores()}).Write(o.out, tally, predictions); err != nil {
		return err
	}
	if o.joint {
		if err := asked.JointScores(ctx, asked.Functions, tally); err != nil {
			return err
		}
	}
	s := scoreSummary{Schema: scoreSchema, Weights: asked.Weights.Path, Out: o.out, Summary: tally.Summary(), unit: strings.Join(names.YNames, ", ")}
	return a.result(s, s.print)
}

func (s *scoreSummary) print(w io.Writer) error {
	fmt.Fprintf(w, "%s of %s, predicted with %s\n", input.Plural(s.Targets, "target", "targets"),
		input.Plural(len(s.PerFunction), "function", "functions"), s.Weights)
	if err := s.Summary.Print(w, s.unit); err != nil {
		return err
	}
	if s.Out != "" {
		fmt.Fprintf(w, "\nscores of each target %s\n", s.Out)
	}
	return nil
}
