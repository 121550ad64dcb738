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
	plan              string
	slurm, kubernetes bool
	perJob, limit     int
	program           string
	cluster           submit.Kubernetes
	flags             []string // of sbatch
}

func newSweepSubmit(a *app) *cobra.Command {
	var o submitOptions
	cmd := &cobra.Command{
		Use:   "submit PLAN [-- SBATCH_FLAG…]",
		Short: "Write the job of a cluster that trains a plan",
		Long: `Write what a cluster's scheduler reads to train the runs of a plan. It is for a pipe to sbatch or
kubectl; nothing is submitted without.

--slurm writes the script of a job array. Each element trains --per-job runs by acqnp sweep run. Two
minutes before its time ends, Slurm sends SIGTERM; acqnp writes checkpoints and exits with 130, and
the element requeues itself. Flags of sbatch follow --, such as the time limit, and override those of
the script. The logs are in the folder slurm of the plan's runs, which this command makes. Submit
again after failures: only elements with runs that are not done start, and none for a run that
diverged.

--kubernetes writes a ConfigMap with the plan and its configurations, and an Indexed Job whose pods
train --per-job runs by acqnp sweep run. Data and runs are on a claim. A pod that is stopped is
replaced and goes on. The environment does not reach the pods. The Job's name follows from the plan's
files. To submit the plan again, delete the Job first; the runs stay.`,
		Example: `  acqnp sweep submit plan.yaml --slurm --per-job 8 --limit 20 -- --time=4:00:00 --gpus=1 | sbatch
  acqnp sweep submit plan.yaml --slurm --program 'apptainer run --nv acqnp.sif' | sbatch
  acqnp sweep submit plan.yaml --kubernetes --image registry.example.org/acqnp-cuda:1 --limit 20 | kubectl apply --server-side -n lab -f -`,
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
	}
	f := cmd.Flags()
	f.BoolVar(&o.slurm, "slurm", false, "write a job array of Slurm")
	f.BoolVar(&o.kubernetes, "kubernetes", false, "write an Indexed Job of Kubernetes")
	f.IntVar(&o.perJob, "per-job", 1, "`NUMBER` of runs in a job")
	f.IntVar(&o.limit, "limit", 0, "`NUMBER` of jobs at a time; 0 for as many as the cluster starts")
	f.StringVar(&o.program, "program", "", "shell `WORDS` that start acqnp on a node (default the path of this program)")
	f.StringVar(&o.cluster.Image, "image", "acqnp-cuda:1", "`IMAGE` of the pods, see deploy/README.md")
	f.StringVar(&o.cluster.Queue, "queue", "", "LocalQueue `NAME` of Kueue, which starts the Job")
	f.StringVar(&o.cluster.Claim, "claim", "acqnp", "PersistentVolumeClaim `NAME` with the data and the runs")
	f.IntVar(&o.cluster.GPUs, "gpus", 1, "`NUMBER` of GPUs of each pod; 0 for the CPU")
	for _, flag := range []string{"image", "queue", "claim", "gpus"} {
		cmd.MarkFlagsMutuallyExclusive("slurm", flag)
	}
	cmd.MarkFlagsMutuallyExclusive("kubernetes", "program")
	cmd.MarkFlagsOneRequired("slurm", "kubernetes")
	cmd.MarkFlagsMutuallyExclusive("slurm", "kubernetes")
	return cmd
}

// submission is the result of sweep submit.
type submission struct {
	Runs     int    `json:"runs"`               // in the job
	Done     int    `json:"done"`               // left out, because they are done; 0 for Kubernetes
	Diverged int    `json:"diverged,omitempty"` // left out, because they would diverge again
	Job      string `json:"job,omitempty"`      // the name for Kubernetes
	Pods     int    `json:"pods,omitempty"`
	Logs     string `json:"logs,omitempty"` // the folder of the jobs' output
	Script   string `json:"script,omitempty"`
}

// String says what the job has.
func (s submission) String() string {
	runs := invalid.Plural(s.Runs, "run", "runs")
	switch {
	case s.Job != "":
		return fmt.Sprintf("job %s: %s in %s", s.Job, runs, invalid.Plural(s.Pods, "pod", "pods"))
	case s.Runs == 0 && s.Diverged == 0:
		return fmt.Sprintf("nothing to submit: all %d runs are done", s.Done)
	}
	text := runs
	if s.Runs == 0 {
		text = "nothing to submit"
	}
	text += fmt.Sprintf(", %d are done", s.Done)
	if s.Diverged > 0 {
		text += fmt.Sprintf(", %d diverged and would again", s.Diverged)
	}
	if s.Logs != "" {
		text += "; logs in " + s.Logs
	}
	return text
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
	var s submission
	if o.kubernetes {
		s, err = o.kubernetesJob(p)
	} else {
		s, err = o.slurmArray(ctx, a, p)
	}
	if err != nil {
		return err
	}
	a.progress().Note(s.String())
	if a.json {
		return a.result(s, nil)
	}
	_, err = io.WriteString(a.Out, s.Script) // a.result would replace characters that terminals do not show
	return err
}

// kubernetesJob returns the Job with all runs of a plan. Which of them are done is known in the pods,
// which see the run directories.
func (o submitOptions) kubernetesJob(p *plan.Plan) (submission, error) {
	if len(o.flags) > 0 {
		return submission{}, &invalid.Input{Found: o.flags[0] + " after --", Expected: "nothing there with --kubernetes"}
	}
	o.cluster.PerJob, o.cluster.Limit = o.perJob, o.limit
	m, err := o.cluster.Manifest(p)
	return submission{Job: m.Name, Runs: len(p.Runs), Pods: m.Pods, Script: string(m.YAML)}, err
}

// slurmArray returns the job array with the open runs of a plan, and makes the folder of its logs.
func (o submitOptions) slurmArray(ctx context.Context, a *app, p *plan.Plan) (s submission, err error) {
	status, err := sweep.NewViewer(p).Look(ctx)
	if err != nil {
		return s, err
	}
	var open []int
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
	if s.Runs = len(open); s.Runs == 0 {
		return s, nil
	}
	array := submit.Slurm{PerJob: o.perJob, Limit: o.limit, Program: o.program, Environ: os.Environ(), Flags: o.flags}
	if array.Dir, err = os.Getwd(); err != nil {
		return s, err
	}
	if array.Program == "" {
		program, err := os.Executable()
		if err != nil {
			return s, err
		}
		array.Program = invalid.ShellWord(program)
	}
	if elements := (len(p.Runs) + o.perJob - 1) / o.perJob; elements > submit.MaxElements {
		a.progress().Warn(fmt.Sprintf("the array has elements up to %d; unless slurm.conf has another MaxArraySize, the last is %d: take --per-job %d",
			elements-1, submit.MaxElements-1, (len(p.Runs)+submit.MaxElements-1)/submit.MaxElements))
	}
	if s.Script, err = array.Script(p, open); err != nil {
		return s, err
	}
	s.Logs = array.Logs(p)
	if err := os.MkdirAll(s.Logs, 0o777); err != nil { // sbatch does not make it
		return s, &invalid.Input{File: s.Logs, Found: files.Reason(err), Expected: "a folder for the logs", Cause: err}
	}
	return s, nil
}
