package cli

import (
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/acqnp/acqnp/internal/sweep"
	"github.com/acqnp/acqnp/internal/sweep/plan"
)

func newSweepBest(a *app) *cobra.Command {
	var by string
	names := sweep.Measures()
	cmd := &cobra.Command{
		Use:   "best PLAN",
		Short: "Show the best settings of a plan's grid",
		Long: `Compare the candidates of a plan's grid or samples, separately for each configuration, by the mean
over seeds. The best run of the best candidate and its checkpoint are named, for predict --run. Runs
that are not done are left out. valid_ll is the best validation of each run. The other measures are
from eval.json, which evaluate: true writes; to choose by them is to choose by test data.`,
		Example: `  acqnp sweep best plan.yaml
  acqnp sweep best plan.yaml --by crps --json`,
		Args: cobra.ExactArgs(1),
		RunE: a.run(func(cmd *cobra.Command) error { return runSweepBest(a, cmd.Flags().Arg(0), by) }),
	}
	cmd.Flags().StringVar(&by, "by", plan.ByValidLL, "`MEASURE` to compare by: "+strings.Join(names, ", "))
	must(cmd.RegisterFlagCompletionFunc("by", cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp)))
	return cmd
}

// bestSummary is the result of sweep best.
type bestSummary struct {
	By       string          `json:"by"`
	Rankings []sweep.Ranking `json:"configurations"`
}

func runSweepBest(a *app, file, by string) error {
	p, err := plan.Load(file, os.Environ)
	if err != nil {
		return err
	}
	s := bestSummary{By: by}
	if s.Rankings, err = sweep.Rank(p, by); err != nil {
		return err
	}
	return a.result(s, func(w io.Writer) error {
		for _, r := range s.Rankings {
			if err := r.Print(w, by); err != nil {
				return err
			}
		}
		return nil
	})
}
