package cli

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/acqnp/acqnp/internal/progress"
	"github.com/acqnp/acqnp/internal/sweep"
	"github.com/acqnp/acqnp/internal/sweep/plan"
)

// lookEvery is how often sweep status --watch looks at the runs.
const lookEvery = 2 * time.Second

func newSweepStatus(a *app) *cobra.Command {
	watch := false
	cmd := &cobra.Command{
		Use:   "status PLAN",
		Short: "Show how far the runs of a plan have come",
		Long: `Show how many runs of a plan are done, running, waiting, stopped or failed, which run where, why runs
failed, and about how long the rest takes at the rates measured so far. It leaves the runs as they are,
and works on any machine that sees them. --json has every run.

With --watch, a terminal shows the state until all runs are done or failed; a log gets a line when
something has changed.`,
		Example: `  acqnp sweep status plan.yaml
  acqnp sweep status plan.yaml --watch
  acqnp sweep status plan.yaml --json`,
		Args: cobra.ExactArgs(1),
		RunE: a.onPlan(func(ctx context.Context, p *plan.Plan) error { return runSweepStatus(ctx, a, p, watch) }),
	}
	cmd.Flags().BoolVar(&watch, "watch", false, "go on until all runs are done or failed")
	return cmd
}

func runSweepStatus(ctx context.Context, a *app, p *plan.Plan, watch bool) error {
	viewer := sweep.NewViewer(p)
	if !watch {
		viewer.Note = func(line string) { a.progress().Note(line) }
		s, err := viewer.Look(ctx)
		if err != nil {
			return err
		}
		return a.result(s, s.Print)
	}
	screen := progress.NewScreen(a.Out)
	for {
		s, err := viewer.Look(ctx)
		if err == nil {
			err = a.showStatus(screen, s)
		}
		if err != nil || s.Over() {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(lookEvery):
		}
	}
}

// showStatus shows what a look has found. Under --json it is a line.
func (a *app) showStatus(screen *progress.Screen, s sweep.Status) error {
	if a.json {
		return a.result(s, nil)
	}
	var text strings.Builder
	if err := s.Print(&text); err != nil {
		return err
	}
	return screen.Show(s.Line(), text.String())
}
