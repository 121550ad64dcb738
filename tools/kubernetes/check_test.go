package main

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"k8s.io/kubernetes/pkg/apis/apps"
	"k8s.io/kubernetes/pkg/apis/batch"
	"k8s.io/kubernetes/pkg/apis/core"
)

// submitted is what sweep submit --kubernetes prints for the plan of submit's tests.
const submitted = "../../internal/sweep/submit/testdata/kubernetes.yaml"

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestFilesOfTheRepositoryAreTaken(t *testing.T) {
	for _, name := range []string{submitted, "../../deploy/kubernetes-job.yaml", "../../deploy/kubernetes-claim.yaml", "../../deploy/kubernetes-serve.yaml"} {
		if _, err := Check([]byte(read(t, name))); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The service finds the deployment's pods at a port that they have, and mounts the claim. A misspelt
// field is refused.
func TestServiceFindsItsPods(t *testing.T) {
	text := read(t, "../../deploy/kubernetes-serve.yaml")
	objects, err := Check([]byte(text))
	if err != nil || len(objects) != 2 {
		t.Fatalf("%d objects, %v", len(objects), err)
	}
	pods, service := objects[0].(*apps.Deployment).Spec.Template, objects[1].(*core.Service).Spec
	if !maps.Equal(pods.Labels, service.Selector) || service.Ports[0].TargetPort.StrVal != pods.Spec.Containers[0].Ports[0].Name {
		t.Errorf("pods %v with ports %+v, service %+v", pods.Labels, pods.Spec.Containers[0].Ports, service)
	}
	claim := regexp.MustCompile(`(?m)^  name: (.*)$`).FindStringSubmatch(read(t, "../../deploy/kubernetes-claim.yaml"))
	if v := pods.Spec.Volumes[0].PersistentVolumeClaim; claim == nil || v == nil || v.ClaimName != claim[1] {
		t.Errorf("volume %+v, claim %q", pods.Spec.Volumes[0], claim)
	}
	for _, field := range []string{"readinessProbe:", "targetPort:"} {
		if _, err := Check([]byte(strings.Replace(text, field, "x"+field, 1))); err == nil || !strings.Contains(err.Error(), "unknown field") {
			t.Errorf("x%s: %v", field, err)
		}
	}
}

// The pods see the bytes of the plan and of the configurations, at the paths that the plan names.
func TestPodsSeeTheFiles(t *testing.T) {
	objects, err := Check([]byte(read(t, submitted)))
	if err != nil || len(objects) != 2 {
		t.Fatalf("%d objects, %v", len(objects), err)
	}
	files, pod := objects[0].(*core.ConfigMap), objects[1].(*batch.Job).Spec.Template.Spec
	volumes := map[string]core.VolumeSource{}
	for _, v := range pod.Volumes {
		volumes[v.Name] = v.VolumeSource
	}
	seen := map[string]string{}
	for _, m := range pod.Containers[0].VolumeMounts {
		if source := volumes[m.Name].ConfigMap; source != nil && source.Name == files.Name {
			seen[strings.TrimPrefix(m.MountPath, pod.Containers[0].WorkingDir+"/")] = files.Data[m.SubPath]
		}
	}
	want := []string{"configs/lissajous/cnp.yaml", "configs/lissajous/cqnp.yaml", "sweeps/study.yaml"}
	if got := slices.Sorted(maps.Keys(seen)); !slices.Equal(got, want) {
		t.Fatalf("pods see %q, want %q", got, want)
	}
	for name, content := range seen {
		if want := read(t, "../../internal/sweep/submit/testdata/"+name); content != want {
			t.Errorf("pods see %q as %s, want %q", content, name, want)
		}
	}
}

// The job controller takes the first rule that fits.
func TestFailuresAreJudged(t *testing.T) {
	objects, err := Check([]byte(read(t, submitted)))
	if err != nil {
		t.Fatal(err)
	}
	spec := objects[1].(*batch.Job).Spec
	var got []string
	for _, r := range spec.PodFailurePolicy.Rules {
		for _, c := range r.OnPodConditions {
			got = append(got, string(r.Action)+" "+string(c.Type)+" "+string(c.Status))
		}
		if r.OnExitCodes != nil {
			for _, code := range r.OnExitCodes.Values {
				got = append(got, string(r.Action)+" "+string(r.OnExitCodes.Operator)+" "+strconv.Itoa(int(code)))
			}
		}
	}
	want := []string{"Ignore DisruptionTarget True", "FailIndex In 2", "Ignore In 130"}
	if !slices.Equal(got, want) {
		t.Errorf("rules %q, want %q", got, want)
	}
	if *spec.PodReplacementPolicy != batch.Failed {
		t.Errorf("pods are replaced when %s, so that two may train one run", *spec.PodReplacementPolicy)
	}
}

func TestBrokenObjectsAreRefused(t *testing.T) {
	whole := read(t, submitted)
	for _, c := range []struct{ name, old, new, problem string }{
		{"a misspelt field of the job", "backoffLimitPerIndex:", "backoffLimitPerIndexes:", `unknown field "spec.backoffLimitPerIndexes"`},
		{"a misspelt field of the pod", "runAsUser:", "runAsuser:", `unknown field "spec.template.spec.securityContext.runAsuser"`},
		{"a misspelt field of the files", "immutable:", "imutable:", `unknown field "imutable"`},
		{"a field twice", "suspend: true", "completions: 12", "completions"},
		{"a number as text", "completions: 12", `completions: "12"`, "completions"},
		{"a policy that needs pods that never restart", "restartPolicy: Never", "restartPolicy: OnFailure", `only "Never" is supported when podFailurePolicy is specified`},
		{"a limit that needs indices", "completionMode: Indexed", "completionMode: NonIndexed", "requires indexed completion mode"},
		{"another container", "containerName: acqnp", "containerName: other", "containerName"},
		{"an unknown action", "action: FailIndex", "action: FailRun", "action"},
		{"exit code 0", "values: [2]", "values: [0]", "must not be 0"},
		{"a long label", "queue-name: gpus", "queue-name: " + strings.Repeat("q", 64), "must be no more than 63"},
		{"a long name", "kind: Job\nmetadata:\n  name: ", "kind: Job\nmetadata:\n  name: " + strings.Repeat("n", 42), "DNS label"},
		{"a path twice", "mountPath: /sweep/configs/lissajous/cqnp.yaml", "mountPath: /sweep/configs/lissajous/cnp.yaml", "must be unique"},
		{"an unknown volume", "- name: claim\n              mountPath: /sweep/data", "- name: clam\n              mountPath: /sweep/data", "Not found"},
		{"a key with a slash", "0-study.yaml: |", "sweeps/study.yaml: |", "a valid config key"},
		{"a share of a GPU", `nvidia.com/gpu: "1"`, `nvidia.com/gpu: "0.5"`, "must be an integer"},
		{"another version of the API", "apiVersion: batch/v1", "apiVersion: batch/v2", "no kind"},
	} {
		text := strings.Replace(whole, c.old, c.new, 1)
		if text == whole {
			t.Errorf("%s: the file does not have %q", c.name, c.old)
			continue
		}
		if _, err := Check([]byte(text)); err == nil || !strings.Contains(err.Error(), c.problem) {
			t.Errorf("%s: %v, want %q", c.name, err, c.problem)
		}
	}
}
