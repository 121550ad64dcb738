package cli

import (
	"github.com/spf13/cobra"

	"github.com/acqnp/acqnp/internal/cli/output"
	"github.com/acqnp/acqnp/internal/config/catalogue"
	"github.com/acqnp/acqnp/internal/datasets/own"
)

var _ = command(thePaper, 1, newData)

func newData(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "data",
		Short: "List, check and download data sets, and write evaluation tasks",
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
	var rows [][]string
	for _, b := range catalogue.All() {
		all = append(all, listedBenchmark{Name: b.Name, Description: b.Description})
		rows = append(rows, []string{b.Name, b.Description})
	}
	return a.table(all, rows)
}

// exampleSeed makes the file of the tutorials and of the recorded results.
const exampleSeed = 43

func newDataExample(a *app) *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "example --out FILE",
		Short: "Write a CSV file of prices to try acqnp with",
		Long: `Write made-up data: age and price in 80 second-hand sales of each of 60 products. Refurbished items sell
for more, so most ages have two typical prices. A few buyers pay much more than others. The file is the
same every time.`,
		Example: `  acqnp data example --out prices.csv
  acqnp fit prices.csv 'price ~ age | product'`,
		Args: cobra.NoArgs,
		RunE: a.run(func(*cobra.Command) error { return runDataExample(a, out) }),
	}
	f := cmd.Flags()
	f.StringVarP(&out, "out", "o", "", "`FILE` for the data (CSV)")
	a.addOverwrite(cmd)
	must(cmd.MarkFlagRequired("out"))
	return cmd
}

// exampleSummary is the result of data example.
type exampleSummary struct {
	Out    string `json:"out"`
	Groups int    `json:"groups"`
	Rows   int    `json:"rows"`
	Seed   uint64 `json:"seed"`
}

func runDataExample(a *app, out string) error {
	if err := a.checkOutputs([]output.File{{Flag: "--out", Path: out}}); err != nil {
		return err
	}
	products, rows, err := own.WriteExample(out, exampleSeed)
	if err != nil {
		return err
	}
	s := exampleSummary{Out: out, Groups: products, Rows: rows, Seed: exampleSeed}
	return a.line(s, "%s: %d rows, the prices of %d products by their age", out, rows, products)
}
