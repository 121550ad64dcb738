package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/acqnp/acqnp/internal/files"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/run"
	"github.com/acqnp/acqnp/internal/sweep"
	"github.com/acqnp/acqnp/internal/sweep/plan"
	"github.com/acqnp/acqnp/internal/sweep/submit"
)

type submitOptions struct {
	plan          string
	slurm         bool
	perJob, limit int
	program       string
	kubernetes    bool
	cluster       submit.Kubernetes
	dryRun        bool
	flags         []string // of the scheduler's client
}

func newSweepSubmit(a *app) *cobra.Command {
	var o submitOptions
	cmd := &cobra.Command{
		Use:   "submit PLAN [-- SBATCH_FLAG…]",
		Short: "Hand the runs of a plan to a cluster",
		Long: `Hand the runs of a plan to a cluster's scheduler.

With --slurm, sbatch gets a job array. Each element trains --per-job runs by acqnp sweep run. Two
minutes before its time ends, Slurm sends SIGTERM; acqnp writes checkpoints and exits with 130, and
the element requeues itself. Flags of sbatch follow --, such as the time limit, and override those of
the script. The logs are in the folder slurm of the plan's runs. Submit again after failures: only
elements with runs that are not done start, and none for a run that diverged.

With --kubernetes, kubectl gets a ConfigMap with the plan and its configurations, and an Indexed Job
whose pods train --per-job runs by acqnp sweep run. Data and runs are on a claim. A pod that is
stopped is replaced and goes on. The environment does not reach the pods. The Job's name follows from
the plan's files. To submit the plan again, delete the Job first; the runs stay.`,
		Example: `  acqnp sweep submit plan.yaml --slurm --dry-run
  acqnp sweep submit plan.yaml --slurm --per-job 8 --limit 20 -- --time=4:00:00 --gpus=1
  acqnp sweep submit plan.yaml --slurm --program 'apptainer run --nv acqnp.sif'
  acqnp sweep submit plan.yaml --kubernetes --image registry.example.org/acqnp-cuda:1 --queue gpus --limit 20
  acqnp sweep submit plan.yaml --kubernetes --dry-run > job.yaml`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dash := cmd.ArgsLenAtDash()
			if dash < 0 {
				dash = len(args)
			}
			if dash != 1 {
				return fmt.Errorf("found %d arguments before --, expected one plan", dash)
			}
			o.plan, o.flags = args[0], args[1:]
			return a.run(func(cmd *cobra.Command) error { return runSweepSubmit(cmd.Context(), a, o) })(cmd, nil)
		},
		ValidArgsFunction: completePlan,
	}
	f := cmd.Flags()
	f.BoolVar(&o.slurm, "slurm", false, "submit a job array to Slurm")
	f.IntVar(&o.perJob, "per-job", 1, "`NUMBER` of runs in a job")
	f.IntVar(&o.limit, "limit", 0, "`NUMBER` of jobs at a time; 0 for as many as the cluster starts")
	f.StringVar(&o.program, "program", "", "shell `WORDS` that start acqnp on a node (default the path of this program)")
	f.BoolVar(&o.dryRun, "dry-run", false, "print what would be submitted, and submit nothing")
	o.addKubernetesFlags(cmd)
	cmd.MarkFlagsOneRequired("slurm", "kubernetes")
	cmd.MarkFlagsMutuallyExclusive("slurm", "kubernetes")
	return cmd
}

// submission is the result of sweep submit.
type submission struct {
	Runs     int    `json:"runs"`               // submitted
	Done     int    `json:"done"`               // not submitted, because they are done
	Diverged int    `json:"diverged,omitempty"` // not submitted, because they would diverge again
	Script   string `json:"script,omitempty"`   // with --dry-run
	Answer   string `json:"answer,omitempty"`   // of the scheduler
	Logs     string `json:"logs,omitempty"`     // the folder of the jobs' output
}

func (s submission) print(w io.Writer) (err error) {
	switch {
	case s.Runs == 0 && s.Diverged > 0:
		_, err = fmt.Fprintf(w, "nothing to submit: %d runs are done, %d diverged and would again\n", s.Done, s.Diverged)
	case s.Runs == 0:
		_, err = fmt.Fprintf(w, "nothing to submit: all %d runs are done\n", s.Done)
	case s.Script != "":
		_, err = io.WriteString(w, s.Script)
	default:
		diverged := ""
		if s.Diverged > 0 {
			diverged = fmt.Sprintf(", %d diverged and would again", s.Diverged)
		}
		_, err = fmt.Fprintf(w, "%s: %s, %d are done%s; logs in %s\n", s.Answer, invalid.Plural(s.Runs, "run", "runs"), s.Done, diverged, s.Logs)
	}
	return err
}

func runSweepSubmit(ctx context.Context, a *app, o submitOptions) error {
	const most = 1 << 20
	if err := errors.Join(checkRange("--per-job", o.perJob, 1, most), checkRange("--limit", o.limit, 0, most)); err != nil {
		return err
	}
	env := os.Environ
	if o.kubernetes {
		env = nil // it does not reach the pods
	}
	p, err := plan.Load(o.plan, env)
	if err != nil {
		return err
	}
	if err := p.CheckArray(); err != nil {
		return err
	}
	if o.kubernetes {
		return submitKubernetes(ctx, a, o, p)
	}
	status, err := sweep.NewViewer(p).Look(ctx)
	if err != nil {
		return err
	}
	var open []int
	var s submission
	for _, r := range status.Runs {
		switch {
		case r.Open():
			open = append(open, r.Index)
		case r.Phase == run.Done:
			s.Done++
		default:
			s.Diverged++
		}
	}
	s.Runs = len(open)
	if len(open) == 0 {
		return a.result(s, s.print)
	}
	return submitSlurm(ctx, a, o, p, open, s)
}

// submitSlurm submits the open runs of a plan as a job array.
func submitSlurm(ctx context.Context, a *app, o submitOptions, p *plan.Plan, open []int, s submission) error {
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	array := submit.Slurm{PerJob: o.perJob, Limit: o.limit, Program: o.program, Dir: dir, Environ: os.Environ(), Flags: o.flags}
	if array.Program == "" {
		if array.Program, err = submit.ThisProgram(); err != nil {
			return err
		}
	}
	if array.MaxElements, err = submit.MaxArraySize(ctx); err != nil {
		if !o.dryRun {
			return err
		}
		array.MaxElements = submit.DefaultMaxElements
	}
	if array.Fit(len(p.Runs)) {
		a.progress().Warn(fmt.Sprintf("an array of this cluster has at most %d elements: each gets %d runs", array.MaxElements, array.PerJob))
	}
	script, err := array.Script(p, open)
	if err != nil {
		return err
	}
	if o.dryRun {
		s.Script = script
		return a.result(s, s.print)
	}
	s.Logs = array.Logs(p)
	if err := os.MkdirAll(s.Logs, 0o777); err != nil {
		return &invalid.Input{File: s.Logs, Found: files.Reason(err), Expected: "a folder for the logs", Cause: err}
	}
	if s.Answer, err = submit.Sbatch(ctx, script); err != nil {
		return err
	}
	return a.result(s, s.print)
}
