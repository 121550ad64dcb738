package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/sweep/plan"
)

// addKubernetesFlags adds the flags that --kubernetes alone has.
func (o *submitOptions) addKubernetesFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&o.kubernetes, "kubernetes", false, "submit an Indexed Job to Kubernetes")
	f.StringVar(&o.cluster.Image, "image", "acqnp-cuda:1", "`IMAGE` of the pods, see deploy/README.md")
	f.StringVar(&o.cluster.Namespace, "namespace", "", "`NAMESPACE` of the Job (default that of kubectl's context)")
	f.StringVar(&o.cluster.Queue, "queue", "", "LocalQueue `NAME` of Kueue, which starts the Job")
	f.StringVar(&o.cluster.Claim, "claim", "acqnp", "PersistentVolumeClaim `NAME` with the data and the runs")
	f.IntVar(&o.cluster.GPUs, "gpus", 1, "`NUMBER` of GPUs of each pod; 0 for the CPU")
	for _, flag := range []string{"image", "namespace", "queue", "claim", "gpus"} {
		cmd.MarkFlagsMutuallyExclusive("slurm", flag)
	}
	cmd.MarkFlagsMutuallyExclusive("kubernetes", "program")
}

// kubernetesJob is the result of sweep submit --kubernetes.
type kubernetesJob struct {
	Job       string `json:"job"` // its name, which the ConfigMap has too
	Namespace string `json:"namespace,omitempty"`
	Runs      int    `json:"runs"`
	Pods      int    `json:"pods"`
	Script    string `json:"script,omitempty"` // the objects as YAML, with --dry-run
}

func (j kubernetesJob) print(w io.Writer) error {
	namespace := ""
	if j.Namespace != "" {
		namespace = " --namespace " + j.Namespace
	}
	_, err := fmt.Fprintf(w, "job %s: %s in %s; kubectl%s get job %s shows how many are done\n", j.Job,
		invalid.Plural(j.Runs, "run", "runs"), invalid.Plural(j.Pods, "pod", "pods"), namespace, j.Job)
	return err
}

// submitKubernetes submits all runs of a plan. Which of them are done is known in the pods, which
// see the run directories.
func submitKubernetes(ctx context.Context, a *app, o submitOptions, p *plan.Plan) error {
	if len(o.flags) > 0 {
		return &invalid.Input{Found: o.flags[0] + " after --", Expected: "nothing there with --kubernetes"}
	}
	o.cluster.PerJob, o.cluster.Limit = o.perJob, o.limit
	m, err := o.cluster.Manifest(p)
	if err != nil {
		return err
	}
	j := kubernetesJob{Job: m.Name, Namespace: m.Namespace, Runs: len(p.Runs), Pods: m.Pods}
	if !o.dryRun {
		if err := m.Apply(ctx); err != nil {
			return err
		}
		return a.result(j, j.print)
	}
	if a.json {
		j.Script = string(m.YAML)
		return a.result(j, j.print)
	}
	_, err = a.Out.Write(m.YAML) // as it is: a.result would replace characters that terminals do not show
	return err
}
