package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/acqnp/acqnp/internal/engine/device"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/progress"
	"github.com/acqnp/acqnp/internal/sweep"
	"github.com/acqnp/acqnp/internal/sweep/plan"
)

type sweepRunOptions struct {
	settings
	jobs    int
	indices numberList
}

func newSweepRun(a *app) *cobra.Command {
	var o sweepRunOptions
	cmd := &cobra.Command{
		Use:   "run PLAN",
		Short: "Train the runs of a plan on this machine",
		Long: `Train the runs of a plan that are not done, each in a process of its own, and evaluate them if the
plan says evaluate: true. Start the command again after an interruption or a crash: every run goes on
from its last checkpoint, and the results are those of runs trained one after another.

Without --jobs, a CPU trains a run on each thread, as far as they fit into the memory. On GPUs, as
many runs as there are GPUs, or instances of MIG in CUDA_VISIBLE_DEVICES, are trained at a time, each
on its own; --jobs puts several on each.

A run that fails does not stop the others. A run that was killed, or stopped by a full disk, is started
again, up to three times in a row without progress. After a wrong configuration or a divergence it is
not, as it would fail again. Failures are listed at the end and in the run's error.json; the
exit code is then 1. Several calls may share a plan and a file system: each run is trained once.

--indices trains a part of the plan, for the arrays of schedulers.`,
		Example: `  acqnp sweep run sweeps/quick.yaml
  acqnp sweep run sweeps/paper.yaml --jobs 8 --device cuda
  acqnp sweep run sweeps/paper.yaml --indices 16..23`,
		Args: cobra.ExactArgs(1),
		RunE: a.onPlan(func(ctx context.Context, p *plan.Plan) error { return runSweep(ctx, a, p, o) }),
	}
	o.addFlags(a, cmd)
	f := cmd.Flags()
	f.IntVar(&o.jobs, "jobs", 0, "`NUMBER` of runs at a time; 0 for one on each thread or GPU")
	f.Var(&o.indices, "indices", "`LIST` of the runs to train, counted from 0: 16..23 or 3")
	return cmd
}

func runSweep(ctx context.Context, a *app, p *plan.Plan, o sweepRunOptions) error {
	runs, err := o.part(p.Runs)
	if err != nil {
		return err
	}
	if len(runs) < len(p.Runs) {
		if err := p.CheckArray(); err != nil {
			return err
		}
	}
	if err := checkRange("--jobs", o.jobs, 0, maxThreads); err != nil {
		return err
	}
	if err := o.openDevice(); err != nil {
		return err
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	if !o.onCPU() { // the children need its memory
		a.opened = nil
		if err := o.device.Close(); err != nil {
			return err
		}
	}
	board := progress.NewBoard(a.Err, a.json, a.quiet)
	defer board.Close()
	board.Note(fmt.Sprintf("%s: %s of %d in %s", p.File, invalid.Plural(len(runs), "run", "runs"), len(p.Runs), p.Dir))
	s, err := sweep.Run(ctx, sweep.Options{Plan: p, Runs: runs, Program: program, Flags: o.childFlags(), Share: o.share, Board: board})
	board.Close()
	if s.Runs == 0 {
		return err
	}
	return errors.Join(err, a.result(s, func(w io.Writer) error { return printSweep(w, s) }))
}

// part returns the runs that --indices asks for, in the order of the plan, or all.
func (o *sweepRunOptions) part(runs []plan.Run) (part []plan.Run, err error) {
	if !o.indices.given {
		return runs, nil
	}
	for _, i := range slices.Sorted(slices.Values(o.indices.numbers)) {
		if i >= len(runs) {
			return nil, &invalid.Input{File: "--indices", Found: strconv.Quote(o.indices.String()),
				Expected: fmt.Sprintf("indices of the plan's runs, 0 to %d", len(runs)-1)}
		}
		part = append(part, runs[i])
	}
	return part, nil
}

func (o *sweepRunOptions) onCPU() bool { return o.device.Kernels() != "" }

// childFlags returns the flags of this command that children get too.
func (o *sweepRunOptions) childFlags() []string {
	flags := []string{"--data-dir", o.dataDir, "--precision", o.precision}
	if o.onCPU() { // also where auto has chosen it
		flags = append(flags, "--device", "cpu")
	}
	return flags
}

// share returns how many runs are trained at a time.
func (o *sweepRunOptions) share(runs []plan.Run) (sweep.Jobs, error) {
	if !o.onCPU() {
		gpus, visible := o.gpus()
		jobs := sweep.Share(cmp.Or(o.jobs, max(len(gpus), len(visible))), o.cores(), len(runs))
		jobs.Devices, jobs.Visible = gpus, visible
		return jobs, nil
	}
	atOnce := o.jobs
	if atOnce == 0 {
		var err error
		if atOnce, err = sweep.Fitting(runs, o.dataDir, min(o.cores(), len(runs))); err != nil {
			return sweep.Jobs{}, err
		}
	}
	return sweep.Share(atOnce, o.cores(), len(runs)), nil
}

// gpus returns the GPUs that runs take in turn: the one of --device cuda:N, or all. Of instances of GPUs each
// run sees its own, the first of visible.
func (o *sweepRunOptions) gpus() (all, visible []string) {
	if strings.Contains(o.choice, ":") {
		return []string{o.choice}, nil
	}
	all = []string{"cuda:0"}
	if visible = device.Instances(); visible != nil {
		return all, visible
	}
	for i := 1; i < device.ThisMachine("").Visible(); i++ {
		all = append(all, "cuda:"+strconv.Itoa(i))
	}
	return all, nil
}

func printSweep(w io.Writer, s sweep.Summary) error {
	dropped := ""
	if s.Dropped > 0 {
		dropped = fmt.Sprintf(", %d dropped by halving", s.Dropped)
	}
	fmt.Fprintf(w, "%d of %s done%s, %d trained in %.1f s\n", s.Done, invalid.Plural(s.Runs, "run", "runs"), dropped, s.Trained, s.Seconds)
	for _, f := range s.Failed {
		fmt.Fprintf(w, "failed: %d %s: %s\n", f.Index, f.Dir, f.Message)
	}
	return nil
}
