package cli

import (
	"github.com/spf13/cobra"

	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/report/figures"
)

func newPlotLevels(a *app) *cobra.Command {
	var o modelFigure
	cmd := &cobra.Command{
		Use:   "levels --run DIR… --out FILE",
		Short: "Draw where a model's quantile levels lie along x",
		Long: `Draw the quantile levels τ along x for one evaluation function, as in the paper's figure 2, and above
them the quantiles that they stand for. ACQNP adapts its levels to the data; those of CQNP are
uniform. Runs can be of different benchmarks; each is shown its own first function. Another --seed
draws another.`,
		Example: `  acqnp plot levels --run runs/double-sine/acqnp/seed-0 --run runs/circle/acqnp/seed-0 --out levels.png
  acqnp plot levels --run runs/lissajous/acqnp/seed-0 --seed 5 --out levels.svg`,
		Args: cobra.NoArgs,
		RunE: a.run(func(cmd *cobra.Command) error {
			return o.draw(cmd.Context(), a, figures.WithLevels, figures.NewLevelSheet)
		}),
	}
	o.addFlags(a, cmd, figureLevels, predict.RandomLevels)
	o.addSeed(cmd)
	return cmd
}
