package cli

import "github.com/spf13/cobra"

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
	cmd.AddCommand(newSweepRun(a))
	cmd.AddCommand(newSweepSubmit(a))
	cmd.AddCommand(newSweepStatus(a))
	cmd.AddCommand(newSweepBest(a))
	return cmd
}
