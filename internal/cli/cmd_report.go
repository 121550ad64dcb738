package cli

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/acqnp/acqnp/internal/cli/output"
	"github.com/acqnp/acqnp/internal/files"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/likelihood/score"
	"github.com/acqnp/acqnp/internal/report/figures"
	"github.com/acqnp/acqnp/internal/report/tables"
)

type reportOptions struct {
	format string
	out    string
}

var _ = command(manyRuns, 2, newReport)

func newReport(a *app) *cobra.Command {
	var o reportOptions
	cmd := &cobra.Command{
		Use:   "report RUNS_DIR",
		Short: "Compare many runs with each other and with the paper's results",
		Long: `Read every eval.json below RUNS_DIR and write tables with a row for each variant of a model. Runs that
differ in their settings, as those of a grid, have rows of their own, named by these settings:
ACQNP, learning_rate=0.001. A row has the mean ± standard deviation over runs with different seeds:
log density, CRPS and coverage, in the units of the data. For a single run, ± is its standard error.
Of your own data, the worst and best groups follow. Rows of the paper's benchmarks also have the
log-likelihoods beside the paper's, with the difference in units of the combined error. Notes state
how a run differs from the paper's, for example in its training steps. An eval.json that cannot be
read is left out with a warning. Two evaluations of the same settings and seed are an error. The HTML
page needs no other file. It draws the calibration of the first run of each row.`,
		Example: `  acqnp report runs
  acqnp report runs --format html --out report.html
  acqnp report runs/lissajous --format csv | column -s, -t`,
		Args: cobra.ExactArgs(1),
		RunE: a.run(func(cmd *cobra.Command) error { return runReport(a, cmd.Flags().Arg(0), o) }),
	}
	f := cmd.Flags()
	names := tables.FormatNames()
	f.StringVar(&o.format, "format", "", "`FORMAT`: "+strings.Join(names, ", ")+" (default by the ending of --out, markdown without one)")
	f.StringVarP(&o.out, "out", "o", "", "`FILE` for the report (default standard output)")
	a.addOverwrite(cmd)
	must(cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp)))
	return cmd
}

func runReport(a *app, dir string, o reportOptions) error {
	format, err := tables.FindFormat(o.format, o.out)
	if err != nil {
		return err
	}
	p := a.progress()
	runs, err := tables.Gather(dir, func(err error) { p.Warn(fmt.Sprintf("left out: %v", err)) })
	if err != nil {
		return err
	}
	if err := a.checkOutputs([]output.File{{Flag: "--out", Path: o.out}}, evaluationFiles(runs)...); err != nil {
		return err
	}
	s, err := tables.Summarize(runs)
	if err != nil {
		return err
	}
	if format.Pictures {
		if err := s.Draw(calibration); err != nil {
			return err
		}
	}
	var b bytes.Buffer
	if o.out != "" || !a.json {
		if err := format.Write(s, &b); err != nil {
			return err
		}
	}
	if o.out != "" {
		if err := files.WriteBytes(o.out, b.Bytes()); err != nil {
			return err
		}
		b.Reset()
		fmt.Fprintf(&b, "%s: %s\n", o.out, invalid.Plural(len(runs), "run", "runs"))
	}
	return a.result(s, func(w io.Writer) error {
		_, err := w.Write(b.Bytes())
		return err
	})
}

// calibration draws the scores of a run.
func calibration(means score.Means, groups []score.Group) ([]tables.Drawing, error) {
	return figures.Calibration{Means: means, Groups: groups}.Pictures()
}

// evaluationFiles returns the paths of the eval.json files in the report.
func evaluationFiles(runs []tables.Run) []string {
	var files []string
	for _, r := range runs {
		files = append(files, r.Path)
	}
	return files
}
