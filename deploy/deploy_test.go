// Package deploy tests the files that start acqnp on clusters: they must fit the image, the program
// and the configurations.
package deploy

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/acqnp/acqnp/internal/run/version"
	"github.com/acqnp/acqnp/internal/serve"
	"github.com/acqnp/acqnp/internal/test/must"
)

func read(t *testing.T, name string) string {
	t.Helper()
	b := must.Get(os.ReadFile(name))(t)
	return string(b)
}

// fields are the names of Kubernetes' fields that these files may have: another one is misspelt, or has to be
// looked up and added here. Below labels, limits and the like stand names of one's own.
var fields = strings.Fields(`accessModes allowPrivilegeEscalation apiVersion args backoffLimit capabilities claimName
	containerPort containers drop env fsGroup httpGet image key kind limits livenessProbe matchLabels metadata mountPath
	name path periodSeconds persistentVolumeClaim port ports readOnly readOnlyRootFilesystem readinessProbe replicas requests resources restartPolicy runAsGroup
	runAsNonRoot runAsUser seccompProfile secretKeyRef securityContext selector spec targetPort template terminationGracePeriodSeconds
	type valueFrom volumeMounts volumes labels`)

// objects returns the objects of a file of Kubernetes.
func objects(t *testing.T, name string) (all []any) {
	t.Helper()
	d := yaml.NewDecoder(strings.NewReader(read(t, name)))
	for {
		var object any
		if err := d.Decode(&object); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		misspelt(t, name, object)
		all = append(all, object)
	}
}

func misspelt(t *testing.T, name string, v any) {
	t.Helper()
	switch v := v.(type) {
	case []any:
		for _, one := range v {
			misspelt(t, name, one)
		}
	case map[string]any:
		for field, inner := range v {
			if !slices.Contains(fields, field) {
				t.Errorf("%s: the field %s is none that these files have", name, field)
			}
			if !slices.Contains([]string{"labels", "matchLabels", "requests", "limits", "selector"}, field) {
				misspelt(t, name, inner)
			}
		}
	}
}

// lookup returns the field of an object at a path such as "spec.containers.0.name", nil if it has none.
func lookup(object any, path string) any {
	for step := range strings.SplitSeq(path, ".") {
		switch v := object.(type) {
		case map[string]any:
			object = v[step]
		case []any:
			if i, err := strconv.Atoi(step); err == nil && i < len(v) {
				object = v[i]
				continue
			}
			return nil
		default:
			return nil
		}
	}
	return object
}

// has compares fields of an object, as text.
func has(t *testing.T, object any, want map[string]string) {
	t.Helper()
	for path, value := range want {
		if got := fmt.Sprint(lookup(object, path)); got != value {
			t.Errorf("%s is %s, want %s", path, got, value)
		}
	}
}

// The pod runs as the image's user, has a GPU, mounts the claim, and a stopped run has time for a checkpoint.
func TestKubernetesJobFitsTheImage(t *testing.T) {
	all := objects(t, "kubernetes-job.yaml")
	if len(all) != 2 || !strings.Contains(read(t, "../Dockerfile.cuda"), "\nUSER 65532:65532\n") {
		t.Fatalf("%d objects, or another user of the image", len(all))
	}
	has(t, all[0], map[string]string{"apiVersion": "v1", "kind": "PersistentVolumeClaim"})
	has(t, all[1], map[string]string{"apiVersion": "batch/v1", "kind": "Job"})
	pod, container := lookup(all[1], "spec.template.spec"), lookup(all[1], "spec.template.spec.containers.0")
	has(t, pod, map[string]string{
		"restartPolicy": "OnFailure", "terminationGracePeriodSeconds": "120", "securityContext.runAsNonRoot": "true",
		"securityContext.runAsUser": "65532", "securityContext.runAsGroup": "65532", "securityContext.fsGroup": "65532",
		"volumes.0.persistentVolumeClaim.claimName": fmt.Sprint(lookup(all[0], "metadata.name")),
	})
	has(t, container, map[string]string{"resources.limits": "map[memory:8Gi nvidia.com/gpu:1]", "volumeMounts.0.mountPath": "/work/runs", "volumeMounts.0.name": fmt.Sprint(lookup(pod, "volumes.0.name"))})
	checkCommand(t, strings.Fields(strings.Trim(fmt.Sprint(lookup(container, "args")), "[]")))
}

