package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/acqnp/acqnp/internal/cli/output"
	"github.com/acqnp/acqnp/internal/datasets/prior"
	"github.com/acqnp/acqnp/internal/random"
	"github.com/acqnp/acqnp/internal/report/figures"
)

// priorFigure holds the flags of plot prior.
type priorFigure struct {
	out  string
	seed uint64
}

// Data sets of the figure, and rows of each.
const (
	priorSets = 20
	priorRows = 300
)

func newPlotPrior(a *app) *cobra.Command {
	var o priorFigure
	cmd := &cobra.Command{
		Use:   "prior --out FILE",
		Short: "Draw invented data sets",
		Long: `Draw twenty of the invented data sets from which a network learns to read real ones: y by the first
column that varies within groups, for up to eight groups of each. A set without such a column shows
its groups side by side; in a set without groups each row is a dot. Another --seed draws others.`,
		Example: `  acqnp plot prior --out prior.png
  acqnp plot prior --seed 7 --out prior.svg`,
		Args: cobra.NoArgs,
		RunE: a.run(func(*cobra.Command) error { return runPlotPrior(a, &o) }),
	}
	cmd.Flags().StringVarP(&o.out, "out", "o", "", "`FILE` for the figure (.png, .svg or .pdf)")
	cmd.Flags().Uint64Var(&o.seed, "seed", 0, "`SEED` of what the command draws")
	a.addOverwrite(cmd)
	must(cmd.MarkFlagRequired("out"))
	must(cmd.MarkFlagFilename("out", "png", "svg", "pdf"))
	return cmd
}

func runPlotPrior(a *app, o *priorFigure) error {
	if _, err := figures.PlotFormat(o.out); err != nil {
		return err
	}
	if err := a.checkOutputs([]output.File{{Flag: "--out", Path: o.out}}); err != nil {
		return err
	}
	f := figures.DataSets{Title: fmt.Sprintf("Invented data sets, seed %d", o.seed)}
	g := random.New(o.seed, random.Data)
	for step := range uint64(priorSets) {
		f.Sets = append(f.Sets, prior.Draw(g, step, priorRows))
	}
	if err := f.Save(o.out); err != nil {
		return err
	}
	summary := struct {
		Out  string `json:"out"`
		Seed uint64 `json:"seed"`
		Sets int    `json:"sets"`
	}{o.out, o.seed, len(f.Sets)}
	return a.result(summary, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%s: %d data sets\n", o.out, len(f.Sets))
		return err
	})
}
