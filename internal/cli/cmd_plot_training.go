package cli

import (
	"github.com/spf13/cobra"

	"github.com/acqnp/acqnp/internal/report/figures"
	"github.com/acqnp/acqnp/internal/run"
)

func newPlotTraining(a *app) *cobra.Command {
	var o figureFlags
	cmd := &cobra.Command{
		Use:   "training --run DIR… --out FILE",
		Short: "Draw the loss by step",
		Long: `Draw the loss of runs by step, raw and smoothed, and the learning rate if it changes. The loss of a
run's validations is a dotted line with the best step marked. A run that is still being trained can be
drawn too.`,
		Example: `  acqnp plot training --run runs/lissajous/acqnp/seed-0 --run runs/lissajous/cqnp/seed-0 --out training.png`,
		Args:    cobra.NoArgs,
		RunE:    a.run(func(*cobra.Command) error { return runPlotTraining(a, &o) }),
	}
	o.addFlags(a, cmd)
	return cmd
}

func runPlotTraining(a *app, o *figureFlags) error {
	if err := o.check(); err != nil {
		return err
	}
	var runs []figures.TrainingRun
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
		runs = append(runs, figures.TrainingRun{Run: figures.Run{Dir: dir, Experiment: r.Experiment}, Metrics: metrics})
	}
	return o.save(a, figures.NewTraining(runs))
}
