package cli

import (
	"github.com/spf13/cobra"

	"github.com/acqnp/acqnp/internal/datasets/paper"
)

func newDataCheck(a *app) *cobra.Command {
	var o settings
	cmd := &cobra.Command{
		Use:   "check [BENCHMARK...]",
		Short: "Check that the files of the benchmarks are complete",
		Long: `Read the files of all benchmarks, or of the named ones, and show what is missing and how to get it.
The exit status is 2 if a named benchmark is not ready.
acqnp fit FILE shows the columns of your own data.`,
		Example: "  acqnp data check\n  acqnp data check speed-flow --data-dir /srv/data",
		RunE:    a.run(func(cmd *cobra.Command) error { return runDataCheck(a, o.dataDir, cmd.Flags().Args()) }),
	}
	o.addDataDir(cmd)
	return cmd
}

func runDataCheck(a *app, dataDir string, names []string) error {
	all := paper.Check(dataDir)
	if len(names) > 0 {
		var err error
		if all, err = paper.Ready(all, names); err != nil {
			return err
		}
	}
	var rows [][]string
	for _, s := range all {
		state := "ready"
		if !s.Ready {
			state = "missing"
		}
		rows = append(rows, []string{s.Benchmark, state, s.Detail})
		if s.Help != "" {
			rows = append(rows, []string{"", "", s.Help})
		}
	}
	return a.table(all, rows)
}
