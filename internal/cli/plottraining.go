package cli

import (
	"github.com/spf13/cobra"

	"github.com/acqnp/acqnp/internal/figures"
	"github.com/acqnp/acqnp/internal/run"
)

func newPlotTraining(a *app) *cobra.Command {
	var o figureFlags
	cmd := &cobra.Command{
		Use:   "training --run DIR… --out FILE",
		Short: "Draw the course of training",
		Long: `Draw the loss of one or more runs by step, smoothed over the raw one, and the learning rate where it changes. A run
that is still under way can be drawn too.`,
		Example: `  acqnp plot training --run runs/lissajous/acqnp/seed-0 --run runs/lissajous/cqnp/seed-0 --out training.png`,
		Args:    cobra.NoArgs,
		RunE:    a.run(func(*cobra.Command) error { return runPlotTraining(a, &o) }),
	}
	o.addFlags(cmd, false)
	return cmd
}

func runPlotTraining(a *app, o *figureFlags) error {
	if err := o.check(); err != nil {
		return err
	}
	var runs []figureRun
	figure := figures.Training{}
	for _, dir := range o.runs {
		r, err := run.Open(dir)
		if err != nil {
			return err
		}
		if err := a.checkOutputs(o.outputs(), run.Files(dir)...); err != nil {
			return err
		}
		metrics, err := r.Metrics()
		if err != nil {
			return err
		}
		runs = append(runs, figureRun{dir: dir, e: r.Experiment})
		figure.Runs = append(figure.Runs, figures.TrainingRun{Metrics: metrics})
	}
	labelRuns(runs)
	figure.Title = "training on " + runs[0].e.Benchmark
	for i, r := range runs {
		figure.Runs[i].Name = r.label
		if r.e.Benchmark != runs[0].e.Benchmark {
			figure.Title = "training"
		}
	}
	if figure.Title == "training" {
		for i, r := range runs {
			figure.Runs[i].Name = r.label + " on " + r.e.Benchmark
		}
	}
	if err := figure.Save(o.out); err != nil {
		return err
	}
	return o.summary(a)
}
