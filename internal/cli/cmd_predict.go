package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

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
	calibrated     bool
	raw            bool
	format         string
	components     bool

	cdf    string
	exceed []float64
	modes  bool

	densityAt, cdfAt []float64 // what density and cdf ask for
}

func newPredict(a *app) *cobra.Command {
	var o predictOptions
	cmd := &cobra.Command{
		Use:   "predict (RUN | --run DIR | --config FILE --weights FILE | --pretrained) [--context FILE] (--targets FILE | --grid RANGE) [--out FILE]",
		Short: "Predict the outcome for points of your own",
		Long: `Predict from your own context points. The CSV file has one row for each target and channel of y, in
your units, with the columns function, target, x…, channel, mean, sd and

  q0.05, …       quantiles (--quantiles)
  hdr0.9, …      the smallest set that holds this probability (--hdr), as "a:b": y from a to b. On two
                 branches it has two intervals, "a:b;c:d"
  density1.5, …  the density of y at 1.5 (--density)
  cdf1.5, …      the probability of a y up to 1.5 (--cdf)
  exceed1.5, …   the probability of more than 1.5 (--exceed)
  modes          the peaks of the density, "a;b", the highest first (--modes)
  draw1, …       random draws (--draws): independent at each target, or joint with --joint

With --format json, each row is an object on a line of its own, with these names; the regions are
[[a,b],[c,d]], the modes [a,b], and numbers that are not finite null.

With --joint, each drawn target joins the context of the next, in the order of the file or grid. The
numbers of a column draw1 then belong to one curve, where independent draws mix those of many. A draw
far out in a tail joins at a limit: as far outside the highest-density region of 95% as that is wide.
Joint draws take a pass of the model for every target. The other columns do not change.

` + contextHelp + `

If data.log names a channel with long tails (CQNP, ACQNP), mean and sd count values above its 0.99
quantile as that quantile.

--plot shades the predictive density over x: the smallest regions of y that hold 50, 90 and 99% of it.
If two columns of x vary within functions it draws maps, if more do, intervals; those that do not
are in the titles. Points of --targets whose y the file has are drawn too. With --use-calibration, regions
and intervals are the corrected ones.

A directory of acqnp fit is predicted from in the same way. Its intervals and regions are calibrated
unless --raw is given.

--components writes the file of acqnp sample-quantiles, what the predictive density is a mixture of.`,
		Example: `  acqnp predict --run runs/prices/seed-0 --context context.csv --grid=0.2:6:100 --out predictions.csv
  acqnp predict --run runs/prices/seed-0 --context context.csv --targets targets.csv \
      --quantiles 0.1,0.5,0.9 --hdr 0.5,0.9 --density=0:2000:201 --draws 100 --joint --out predictions.csv
  acqnp predict --run runs/prices/seed-0 --context context.csv --grid=0.2:6:100 --out predictions.csv --plot predictions.png
  acqnp predict prices.fit --context context.csv --grid=0.2:6:100 > predictions.csv
  acqnp predict --pretrained --context context.csv --grid=0:10:50 --out predictions.csv`,
		Args: runArgument,
		RunE: a.run(func(cmd *cobra.Command) error {
			if err := o.checkFormat(); err != nil {
				return err
			}
			if o.components {
				return o.writeComponents(cmd.Context(), a)
			}
			if isFitted(o.Run) {
				return runPredictFitted(cmd.Context(), a, o)
			}
			if o.raw {
				return rawOfNetwork()
			}
			return runPredict(cmd.Context(), a, o)
		}),
	}
	o.requestFlags.addFlags(a, cmd)
	f := cmd.Flags()
	f.Float64SliceVar(&o.quantiles, "quantiles", []float64{0.05, 0.25, 0.5, 0.75, 0.95}, "`LEVELS` between 0 and 1 whose quantiles are predicted")
	f.Float64SliceVar(&o.hdr, "hdr", []float64{0.9}, "`PROBABILITIES` between 0 and 1 that highest-density regions hold")
	f.Lookup("quantiles").DefValue, f.Lookup("hdr").DefValue = "0.05,0.25,0.5,0.75,0.95", "0.9"
	f.StringVar(&o.density, "density", "", "N evenly spaced y from A to B whose density is predicted, as `A:B:N` (--density=-2:2:101)")
	f.StringVar(&o.cdf, "cdf", "", "N evenly spaced y from A to B whose probability of a y up to it is predicted, as `A:B:N`")
	f.Float64SliceVar(&o.exceed, "exceed", nil, "`Y` whose probability of more is predicted, separated by commas")
	f.BoolVar(&o.modes, "modes", false, "the y at which the density has its peaks, the highest first")
	f.IntVar(&o.draws, "draws", 0, "`NUMBER` of random draws for each target and channel")
	f.BoolVar(&o.calibrated, "use-calibration", false, "correct intervals and regions by the run's calibration, which acqnp score --calibrate makes")
	f.BoolVar(&o.raw, "raw", false, "of a directory of acqnp fit: the mixture's own intervals and regions, not calibrated")
	f.StringVar(&o.format, "format", "", "`FORMAT` of the predictions: csv or json, one object a line (default by the ending of --out, csv if\nit has none of these; json on standard output with --json)")
	must(cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions([]string{predict.CSVFormat, predict.JSONFormat}, cobra.ShellCompDirectiveNoFileComp)))
	for _, other := range []string{"pretrained", "config", "raw"} {
		cmd.MarkFlagsMutuallyExclusive("use-calibration", other)
	}
	f.BoolVar(&o.joint, "joint", false, "joint draws: each target is drawn given those before it")
	f.BoolVar(&o.components, "components", false, "write and plot quantile levels, bootstraps or means instead of the density, as acqnp sample-quantiles does")
	for _, column := range []string{"hdr", "density", "cdf", "exceed", "modes", "joint", "use-calibration", "raw", "format"} {
		cmd.MarkFlagsMutuallyExclusive("components", column)
	}
	return cmd
}

