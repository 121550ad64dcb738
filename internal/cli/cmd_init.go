package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/acqnp/acqnp/internal/cli/output"
	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/files"
	"github.com/acqnp/acqnp/internal/fit/draft"
	"github.com/acqnp/acqnp/internal/invalid"
)

type initOptions struct {
	draft.Options
	out string
}

func newInit(a *app) *cobra.Command {
	var o initOptions
	cmd := &cobra.Command{
		Use:   "init --csv FILE|DIR --x COL[,COL] --y COL[,COL]",
		Short: "Write a configuration for your own CSV files",
		Long: `Look at your own data, print what was found, and write a complete configuration that train runs as it
is. --csv is a CSV file with a header, or a directory of files with the same header. --x and --y name
the columns of x and y, --group the column that names the group of a row. Without --group
each file is one group.

A few models are trained on a part of the data for a short time and compared on the rest, for log
densities in your units. The best is written. The table of the trials is printed, and is a comment in the
configuration. If the data are few, all of them train an ensemble of up to five networks
(train.ensemble_size). --budget is counted in operations, not by a clock: equal files and seeds
give equal configurations on every machine.`,
		Example: `  acqnp init --csv prices.csv --group product --x age --y price --out prices.yaml
  acqnp init --csv melbourne.csv --x yesterday --y today --model cqnp
  acqnp train --config config.yaml`,
		Args: cobra.NoArgs,
		RunE: a.run(func(cmd *cobra.Command) error { return runInit(cmd.Context(), a, o) }),
	}
	f := cmd.Flags()
	f.StringVar(&o.File, "csv", "", "CSV `FILE` or directory")
	f.StringSliceVar(&o.X, "x", nil, "`COLUMNS` of x, separated by commas")
	f.StringSliceVar(&o.Y, "y", nil, "`COLUMNS` of y, separated by commas")
	f.StringVar(&o.Function, "group", "", "`COLUMN` that names the group of a row")
	f.StringVarP(&o.out, "out", "o", "config.yaml", "`FILE` for the configuration")
	a.addOverwrite(cmd)
	f.StringVar(&o.Model, "model", "", "the only `MODEL` to try: acqnp, cqnp, cnp, canp or bnp")
	f.BoolVar(&o.Calibrate, "hold-back", false, "hold groups back for score --calibrate, 9 of 15 or more, 19 of 40 or more; nothing else uses them")
	f.Float64Var(&o.Budget, "budget", initBudget, "`SECONDS` of two ordinary cores for the trials; 0 tries nothing")
	f.Uint64Var(&o.Seed, "seed", 0, "`SEED` of what the command draws: initial weights, batches and levels (train.seed)")
	f.IntVar(&o.Threads, "threads", 0, "`NUMBER` of CPU threads; 0 for all cores")
	f.StringVar(&o.DataDir, "data-dir", "data", "`DIR` of the data sets")
	for _, name := range []string{"csv", "x", "y"} {
		must(cmd.MarkFlagRequired(name))
	}
	must(cmd.MarkFlagFilename("csv", "csv"))
	must(cmd.MarkFlagFilename("out", "yaml", "yml"))
	must(cmd.MarkFlagDirname("data-dir"))
	must(cmd.RegisterFlagCompletionFunc("model", cobra.FixedCompletions(config.Models(), cobra.ShellCompDirectiveNoFileComp)))
	return cmd
}

// initBudget is the budget of the trials where none is given, in seconds.
const initBudget = 60

// initSummary is the result of init.
type initSummary struct {
	Out string `json:"out"`
	draft.Result
}

func runInit(ctx context.Context, a *app, o initOptions) error {
	if err := o.check(a); err != nil {
		return err
	}
	o.Progress = a.progress()
	r, err := draft.Run(ctx, o.Options)
	if err != nil {
		return err
	}
	content, err := r.YAML([]string{"A configuration of acqnp init. Train it with", "  " + draft.Command(o.out)})
	if err != nil {
		return err
	}
	if err := files.WriteBytes(o.out, content); err != nil {
		return err
	}
	s := initSummary{Out: o.out, Result: r}
	return a.result(s, func(w io.Writer) error {
		if err := r.Print(w); err != nil {
			return err
		}
		_, err := fmt.Fprintf(w, "\nwrote %s; next: %s\n", o.out, draft.Command(o.out))
		return err
	})
}

// check checks the flags, and that --out can be written.
func (o *initOptions) check(a *app) error {
	if err := checkRange("--threads", o.Threads, 0, maxThreads); err != nil {
		return err
	}
	if !(o.Budget >= 0 && o.Budget <= maxBudget) {
		return &invalid.Input{File: "--budget", Found: fmt.Sprint(o.Budget), Expected: fmt.Sprintf("a number of seconds from 0 to %d", maxBudget)}
	}
	if o.Model != "" && !slices.Contains(config.Models(), o.Model) {
		return &invalid.Input{File: "--model", Found: strconv.Quote(o.Model), Expected: "one of " + strings.Join(config.Models(), ", ")}
	}
	o.Threads = (&settings{threads: o.Threads}).cores()
	return a.checkOutputs([]output.File{{Flag: "--out", Path: o.out}}, o.File)
}

// maxBudget keeps a typing error from starting a search of years.
const maxBudget = 1_000_000