// The pods that serve fit the image of Dockerfile: its user, its port, where runs lie, and the path that
// its health check asks. The service finds them.
func TestServedPodsFitTheImage(t *testing.T) {
	all := objects(t, "kubernetes-serve.yaml")
	if len(all) != 2 {
		t.Fatalf("%d objects", len(all))
	}
	pod, container := lookup(all[0], "spec.template.spec"), lookup(all[0], "spec.template.spec.containers.0")
	image, port := read(t, "../Dockerfile"), fmt.Sprint(lookup(container, "ports.0.containerPort"))
	for _, want := range []string{
		fmt.Sprintf("USER %v:%v\n", lookup(pod, "securityContext.runAsUser"), lookup(pod, "securityContext.runAsGroup")), "EXPOSE " + port + "\n",
		`CMD ["acqnp", "serve", "--check"]`, "WORKDIR /work\n", `ENTRYPOINT ["acqnp"]`,
	} {
		if !strings.Contains(image, want) {
			t.Errorf("the image has no %q", want)
		}
	}
	has(t, container, map[string]string{
		"args": "[serve --run /work/runs/prices/seed-0 --listen :" + port + " --json]", "volumeMounts.0.mountPath": "/work/runs",
		"securityContext.readOnlyRootFilesystem": "true", "readinessProbe.httpGet.port": fmt.Sprint(lookup(container, "ports.0.name")),
	})
	if probe := fmt.Sprint(lookup(container, "readinessProbe.httpGet.path")); !strings.Contains(read(t, "../internal/serve/check.go"), `"`+probe+`"`) {
		t.Errorf("the probe asks %q, the health check another path", probe)
	}
	if grace, took := lookup(pod, "terminationGracePeriodSeconds"), serve.DefaultLimits().Time; float64(grace.(int)) <= took.Seconds() {
		t.Errorf("pods are killed after %v s, while a request may take %v", grace, took)
	}
	has(t, all[0], map[string]string{"spec.selector.matchLabels": fmt.Sprint(lookup(all[1], "spec.selector")), "spec.template.metadata.labels": fmt.Sprint(lookup(all[1], "spec.selector"))})
	has(t, all[1], map[string]string{"spec.ports.0.targetPort": fmt.Sprint(lookup(container, "ports.0.name"))})
	claims := objects(t, "kubernetes-claim.yaml")
	has(t, pod, map[string]string{"volumes.0.persistentVolumeClaim.claimName": fmt.Sprint(lookup(claims[0], "metadata.name"))})
}

// A namespace that enforces the Pod Security Standard "restricted" admits each pod: what the standard demands of
// pods on Linux (kubernetes.io/docs/concepts/security/pod-security-standards, version 1.34).
func TestPodsAreRestricted(t *testing.T) {
	volumes := []string{"configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "persistentVolumeClaim", "projected", "secret"}
	found := 0
	for _, name := range []string{"kubernetes-job.yaml", "kubernetes-serve.yaml", "../internal/sweep/submit/testdata/kubernetes.yaml"} {
		d := yaml.NewDecoder(strings.NewReader(read(t, name)))
		for object := any(nil); d.Decode(&object) == nil; object = nil {
			pod := lookup(object, "spec.template.spec")
			if pod == nil {
				continue
			}
			found++
			has(t, pod, map[string]string{"securityContext.runAsNonRoot": "true", "securityContext.seccompProfile.type": "RuntimeDefault",
				"hostNetwork": "<nil>", "hostPID": "<nil>", "hostIPC": "<nil>", "initContainers": "<nil>"})
			if user := fmt.Sprint(lookup(pod, "securityContext.runAsUser")); user == "0" {
				t.Errorf("%s: runs as root", name)
			}
			for i := range lookup(pod, "containers").([]any) {
				has(t, lookup(pod, fmt.Sprint("containers.", i)), map[string]string{"securityContext.allowPrivilegeEscalation": "false",
					"securityContext.capabilities": "map[drop:[ALL]]", "securityContext.privileged": "<nil>", "ports.0.hostPort": "<nil>"})
			}
			for _, v := range lookup(pod, "volumes").([]any) {
				for kind := range v.(map[string]any) {
					if kind != "name" && !slices.Contains(volumes, kind) {
						t.Errorf("%s: a volume of the kind %s", name, kind)
					}
				}
			}
		}
	}
	if found != 3 {
		t.Errorf("%d pods, want 3", found)
	}
}

// The pods of sweep submit --kubernetes, of which submit's tests keep an example, run as the image's
// user and mount the claim of kubernetes-claim.yaml.
func TestSubmittedPodsFitTheImageAndTheClaim(t *testing.T) {
	example := read(t, "../internal/sweep/submit/testdata/kubernetes.yaml")
	user := regexp.MustCompile(`(?m)^USER (\d+):(\d+)$`).FindStringSubmatch(read(t, "../Dockerfile.cuda"))
	claim := regexp.MustCompile(`(?m)^  name: (.*)$`).FindStringSubmatch(read(t, "kubernetes-claim.yaml"))
	if user == nil || claim == nil {
		t.Fatalf("the image's user %q, the claim's name %q", user, claim)
	}
	for _, want := range []string{"runAsUser: " + user[1], "runAsGroup: " + user[2], "fsGroup: " + user[2], "claimName: " + claim[1]} {
		if !strings.Contains(example, want+"\n") {
			t.Errorf("the pods have no %q", want)
		}
	}
}

// The labels of both images name the release of the program, whose version may be followed by a commit.
func TestImagesNameTheRelease(t *testing.T) {
	release, _, _ := strings.Cut(version.String(), " ")
	for _, name := range []string{"../Dockerfile", "../Dockerfile.cuda"} {
		if want := `org.opencontainers.image.version="` + release + `"`; !strings.Contains(read(t, name), want) {
			t.Errorf("%s has no label %s", name, want)
		}
	}
}

// checkCommand checks the arguments of acqnp train: --resume, --device cuda and a configuration that exists.
func checkCommand(t *testing.T, args []string) {
	t.Helper()
	if len(args) == 0 || args[0] != "train" || !slices.Contains(args, "--resume") {
		t.Fatalf("arguments %q: not a training that resumes", args)
	}
	if i := slices.Index(args, "--config"); i < 0 {
		t.Errorf("arguments %q: no --config", args)
	} else if _, err := os.Stat("../" + args[i+1]); err != nil {
		t.Error(err)
	}
	if i := slices.Index(args, "--device"); i < 0 || args[i+1] != "cuda" {
		t.Errorf("arguments %q: a run with a GPU must not fall back to the CPU", args)
	}
}

func TestSlurmScriptIsWhole(t *testing.T) {
	text := read(t, "slurm.sbatch")
	if !strings.HasPrefix(text, "#!/bin/bash\n") {
		t.Error("no #! line, which sbatch demands")
	}
	options := map[string]string{}
	command := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if option, is := strings.CutPrefix(line, "#SBATCH "); is {
			if command {
				t.Errorf("%s comes after a command, where sbatch does not read it", option)
			}
			name, value, _ := strings.Cut(option, "=")
			options[name] = value
		} else if line != "" && line[0] != '#' {
			command = true
		}
	}
	if options["--gpus"] != "1" || options["--signal"] != "TERM@120" {
		t.Errorf("options %v: one GPU, and SIGTERM in time for a checkpoint", options)
	}
	for _, want := range []string{"apptainer run --nv", ":/work/data,", ":/work/runs\""} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q", want)
		}
	}
	config := regexp.MustCompile(`\$\{1:-(.*)\}`).FindStringSubmatch(text)
	arguments := regexp.MustCompile(`(?m)^\ttrain .*$`).FindString(text)
	if config == nil || arguments == "" {
		t.Fatal("no configuration, or no training")
	}
	arguments = strings.ReplaceAll(arguments, ` "${seed[@]}"`, "")
	checkCommand(t, strings.Fields(strings.ReplaceAll(arguments, `"$config"`, config[1])))
}

