package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/acqnp/acqnp/internal/report/figures"
)

func newPlotSpeedFlow(a *app) *cobra.Command {
	var o modelFigure
	cmd := &cobra.Command{
		Use:   "speed-flow --run DIR… --out FILE",
		Short: "Draw the quantiles of speed by flow on both lanes",
		Long: `Draw the quantiles of speed by flow for each lane in raw units, as in the paper's figure 3: the data,
the 10 levels of ACQNP and CQNP, and the quantiles of the other models' distributions at 10 levels
from 0.001 to 0.999. The distribution of BNP is the mixture of 5 bootstraps.`,
		Example: `  acqnp plot speed-flow --run runs/speed-flow/acqnp/seed-0 --run runs/speed-flow/bnp/seed-0 --out lanes.png`,
		Args:    cobra.NoArgs,
		RunE: a.run(func(cmd *cobra.Command) error {
			return o.draw(cmd.Context(), a, figures.OfLanes, func(ctx context.Context, runs []figures.Run) (figures.Figure, error) {
				return figures.NewLaneSheet(ctx, runs, o.numTau)
			})
		}),
	}
	o.addFlags(a, cmd, figureLevels, evenLevels)
	return cmd
}
