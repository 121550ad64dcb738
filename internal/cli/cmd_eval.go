package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/acqnp/acqnp/internal/cli/output"
	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/run"
	"github.com/acqnp/acqnp/internal/run/version"
)

type evalOptions struct {
	settings
	modelFlags
	levelFlags
	batchFlags
	tasks  string
	out    string
	joint  int
	orders int
}

var _ = command(thePaper, 2, newEval)

func newEval(a *app) *cobra.Command {
	var o evalOptions
	cmd := &cobra.Command{
		Use:   "eval (--run DIR | --config FILE --weights FILE)",
		Short: "Measure the log-likelihood of a trained model",
		Long: `Measure the log-likelihood of context and target points under a trained model: the mean over
evaluation batches and its standard error. What no flag sets comes from the configuration. The paper's
5000 batches take long on a CPU. The result is printed and written to eval.json in the run directory, or
to --out. It has the CRPS and other scores of some of the targets too, in the units of the data. A
warning follows if the quantile levels of an ACQNP with a plain adaptor coincide.

--joint M adds the joint log-likelihood of the first M targets of each group, divided by M: each is
scored with those before it in the context. The density of a group is the mean over --orders random
orders of them.`,
		Example: `  acqnp eval --run runs/lissajous/acqnp/seed-0 --batches 100
  acqnp eval --run runs/lissajous/acqnp/seed-0 --batches 100 --joint 16 --orders 8
  acqnp eval --run runs/lissajous/acqnp/seed-0 --tasks tasks.safetensors --checkpoint 50000 --out eval-50000.json
  acqnp eval --config configs/lissajous/acqnp.yaml --weights weights.safetensors --batches 100`,
		Args: cobra.NoArgs,
		RunE: a.run(func(cmd *cobra.Command) error { return runEval(cmd.Context(), a, o) }),
	}
	o.settings.addFlags(a, cmd)
	o.modelFlags.addFlags(cmd)
	o.levelFlags.addFlags(cmd, "point")
	o.addSpacing(cmd, predict.RandomLevels)
	o.batchFlags.addFlags(cmd)
	f := cmd.Flags()
	f.StringVar(&o.tasks, "tasks", "", "tasks `FILE` to evaluate on, as acqnp data generate writes it")
	f.StringVarP(&o.out, "out", "o", "", "`FILE` for the result, JSON (default eval.json in the run directory)")
	f.IntVar(&o.joint, "joint", 0, "add the joint log-likelihood of the first `NUMBER` of targets of each group")
	f.IntVar(&o.orders, "orders", 1, "`NUMBER` of random orders of these targets")
	a.addOverwrite(cmd)
	return cmd
}

func runEval(ctx context.Context, a *app, o evalOptions) (err error) {
	ofRun := o.out == "" && o.Run != ""
	e, err := o.prepare()
	if err != nil {
		return err
	}
	p := a.progress()
	if ofRun { // two evaluations would write one eval.json
		release, held := run.Hold(o.Run, run.Evaluating, p.Warn)
		if held != nil {
			return held
		}
		defer func() { err = errors.Join(err, release()) }()
	}
	source, err := predict.OpenSource(e, o.dataDir, o.tasks, a.open)
	if err != nil {
		return err
	}
	defer source.End()
	source.Warn(&a.warnings)
	a.warn()
	source.SetThreads(o.threads)
	data := run.UnitsOf(e, source)
	m, err := o.Load(e, data, o.device, p.Warn)
	if err != nil {
		return err
	}
	if o.tasks == "" {
		if err := run.CheckData(o.Run, m.Units, data); err != nil {
			return err
		}
	}
	m = o.choose(m)
	o.announce(p)
	r, err := m.Evaluate(ctx, source, predict.EvalOptions{Batches: o.batches, Scored: true, Threads: o.cores(), Version: version.String(),
		JointTargets: o.joint, Orders: o.orders, Progress: p, Task: "eval"})
	if err != nil {
		return err
	}
	if old, err := run.ReadEval(o.out); ofRun && err == nil && old.Batches != r.Batches {
		p.Warn(fmt.Sprintf("%s: replaces an evaluation of %s; --out keeps both", o.out, invalid.Plural(old.Batches, "batch", "batches")))
	}
	printed := a.result(r, r.Print) // first, so that the result is shown even if it cannot be written
	if o.out != "" {
		printed = errors.Join(r.Write(o.out), printed)
	}
	return errors.Join(printed, m.WarnOfCollapse(ctx, source, p.Warn))
}

// maxOrders is the largest number of --orders.
const maxOrders = 1024

// checkJoint checks --joint and --orders.
func (o *evalOptions) checkJoint() error {
	if !o.batchFlags.given("joint") {
		if !o.batchFlags.given("orders") {
			return nil
		}
		return &invalid.Input{File: "--orders", Found: "no --joint", Expected: "--joint, whose targets it orders"}
	}
	if err := checkRange("--joint", o.joint, 1, predict.MaxJointTargets); err != nil {
		return err
	}
	return checkRange("--orders", o.orders, 1, maxOrders)
}

// prepare checks the flags, opens the device and decides where the result goes. It returns the model's
// configuration with the flags applied.
func (o *evalOptions) prepare() (e config.Experiment, err error) {
	if err := firstError(o.openDevice, o.levelFlags.check, o.checkBatches, o.checkJoint); err != nil {
		return e, err
	}
	flags := func(e config.Experiment) []config.Flag {
		return append(o.levelFlags.overrides(e, &o.app.warnings), o.batchFlags.overrides()...)
	}
	if e, err = o.Experiment(flags); err != nil {
		return e, err
	}
	ofRun := o.out == "" && o.Run != ""
	if ofRun {
		o.out = filepath.Join(o.Run, run.EvalFile)
	}
	outputs := []output.File{{Flag: "--out", Path: o.out, Part: run.EvalFile, Overwrite: ofRun}}
	return e, o.app.checkOutputs(outputs, append(o.Files(e, o.dataDir), o.tasks)...)
}
