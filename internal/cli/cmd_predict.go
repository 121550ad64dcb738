package cli

import (
	"cmp"
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
	quantiles, hdr []float64
	density        string
	draws          int
	joint          bool
	components     bool

	cdf    string
	exceed []float64
	modes  bool

	densityAt, cdfAt []float64 // what density and cdf ask for
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
			if o.components && o.format != tabular.JSON {
				return o.writeComponents(cmd.Context())
			}
			return o.run(cmd.Context())
		}),
	}
	o.requestFlags.addFlags(a, cmd)
	o.addAsNew(cmd)
	f := cmd.Flags()
	f.Float64SliceVar(&o.quantiles, "quantiles", []float64{0.05, 0.25, 0.5, 0.75, 0.95}, "add the quantiles of these `LEVELS`; '' adds none")
	f.Float64SliceVar(&o.hdr, "hdr", []float64{0.9}, "add the smallest sets of y that hold these `PROBABILITIES`; two branches give two intervals; '' adds none")
	for _, name := range []string{"quantiles", "hdr"} {
		f.Lookup(name).Value = emptiable{f.Lookup(name).Value}
	}
	f.StringVar(&o.density, "density", "", "add the density at N values of y from `A:B:N` (--density=-2:2:101)")
	f.StringVar(&o.cdf, "cdf", "", "add the probability of a y up to each of N values from `A:B:N`")
	f.Float64SliceVar(&o.exceed, "exceed", nil, "add the probability of more than `Y`, or of several, separated by commas")
	f.Lookup("quantiles").DefValue, f.Lookup("hdr").DefValue, f.Lookup("exceed").DefValue = "0.05,0.25,0.5,0.75,0.95", "0.9", ""
	f.BoolVar(&o.modes, "modes", false, "add the peaks of the density, the highest first")
	f.IntVar(&o.draws, "draws", 0, "add a `NUMBER` of random draws")
	f.BoolVar(&o.calibrated, "use-calibration", false, "correct intervals and regions by the run's calibration, which score --calibrate makes")
	f.BoolVar(&o.raw, "raw", false, "leave the intervals and regions of a fit as they are, not calibrated")
	f.StringVar(&o.format, "format", "", "`FORMAT`: csv, json with one object a line, or parquet (default by the ending of --out, otherwise csv)")
	must(cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(tabular.Formats(), cobra.ShellCompDirectiveNoFileComp)))
	for _, other := range []string{"config", "raw"} {
		cmd.MarkFlagsMutuallyExclusive("use-calibration", other)
	}
	f.BoolVar(&o.joint, "joint", false, "joint draws: the draws of a column belong to one curve")
	f.BoolVar(&o.components, "components", false, "with JSON, add the parts of the mixture; otherwise write them instead of a row a target, as sample-quantiles does")
	return cmd
}

func (o *predictOptions) run(ctx context.Context) error {
	q, err := o.open(o.checkColumns)
	if err != nil {
		return err
	}
	table := predict.Table{Names: predict.NamesOf(&q.Asked), Levels: o.quantiles, Masses: o.hdr, Density: o.densityAt, CDF: o.cdfAt,
		Exceed: o.exceed, Modes: o.modes, Draws: o.draws, Origins: q.fit != nil, Nested: q.About().Nested, Seed: q.seed, Threads: o.cores(), Format: o.format, Parts: o.components}
	if table.Calibrated, err = o.calibration(q); err != nil {
		return err
	}
	if line := table.BeyondCalibration(); line != "" {
		o.app.warnings.Add("%s", line)
		o.app.warn()
	}
	if err := table.CheckSize(q.CountTargets()); err != nil {
		return err
	}
	predictions := q.Predict(ctx, q.Questions)
	if o.joint {
		predictions = predict.WithJointDraws(ctx, q.Predictor, q.Questions, predict.JointDraws{Number: o.draws, Seed: q.seed}, predictions)
	}
	if err := table.Write(o.out, o.show(q, predictions)); err != nil {
		return err
	}
	return o.finish(ctx, q, figures.Options{Calibrated: table.Calibrated})
}

// writeComponents does what acqnp sample-quantiles does.
func (o *predictOptions) writeComponents(ctx context.Context) error {
	for _, column := range []string{"hdr", "density", "cdf", "exceed", "modes", "joint", "use-calibration", "raw"} {
		if o.given(column) {
			return &invalid.Input{Found: "--components and --" + column, Expected: "only one of them, or --format json"}
		}
	}
	s := sampleOptions{requestFlags: o.requestFlags, draws: o.draws}
	if o.given("quantiles") {
		s.quantiles = o.quantiles
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

// checkColumns checks the flags that add columns.
func (o *predictOptions) checkColumns() (err error) {
	if err := cmp.Or(checkProbabilities("--quantiles", o.quantiles), checkProbabilities("--hdr", o.hdr), checkFinite("--exceed", o.exceed)); err != nil {
		return err
	}
	if o.density != "" {
		if o.densityAt, err = predict.ParseDensity("density", o.density); err != nil {
			return err
		}
	}
	if o.cdf != "" {
		if o.cdfAt, err = predict.ParseDensity("cdf", o.cdf); err != nil {
			return err
		}
	}
	if o.joint && o.draws == 0 {
		return &invalid.Input{File: "--draws", Found: "0", Expected: fmt.Sprintf("1 to %d, since --joint draws", predict.MaxDraws)}
	}
	return checkRange("--draws", o.draws, 0, predict.MaxDraws)
}