// A job that was interrupted requeues itself. Within an array that is the element, ARRAYJOB_TASK,
// whose number is the seed: two elements in one run directory would lock each other out.
func TestSlurmScriptRequeuesItself(t *testing.T) {
	script := must.Get(filepath.Abs("slurm.sbatch"))(t)
	for name, c := range map[string]struct {
		environment []string
		status      int // of the training
		asked, seed string
	}{
		"a job":                 {[]string{"SLURM_JOB_ID=103"}, 130, "requeue 103\n", ""},
		"an array's element":    {[]string{"SLURM_JOB_ID=103", "SLURM_ARRAY_JOB_ID=100", "SLURM_ARRAY_TASK_ID=3"}, 130, "requeue 100_3\n", " --seed 3"},
		"the array's element 0": {[]string{"SLURM_JOB_ID=104", "SLURM_ARRAY_JOB_ID=104", "SLURM_ARRAY_TASK_ID=0"}, 130, "requeue 104_0\n", " --seed 0"},
		"a job that starts":     {[]string{"SLURM_JOB_ID=103"}, 143, "requeue 103\n", ""},
		"a job that is done":    {[]string{"SLURM_JOB_ID=103"}, 0, "", ""},
		"a job that failed":     {[]string{"SLURM_JOB_ID=103"}, 1, "", ""},
	} {
		dir := t.TempDir()
		asked, ran := filepath.Join(dir, "asked"), filepath.Join(dir, "ran")
		for program, text := range map[string]string{
			"srun":     fmt.Sprintf("#!/bin/sh\necho \"$*\" >%s\nexit %d\n", ran, c.status),
			"scontrol": "#!/bin/sh\necho \"$*\" >>" + asked + "\n",
		} {
			must.Do(t, os.WriteFile(filepath.Join(dir, program), []byte(text), 0o755))
		}
		cmd := exec.Command("bash", script)
		cmd.Dir, cmd.Env = dir, append(c.environment, "PATH="+dir+":"+os.Getenv("PATH"))
		out, err := cmd.CombinedOutput()
		if cmd.ProcessState == nil {
			t.Skip(err)
		}
		if got := cmd.ProcessState.ExitCode(); got != c.status {
			t.Errorf("%s: status %d, want %d\n%s", name, got, c.status, out)
		}
		if got, _ := os.ReadFile(asked); string(got) != c.asked {
			t.Errorf("%s: scontrol was asked to %q, want %q", name, got, c.asked)
		}
		if got := read(t, ran); !strings.HasSuffix(got, " --resume"+c.seed+"\n") {
			t.Errorf("%s: srun was given %q, want the seed %q", name, got, c.seed)
		}
	}
}
