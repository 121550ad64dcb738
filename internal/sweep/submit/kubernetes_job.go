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

// An object is a part of what Kubernetes reads. tools/kubernetes decodes the objects as the API server
// does. The types of k8s.io/api would make the program 11 MB larger.
type object = map[string]any

// metadata returns the name and the labels of an object.
func metadata(name string) (metadata object, labels map[string]string) {
	labels = map[string]string{"app.kubernetes.io/name": "acqnp", "app.kubernetes.io/instance": name}
	return object{"name": name, "labels": labels}, labels
}

// configMap returns the ConfigMap with the plan and its configurations. It is immutable, since its
// name follows from its content.
func configMap(name string, files []file) object {
	data := map[string]string{}
	for _, f := range files {
		data[f.key] = f.content
	}
	about, _ := metadata(name)
	return object{"apiVersion": "v1", "kind": "ConfigMap", "metadata": about, "immutable": true, "data": data}
}

// job returns the Indexed Job. A pod that an interrupt or the cluster stops is replaced, and
// resumes. One that ends with wrong input fails its index at once. Any other failure is retried
// twice.
func (k Kubernetes) job(m Manifest, p *plan.Plan, files []file) object {
	about, labels := metadata(m.Name)
	_, podLabels := metadata(m.Name)
	parallelism := m.Pods
	if k.Limit > 0 {
		parallelism = min(k.Limit, m.Pods)
	}
	onExit := func(code int, action string) object {
		return object{"action": action, "onExitCodes": object{"containerName": containerName, "operator": "In", "values": []int{code}}}
	}
	spec := object{
		"completionMode":       "Indexed",
		"completions":          m.Pods,
		"parallelism":          parallelism,
		"backoffLimitPerIndex": 2,
		"podFailurePolicy": object{"rules": []object{
			{"action": "Ignore", "onPodConditions": []object{{"type": "DisruptionTarget"}}},
			onExit(2, "FailIndex"),
			onExit(130, "Ignore"),
		}},
		"template": object{"metadata": object{"labels": podLabels}, "spec": k.pod(m.Name, p, files)},
	}
	if k.Queue != "" {
		labels["kueue.x-k8s.io/queue-name"] = k.Queue
		spec["suspend"] = true // until Kueue admits it
	}
	return object{"apiVersion": "batch/v1", "kind": "Job", "metadata": about, "spec": spec}
}

// pod returns what each pod does. The files of the ConfigMap are where the plan names them, and the
// folders of the runs and of the data are on the claim.
func (k Kubernetes) pod(name string, p *plan.Plan, files []file) object {
	device := "cpu"
	limits := object{"memory": "8Gi"}
	if k.GPUs > 0 {
		device = "cuda"
		limits["nvidia.com/gpu"] = strconv.Itoa(k.GPUs)
	}
	mounts := []object{
		{"name": "claim", "mountPath": inPod(dataDir), "subPath": dataDir},
		{"name": "claim", "mountPath": inPod(p.Dir), "subPath": onClaim(p.Dir)},
	}
	for _, f := range files {
		mounts = append(mounts, object{"name": "plan", "mountPath": inPod(f.path), "subPath": f.key, "readOnly": true})
	}
	container := object{
		"name":         containerName,
		"image":        k.Image,
		"workingDir":   workDir,
		"env":          []object{{"name": "ACQNP_DEVICE", "value": device}, {"name": "ACQNP_THREADS", "value": cpus}},
		"resources":    object{"requests": object{"cpu": cpus, "memory": "4Gi"}, "limits": limits},
		"volumeMounts": mounts,
		// What the Pod Security Standard "restricted" demands, with the pod's securityContext.
		"securityContext": object{"allowPrivilegeEscalation": false, "capabilities": object{"drop": []string{"ALL"}}},
	}
	k.setCommand(container, p)
	return object{
		"restartPolicy":                 "Never", // podFailurePolicy demands it
		"terminationGracePeriodSeconds": 120,     // for the checkpoint
		"securityContext": object{"runAsNonRoot": true, "runAsUser": imageUser, "runAsGroup": imageUser, "fsGroup": imageUser,
			"seccompProfile": object{"type": "RuntimeDefault"}},
		"containers": []object{container},
		"volumes": []object{
			{"name": "plan", "configMap": object{"name": name}},
			{"name": "claim", "persistentVolumeClaim": object{"claimName": k.Claim}},
		},
	}
}

// setCommand sets the arguments of the image's entry point. For a pod that trains several runs, it sets
// a shell as the command, which counts them.
func (k Kubernetes) setCommand(container object, p *plan.Plan) {
	file := argument(p.File)
	if k.PerJob == 1 {
		container["args"] = []string{"sweep", "run", file, "--indices", "$(JOB_COMPLETION_INDEX)"}
		return
	}
	script := fmt.Sprintf(`first=$((JOB_COMPLETION_INDEX * %[1]d))
last=$((first + %[1]d < %[2]d ? first + %[1]d - 1 : %[2]d - 1))
exec acqnp sweep run "$1" --indices "$first..$last"
`, k.PerJob, len(p.Runs))
	container["command"], container["args"] = []string{"sh", "-c", argument(script), "sh"}, []string{file}
}

// argument returns an argument that the kubelet passes on as it is: $(NAME) stands for a variable
// there, and $$ for $.
func argument(s string) string { return strings.ReplaceAll(s, "$(", "$$(") }
