package cli

import (
	"context"
	"os"

	"github.com/spf13/cobra"

	"github.com/acqnp/acqnp/internal/sweep/plan"
)

var _ = command(manyRuns, 1, newSweep)

func newSweep(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "sweep",
		Short: "Train many runs: here, on Slurm or on Kubernetes",
		Long: `Train the runs of a plan, a YAML file. It names configurations and seeds, and may set keys for all
runs and grids of values. The run directories are the only state of a sweep: started again, it trains
what is missing.`,
		Example: `  acqnp sweep run sweeps/quick.yaml
  acqnp sweep status sweeps/quick.yaml --watch`,
		Args: cobra.ArbitraryArgs,
		RunE: runGroup,
	}
	cmd.AddCommand(newSweepRun(a), newSweepSubmit(a), newSweepStatus(a), newSweepBest(a))
	return cmd
}

// onPlan returns the function that cobra calls to run a command on the plan that its argument names.
func (a *app) onPlan(f func(ctx context.Context, p *plan.Plan) error) func(*cobra.Command, []string) error {
	return a.run(func(cmd *cobra.Command) error {
		p, err := plan.Load(cmd.Flags().Arg(0), os.Environ)
		if err != nil {
			return err
		}
		return f(cmd.Context(), p)
	})
}
