package cli

import (
	"cmp"
	"context"

	"github.com/spf13/cobra"

	"github.com/acqnp/acqnp/internal/fit/file"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/report/figures"
)

type sampleOptions struct {
	requestFlags
	quantiles []float64
	draws     int
}

var _ = command(otherPrograms, 3, newSample)

func newSample(a *app) *cobra.Command {
	var o sampleOptions
	cmd := &cobra.Command{
		Use:   "sample-quantiles (--run DIR | --config FILE --weights FILE) [--context FILE] (--targets FILE | --grid RANGE) [--out FILE]",
		Short: "Predict quantiles for points of your own",
		Long: `Predict from your own context points. For every target, the CSV file has the components of the
predicted mixture (u, tau, mu, sigma and weight of each quantile level) and its mean. --quantiles
adds quantiles of the mixture, --draws random draws from it. acqnp predict --components does the same.

` + contextHelp,
		Example: `  acqnp sample-quantiles --run runs/lissajous/acqnp/seed-0 --context context.csv --grid=-2:2:200 --out quantiles.csv
  acqnp sample-quantiles --run runs/lissajous/acqnp/seed-0 --context context.csv --targets targets.csv \
      --quantiles 0.05,0.5,0.95 --draws 100 --out quantiles.csv --plot quantiles.png`,
		Args: cobra.NoArgs,
		RunE: a.run(func(cmd *cobra.Command) error { return o.run(cmd.Context()) }),
	}
	o.requestFlags.addFlags(a, cmd)
	o.addSpacing(cmd, evenLevels)
	f := cmd.Flags()
	f.Float64SliceVar(&o.quantiles, "quantiles", nil, "add the quantiles of these `LEVELS`: 0.05,0.5,0.95")
	f.Lookup("quantiles").DefValue = "" // pflag would print []
	f.IntVar(&o.draws, "draws", 0, "add a `NUMBER` of random draws")
	return cmd
}

func (o *sampleOptions) run(ctx context.Context) error {
	if file.Is(o.Run) {
		return &invalid.Input{File: o.Run, Found: "a directory of acqnp fit", Expected: "a trained network, or acqnp predict --components --format json"}
	}
	a, err := o.open(o.checkCounts)
	if err != nil {
		return err
	}
	table := predict.Quantiles{Names: predict.NamesOf(&a), Levels: o.quantiles, Draws: o.draws, Seed: o.drawSeed(a), Format: o.format}
	if err := table.Write(o.out, o.show(a, a.Predict(ctx, a.Questions))); err != nil {
		return err
	}
	return o.finish(ctx, a, figures.Options{Levels: o.quantiles})
}

func (o *sampleOptions) checkCounts() error {
	return cmp.Or(checkProbabilities("--quantiles", o.quantiles), checkRange("--draws", o.draws, 0, predict.MaxDraws))
}
