package cli

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/acqnp/acqnp/internal/datasets"
)

type dataCheckOptions struct {
	settings
	names []string
}

func newDataCheck(a *app) *cobra.Command {
	var o dataCheckOptions
	cmd := &cobra.Command{
		Use:   "check [BENCHMARK...]",
		Short: "Check that the files of the benchmarks are complete",
		Long: `Read the files of all benchmarks, or of the named ones, and show what is missing and how to get it.
The exit status is 2 if a named benchmark is not ready.`,
		Example: "  acqnp data check\n  acqnp data check speed-flow --data-dir /srv/data",
		RunE: func(cmd *cobra.Command, names []string) error {
			o.names = names
			return a.run(func(*cobra.Command) error { return runDataCheck(a, o) })(cmd, nil)
		},
	}
	o.addDataDir(cmd)
	return cmd
}

func runDataCheck(a *app, o dataCheckOptions) error {
	all := datasets.Check(o.dataDir)
	if len(o.names) > 0 {
		var err error
		if all, err = datasets.Ready(all, o.names); err != nil {
			return err
		}
	}
	return a.result(all, func(w io.Writer) error {
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		for _, s := range all {
			state := "ready"
			if !s.Ready {
				state = "missing"
			}
			fmt.Fprintf(t, "%s\t%s\t%s\n", s.Benchmark, state, s.Detail)
			if s.Help != "" {
				fmt.Fprintf(t, "\t\t%s\n", s.Help)
			}
		}
		return t.Flush()
	})
}
