package cli

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/acqnp/acqnp/internal/files/tabular"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/report/figures"
)

type predictOptions struct {
	requestFlags
	answers answerFlags
	joint   bool
}

var _ = command(ownData, 2, newPredict)

func newPredict(a *app) *cobra.Command {
	var o predictOptions
	cmd := &cobra.Command{
		Use:   "predict (RUN | --config FILE --weights FILE) [--context FILE] [--targets FILE | --grid A:B:N]",
		Short: "Predict the outcome for points of your own",
		Long: `Predict new points of groups of which some points are known, or none.

` + contextHelp + `

The output has a row for each target, in your units and in the order of the file of targets: the group,
the number of the target within it, its x, the file's other columns, the column of y (channel), the mean,
the standard deviation (sd), and what flags ask for. Lines that start with "warning:" say which rows were
left out, and what the model does not know.
docs/reference/predictions.md explains the columns.`,
		Example: `  acqnp predict prices.fit --context context.csv --grid=0.2:6:100 > predictions.csv
  acqnp predict runs/prices/seed-0 --context context.csv --targets targets.csv --exceed 500 --out predictions.csv
  acqnp predict runs/prices/seed-0 --context context.csv --grid=0.2:6:100 --draws 100 --joint --plot predictions.png`,
		Args: runArgument,
		RunE: a.run(func(cmd *cobra.Command) error {
			if err := o.checkFormat(); err != nil {
				return err
			}
			if o.answers.of("components").on && o.format != tabular.JSON {
				return o.writeComponents(cmd.Context())
			}
			return o.run(cmd.Context())
		}),
	}
	o.requestFlags.addFlags(a, cmd)
	o.addAsNew(cmd)
	f := cmd.Flags()
	o.answers.addFlags(cmd)
	f.Lookup("components").Usage += " with JSON; otherwise write them instead of a row a target, as sample-quantiles does"
	f.BoolVar(&o.calibrated, "use-calibration", false, "correct intervals and regions by the run's calibration, which score --calibrate makes")
	f.BoolVar(&o.raw, "raw", false, "leave the intervals and regions of a fit as they are, not calibrated")
	f.StringVar(&o.format, "format", "", "`FORMAT`: csv, json with one object a line, or parquet (default by the ending of --out, otherwise csv)")
	must(cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(tabular.Formats(), cobra.ShellCompDirectiveNoFileComp)))
	for _, other := range []string{"config", "raw"} {
		cmd.MarkFlagsMutuallyExclusive("use-calibration", other)
	}
	f.BoolVar(&o.joint, "joint", false, "joint draws: the draws of a column belong to one curve")
	return cmd
}

func (o *predictOptions) run(ctx context.Context) error {
	a, err := o.open(o.checkAnswers)
	if err != nil {
		return err
	}
	table := predict.Table{Names: predict.NamesOf(&a), Wanted: slices.Concat(predict.Always(a.About()), o.answers.wanted()), Seed: o.drawSeed(a), Threads: o.cores(),
		Format: o.format, Calibrated: a.Calibrated, Tails: new(predict.Tails)}
	if err := table.CheckSize(a.CountTargets()); err != nil {
		return err
	}
	predictions := a.Predict(ctx, a.Questions)
	if o.joint {
		predictions = predict.WithJointDraws(ctx, a.Predictor, a.Questions, predict.JointDraws{Number: o.answers.of("draws").count, Seed: table.Seed}, predictions)
	}
	if err := table.Write(o.out, o.show(a, predictions)); err != nil {
		return err
	}
	if line := table.Tails.Beyond(a.Calibrated, table.Wanted); line != "" {
		o.app.warnings.Add("%s", line)
	}
	return o.finish(ctx, a, figures.Options{Calibrated: a.Calibrated})
}

// writeComponents does what acqnp sample-quantiles does.
func (o *predictOptions) writeComponents(ctx context.Context) error {
	quantiles, draws := o.answers.of("quantiles"), o.answers.of("draws")
	var others []string
	for _, v := range o.answers {
		if v != quantiles && v != draws && v.Flag != "components" {
			others = append(others, v.Flag)
		}
	}
	for _, flag := range append(others, "joint", "use-calibration", "raw") {
		if o.given(flag) {
			return &invalid.Input{Found: "--components and --" + flag, Expected: "only one of them, or --format json"}
		}
	}
	s := sampleOptions{requestFlags: o.requestFlags, draws: draws.count}
	if o.given("quantiles") {
		s.quantiles = quantiles.At
	}
	return s.run(ctx)
}

// checkFormat settles the format. Without --format, the ending of --out or --json names it.
func (o *predictOptions) checkFormat() error {
	switch {
	case o.format == "" && o.out == "-" && o.app.json:
		o.format = tabular.JSON
	case o.format == "":
		if err := tabular.CheckOut("--out", o.out, ""); err != nil {
			return err
		}
		o.format = tabular.FormatOf(o.out)
	case !slices.Contains(tabular.Formats(), o.format):
		return &invalid.Input{File: "--format", Found: strconv.Quote(o.format), Expected: "one of " + strings.Join(tabular.Formats(), ", ")}
	}
	return tabular.CheckOut("--out", o.out, o.format)
}

// checkAnswers checks the flags of values.
func (o *predictOptions) checkAnswers() error {
	if err := o.answers.check(); err != nil {
		return err
	}
	if o.joint && o.answers.of("draws").count == 0 {
		return &invalid.Input{File: "--draws", Found: "0", Expected: fmt.Sprintf("1 to %d, since --joint draws", predict.MaxDraws)}
	}
	return nil
}
