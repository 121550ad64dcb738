package cli

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/acqnp/acqnp/internal/sweep"
	"github.com/acqnp/acqnp/internal/sweep/plan"
)

func newSweepBest(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "best PLAN",
		Short: "Show the best settings of a plan's grid",
		Long: `Compare the candidates of a plan's grid or samples, separately for each configuration, by valid_ll, the
best validation of each run, in the mean over seeds. The best run of the best candidate and its
checkpoint are named, for predict --run. Runs that are not done are left out. Evaluations have no
part in it, since that would be to choose by test data; acqnp report compares them.`,
		Example: `  acqnp sweep best plan.yaml
  acqnp sweep best plan.yaml --json`,
		Args: cobra.ExactArgs(1),
		RunE: a.onPlan(func(_ context.Context, p *plan.Plan) error { return runSweepBest(a, p) }),
	}
}

// bestSummary is the result of sweep best.
type bestSummary struct {
	Rankings []sweep.Ranking `json:"configurations"`
}

func runSweepBest(a *app, p *plan.Plan) error {
	rankings, err := sweep.Rank(p)
	if err != nil {
		return err
	}
	return a.result(bestSummary{rankings}, func(w io.Writer) error {
		for _, r := range rankings {
			if err := r.Print(w); err != nil {
				return err
			}
		}
		return nil
	})
}
