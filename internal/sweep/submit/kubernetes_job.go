package submit

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/acqnp/acqnp/internal/sweep/plan"
)

const (
	containerName = "acqnp"
	imageUser     = 65532  // of Dockerfile.cuda
	dataDir       = "data" // --data-dir's default
	cpus          = "2"    // of each pod; without ACQNP_THREADS, it would take all of the node's
)

// metadata returns the name and the labels of an object.
func (k Kubernetes) metadata(name string) metadata {
	return metadata{Name: name, Namespace: k.Namespace, Labels: map[string]string{
		"app.kubernetes.io/name":     "acqnp",
		"app.kubernetes.io/instance": name,
	}}
}

// configMap returns the ConfigMap with the plan and its configurations. It is immutable, since its
// name follows from its content.
func (k Kubernetes) configMap(name string, files []file) configMap {
	data := map[string]string{}
	for _, f := range files {
		data[f.key] = f.content
	}
	return configMap{APIVersion: "v1", Kind: "ConfigMap", Metadata: k.metadata(name), Immutable: true, Data: data}
}

// job returns the Indexed Job. A pod that an interrupt or the cluster stops is replaced, and
// resumes. One that ends with wrong input fails its index at once. Any other failure is retried
// twice.
func (k Kubernetes) job(m Manifest, p *plan.Plan, files []file) job {
	meta := k.metadata(m.Name)
	if k.Queue != "" {
		meta.Labels["kueue.x-k8s.io/queue-name"] = k.Queue
	}
	parallelism := m.Pods
	if k.Limit > 0 {
		parallelism = min(k.Limit, m.Pods)
	}
	exits := func(code int) *exitCodeValues {
		return &exitCodeValues{ContainerName: containerName, Operator: "In", Values: []int{code}}
	}
	return job{APIVersion: "batch/v1", Kind: "Job", Metadata: meta, Spec: jobSpec{
		CompletionMode:       "Indexed",
		Completions:          m.Pods,
		Parallelism:          parallelism,
		BackoffLimitPerIndex: 2,
		Suspend:              k.Queue != "", // until Kueue admits it
		PodFailurePolicy: podFailurePolicy{Rules: []podFailureRule{
			{Action: "Ignore", OnPodConditions: []podCondition{{Type: "DisruptionTarget"}}},
			{Action: "FailIndex", OnExitCodes: exits(2)},
			{Action: "Ignore", OnExitCodes: exits(130)},
		}},
		Template: podTemplate{Metadata: metadata{Labels: k.metadata(m.Name).Labels}, Spec: k.pod(m.Name, p, files)},
	}}
}

// pod returns what each pod does. The files of the ConfigMap are where the plan names them, and the
// folders of the runs and of the data are on the claim.
func (k Kubernetes) pod(name string, p *plan.Plan, files []file) podSpec {
	device := "cpu"
	limits := map[string]string{"memory": "8Gi"}
	if k.GPUs > 0 {
		device = "cuda"
		limits["nvidia.com/gpu"] = strconv.Itoa(k.GPUs)
	}
	mounts := []volumeMount{
		{Name: "claim", MountPath: inPod(dataDir), SubPath: dataDir},
		{Name: "claim", MountPath: inPod(p.Dir), SubPath: onClaim(p.Dir)},
	}
	for _, f := range files {
		mounts = append(mounts, volumeMount{Name: "plan", MountPath: inPod(f.path), SubPath: f.key, ReadOnly: true})
	}
	c := container{
		Name:         containerName,
		Image:        k.Image,
		WorkingDir:   workDir,
		Env:          []variable{{"ACQNP_DEVICE", device}, {"ACQNP_THREADS", cpus}},
		Resources:    resources{Requests: map[string]string{"cpu": cpus, "memory": "4Gi"}, Limits: limits},
		VolumeMounts: mounts,
	}
	c.Command, c.Args = k.command(p)
	return podSpec{
		RestartPolicy:                 "Never", // podFailurePolicy demands it
		TerminationGracePeriodSeconds: 120,     // for the checkpoint
		SecurityContext:               securityContext{true, imageUser, imageUser, imageUser},
		Containers:                    []container{c},
		Volumes: []volume{
			{Name: "plan", ConfigMap: &configMapVolume{name}},
			{Name: "claim", Claim: &claimVolume{k.Claim}},
		},
	}
}

// command returns the container's entry point, nil for the image's, and its arguments. A shell
// counts the runs of a pod that trains several.
func (k Kubernetes) command(p *plan.Plan) (command, args []string) {
	file := argument(p.File)
	if k.PerJob == 1 {
		return nil, []string{"sweep", "run", file, "--indices", "$(JOB_COMPLETION_INDEX)"}
	}
	script := fmt.Sprintf(`first=$((JOB_COMPLETION_INDEX * %[1]d))
last=$((first + %[1]d < %[2]d ? first + %[1]d - 1 : %[2]d - 1))
exec acqnp sweep run "$1" --indices "$first..$last"
`, k.PerJob, len(p.Runs))
	return []string{"sh", "-c", argument(script), "sh"}, []string{file}
}

// argument returns an argument that the kubelet passes on as it is: $(NAME) stands for a variable
// there, and $$ for $.
func argument(s string) string { return strings.ReplaceAll(s, "$(", "$$(") }
