package cli

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/acqnp/acqnp/internal/benchmark"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/input"
)

func newData(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "data",
		Short: "List, check and download the benchmarks' data, and generate evaluation tasks",
		Example: `  acqnp data list
  acqnp data check --data-dir data
  acqnp data fetch mnist
  acqnp data generate --config configs/lissajous/acqnp.yaml --out tasks.safetensors --batches 100`,
		Args: cobra.ArbitraryArgs,
		RunE: runGroup,
	}
	cmd.AddCommand(newDataList(a), newDataCheck(a), newDataFetch(a), newDataGenerate(a), newDataExample(a))
	return cmd
}

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
	for _, b := range benchmark.All() {
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

type dataCheckOptions struct {
	settings
	names []string
}

func newDataCheck(a *app) *cobra.Command {
	var o dataCheckOptions
	cmd := &cobra.Command{
		Use:   "check [BENCHMARK...]",
		Short: "Check that the benchmarks' files are there and can be read",
		Long: `Read the files of every benchmark, or of those named, and say what is there and how to get what is missing.
A benchmark that is named and not ready makes the exit status 2.`,
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
		if all, err = named(all, o.names); err != nil {
			return err
		}
		for _, s := range all {
			if !s.Ready {
				return &input.Error{File: s.Benchmark, Found: s.Detail, Expected: "the data set (" + s.Help + ")"}
			}
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

// named picks data sets by name, in the order asked.
func named(all []datasets.Status, names []string) ([]datasets.Status, error) {
	var known []string
	by := map[string]datasets.Status{}
	for _, s := range all {
		by[s.Benchmark] = s
		known = append(known, s.Benchmark)
	}
	var picked []datasets.Status
	for _, name := range names {
		s, ok := by[name]
		if !ok {
			return nil, &input.Error{File: "data check", Found: strconv.Quote(name), Expected: "one of " + strings.Join(known, ", ")}
		}
		picked = append(picked, s)
	}
	return picked, nil
}
