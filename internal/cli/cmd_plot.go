package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/acqnp/acqnp/internal/cli/output"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/report/figures"
	"github.com/acqnp/acqnp/internal/run"
)

var _ = command(thePaper, 3, newPlot)

func newPlot(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "plot",
		Short: "Draw what trained models predict, and how they were trained",
		Long: `Draw figures as PNG, SVG or PDF: what trained models predict, and the loss by step. Several runs are
drawn side by side. Of a fit, effects draws what each column does.`,
		Example: `  acqnp plot fit --run runs/lissajous/acqnp/seed-0 --run runs/lissajous/cqnp/seed-0 --out fit.png
  acqnp plot training --run runs/lissajous/acqnp/seed-0 --out training.pdf`,
		Args: cobra.ArbitraryArgs,
		RunE: runGroup,
	}
	cmd.AddCommand(newPlotFit(a), newPlotTraining(a), newPlotEffects(a))
	return cmd
}

// figureFlags name the runs that a figure shows, and the file.
type figureFlags struct {
	runs []string
	out  string
}

func (f *figureFlags) addFlags(a *app, cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.runs, "run", nil, "run `DIR`, repeatable")
	cmd.Flags().StringVarP(&f.out, "out", "o", "", "`FILE` for the figure (.png, .svg or .pdf)")
	a.addOverwrite(cmd)
	must(cmd.MarkFlagRequired("run"))
	must(cmd.MarkFlagRequired("out"))
}

// maxRuns is the largest number of runs in a figure, a panel each.
const maxRuns = 12

func (f *figureFlags) check() error {
	if _, err := figures.PlotFormat(f.out); err != nil {
		return err
	}
	return checkRange("runs given with --run", len(f.runs), 1, maxRuns)
}

func (f *figureFlags) outputs() []output.File {
	return []output.File{{Flag: "--out", Path: f.out, Part: run.FitFile}}
}

// figureSummary is the result of plot.
type figureSummary struct {
	Out      string   `json:"out"`
	Runs     []string `json:"runs"`
	Warnings []string `json:"warnings"`
}

// save writes the figure and prints its path.
func (f *figureFlags) save(a *app, figure figures.Figure) error {
	if err := figure.Save(f.out, &a.warnings); err != nil {
		return err
	}
	s := figureSummary{Out: f.out, Runs: f.runs, Warnings: a.warn()}
	return a.result(s, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%s: %s\n", s.Out, invalid.Plural(len(s.Runs), "run", "runs"))
		return err
	})
}