func runPredict(ctx context.Context, a *app, o predictOptions) error {
	e, err := o.experiment(o.checkColumns)
	if err != nil {
		return err
	}
	p := a.progress()
	asked, err := o.open(e, p)
	if err != nil {
		return err
	}
	table := o.table(e.Eval.Seed)
	table.Names = predict.NamesOf(&asked)
	if o.calibrated {
		if table.Calibrated, err = asked.Calibrated(o.Run); err != nil {
			return err
		}
	}
	if err := table.CheckCalibration(); err != nil {
		return err
	}
	picture := figures.Options{Calibrated: table.Calibrated}
	if o.plot != "" {
		if err := picture.Check(); err != nil {
			return err
		}
	}
	targets := asked.CountTargets()
	if err := table.CheckSize(targets); err != nil {
		return err
	}
	predictions := asked.Predict(ctx, asked.Functions)
	if o.joint {
		predictions = asked.WithJointDraws(ctx, asked.Functions, predict.JointDraws{Number: o.draws, Seed: e.Eval.Seed}, predictions)
	}
	o.announce(p)
	if err := table.Write(o.out, predict.Shown(p, targets, predictions)); err != nil {
		return err
	}
	if err := o.draw(ctx, &asked, picture); err != nil {
		return err
	}
	s := o.summary(&asked)
	return a.result(s, s.print)
}

// writeComponents does what acqnp sample-quantiles does.
func (o *predictOptions) writeComponents(ctx context.Context, a *app) error {
	if isFitted(o.Run) {
		return &invalid.Input{File: "--components", Found: "a directory of acqnp fit", Expected: "a trained network"}
	}
	s := sampleOptions{requestFlags: o.requestFlags, draws: o.draws, components: o.plot != ""}
	if o.given("quantiles") {
		s.quantiles = o.quantiles
	}
	return runSample(ctx, a, s)
}

// table returns the table that the flags ask for, without its names.
func (o *predictOptions) table(seed uint64) predict.Table {
	return predict.Table{Levels: o.quantiles, Masses: o.hdr, Density: o.densityAt, CDF: o.cdfAt, Exceed: o.exceed, Modes: o.modes,
		Draws: o.draws, Seed: seed, Threads: o.cores(), Format: o.format}
}

// formats are the endings of predictions, with their formats.
var formats = map[string]string{".csv": predict.CSVFormat, ".json": predict.JSONFormat, ".jsonl": predict.JSONFormat}

// checkFormat settles the format. Without --format, the ending of --out or --json names it.
func (o *predictOptions) checkFormat() error {
	switch o.format {
	case predict.CSVFormat, predict.JSONFormat:
		return nil
	case "":
		o.format = formats[strings.ToLower(filepath.Ext(o.out))]
		if o.out == "-" && o.app.json {
			o.format = predict.JSONFormat
		}
		return nil
	}
	return &invalid.Input{File: "--format", Found: strconv.Quote(o.format), Expected: "csv or json"}
}

// checkColumns checks the flags that add columns.
func (o *predictOptions) checkColumns() (err error) {
	if err := checkProbabilities("--quantiles", o.quantiles); err != nil {
		return err
	}
	if err := checkProbabilities("--hdr", o.hdr); err != nil {
		return err
	}
	if o.density != "" {
		if o.densityAt, err = predict.ParseDensity("--density", o.density); err != nil {
			return err
		}
	}
	if o.cdf != "" {
		if o.cdfAt, err = predict.ParseDensity("--cdf", o.cdf); err != nil {
			return err
		}
	}
	if o.joint && o.draws == 0 {
		return &invalid.Input{File: "--draws", Found: "0", Expected: fmt.Sprintf("1 to %d, since --joint draws", predict.MaxDraws)}
	}
	return checkRange("--draws", o.draws, 0, predict.MaxDraws)
}
