package cli

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/acqnp/acqnp/internal/cli/output"
	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets/own/draft"
	"github.com/acqnp/acqnp/internal/files"
	"github.com/acqnp/acqnp/internal/invalid"
)

type initOptions struct {
	draft.Options
	out string
}

var _ = command(ownData, 4, newInit)

func newInit(a *app) *cobra.Command {
	var o initOptions
	cmd := &cobra.Command{
		Use:   "init --csv FILE|DIR --x COL[,COL] --y COL[,COL]",
		Short: "Write a configuration for your own files of rows",
		Long: `Look at your own data, print what was found, and write a complete configuration that train runs as it
is. --csv is a CSV file with a header, or another form of table (docs/reference/files.md), or a directory
of files with the same header. --x and --y name the columns of x and y, --group the column that names the
group of a row. Without --group each file is one group.

Nothing is trained or compared: acqnp fit does that, and usually predicts better. The configuration is for
those who want to change the network and its training. The same files give the same configuration.`,
		Example: `  acqnp init --csv prices.csv --group product --x age --y price --out prices.yaml
  acqnp init --csv melbourne.csv --x yesterday --y today --model cqnp
  acqnp train --config config.yaml`,
		Args: cobra.NoArgs,
		RunE: a.run(func(*cobra.Command) error { return runInit(a, o) }),
	}
	f := cmd.Flags()
	f.StringVar(&o.File, "csv", "", "`FILE` of rows, CSV or another form, or a directory of them")
	f.StringSliceVar(&o.X, "x", nil, "`COLUMNS` of x, separated by commas")
	f.StringSliceVar(&o.Y, "y", nil, "`COLUMNS` of y, separated by commas")
	f.StringVar(&o.Group, "group", "", "`COLUMN` that names the group of a row")
	f.StringVarP(&o.out, "out", "o", "config.yaml", "`FILE` for the configuration")
	a.addOverwrite(cmd)
	f.StringVar(&o.Model, "model", "", "`MODEL`: acqnp, cqnp, cnp, canp or bnp (default acqnp for fewer than 30 groups,\nelse cnp with model.head gaussian-mixture)")
	f.BoolVar(&o.HoldBack, "hold-back", false, "hold groups back for score --calibrate, 9 of 15 or more, 19 of 40 or more; nothing else uses them")
	f.StringVar(&o.DataDir, "data-dir", "data", "`DIR` of the data sets")
	for _, name := range []string{"csv", "x", "y"} {
		must(cmd.MarkFlagRequired(name))
	}
	must(cmd.RegisterFlagCompletionFunc("model", cobra.FixedCompletions(config.Models(), cobra.ShellCompDirectiveNoFileComp)))
	return cmd
}

// initSummary is the result of init.
type initSummary struct {
	Out string `json:"out"`
	draft.Result
}

func runInit(a *app, o initOptions) error {
	if o.Model != "" && !slices.Contains(config.Models(), o.Model) {
		return &invalid.Input{File: "--model", Found: strconv.Quote(o.Model), Expected: "one of " + strings.Join(config.Models(), ", ")}
	}
	if err := a.checkOutputs([]output.File{{Flag: "--out", Path: o.out}}, o.File); err != nil {
		return err
	}
	r, err := draft.Run(o.Options)
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
		if err := r.Found.Print(w); err != nil {
			return err
		}
		_, err := fmt.Fprintf(w, "\nwrote %s; next: %s\n", o.out, draft.Command(o.out))
		return err
	})
}
