package cli

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/acqnp/acqnp/internal/config/catalogue"
)

func newDataList(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the benchmarks",
		Example: "  acqnp data list\n  acqnp data list --json",
		Args:    cobra.NoArgs,
		RunE:    a.run(func(*cobra.Command) error { return runDataList(a) }),
	}
}

type listedBenchmark struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

func runDataList(a *app) error {
	var all []listedBenchmark
	for _, b := range catalogue.All() {
		all = append(all, listedBenchmark{Name: b.Name, Description: b.Description})
	}
	return a.result(all, func(w io.Writer) error {
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		for _, b := range all {
			fmt.Fprintf(t, "%s\t%s\n", b.Name, b.Description)
		}
		return t.Flush()
	})
}
