package cli

import (
	"context"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/acqnp/acqnp/internal/cli/output"
	"github.com/acqnp/acqnp/internal/fit/answer"
	"github.com/acqnp/acqnp/internal/fit/effects"
	"github.com/acqnp/acqnp/internal/fit/file"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/report/figures"
)

type effectsOptions struct {
	run, out string
	threads  int
}

func newPlotEffects(a *app) *cobra.Command {
	var o effectsOptions
	cmd := &cobra.Command{
		Use:   "effects RUN [--out FILE]",
		Short: "Draw what each column of a fit does, and print how much it matters",
		Long: `RUN is a directory of acqnp fit. The table says how many nats of log density predictions of a target lose
if the values of a column are shuffled. They are those of models that have not seen the target's group,
from no known points to many, as in the scores that fit prints. The column of groups stands for its known
points: what is lost without them.

The picture has a panel for each column, the one that matters most first: the effect with its error, and the
intervals of 50 and 90% of a new group's outcome along the column, averaged over 32 rows of the data in which
the column alone is changed. --json has these numbers too. It takes no longer than the fit, but for whole numbers that depend on several columns. docs/reference/predictions.md says what they mean.`,
		Example: `  acqnp plot effects prices.fit --out effects.png
  acqnp plot effects prices.fit --json > effects.json`,
		Args: runArgument,
		RunE: a.run(func(cmd *cobra.Command) error { return runEffects(cmd.Context(), a, &o) }),
	}
	f := cmd.Flags()
	f.StringVar(&o.run, "run", "", "run `DIR`")
	f.StringVarP(&o.out, "out", "o", "", "`FILE` for the figure (.png, .svg or .pdf)")
	f.IntVar(&o.threads, "threads", 0, "`NUMBER` of CPU threads; 0 for all cores")
	a.addOverwrite(cmd)
	must(cmd.MarkFlagRequired("run"))
	return cmd
}

func runEffects(ctx context.Context, a *app, o *effectsOptions) error {
	if err := checkCPU(o.threads); err != nil {
		return err
	}
	if o.out != "" {
		if _, err := figures.PlotFormat(o.out); err != nil {
			return err
		}
	}
	if !file.Is(o.run) {
		return &invalid.Input{File: "RUN", Found: o.run, Expected: "a directory of acqnp fit: effects are those of columns of a fit"}
	}
	if err := a.checkOutputs([]output.File{{Flag: "--out", Path: o.out}}, filepath.Join(o.run, file.Name)); err != nil {
		return err
	}
	f, err := answer.Read(o.run)
	if err != nil {
		return err
	}
	if len(effects.Columns(f.Fit)) == 0 {
		return &invalid.Input{File: o.run, Key: "formula", Found: f.Formula + ", without a column of x", Expected: "a fit with columns whose effects there are"}
	}
	if f.Kept.Groups == nil {
		return &invalid.Input{File: o.run, Found: "a fit without rows of its data", Expected: "one without --no-rows: effects are averaged over rows"}
	}
	effects.Warn(f, &a.warnings)
	s := effectsSummary{Run: o.run, Out: o.out, Unit: f.Unit()}
	a.warn() // before the work
	threads := (&settings{threads: o.threads}).cores()
	importance, err := effects.Importances(ctx, f, threads, a.progress())
	if err != nil {
		return err
	}
	along, err := effects.Along(ctx, f, threads)
	if err != nil {
		return err
	}
	for c, one := range importance {
		s.Targets = append(s.Targets, targetOf(f, c, one, along[c]))
	}
	if o.out != "" {
		figure := figures.Effects{Fit: f}
		for _, t := range s.Targets {
			figure.Panels = append(figure.Panels, t.panels)
		}
		if err := figure.Save(o.out, &a.warnings); err != nil {
			return err
		}
	}
	s.Warnings = a.warn()
	return a.result(s, s.print)
}
