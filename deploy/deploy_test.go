// Package deploy tests the files that start acqnp on clusters: they must fit the image, the program
// and the configurations.
package deploy

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/acqnp/acqnp/internal/run/version"
	"github.com/acqnp/acqnp/internal/serve"
)

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// claim and job have the fields of the Kubernetes types that the file uses. An unknown field is an
// error, since it may be misspelt.
type claim struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string
	Metadata   struct{ Name string }
	Spec       struct {
		AccessModes []string `yaml:"accessModes"`
		Resources   struct{ Requests map[string]string }
	}
}

type job struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string
	Metadata   struct{ Name string }
	Spec       struct {
		BackoffLimit int `yaml:"backoffLimit"`
		Template     struct{ Spec pod }
	}
}

type pod struct {
	RestartPolicy   string `yaml:"restartPolicy"`
	Grace           int    `yaml:"terminationGracePeriodSeconds"`
	SecurityContext struct {
		NonRoot bool `yaml:"runAsNonRoot"`
		User    int  `yaml:"runAsUser"`
		Group   int  `yaml:"runAsGroup"`
		FSGroup int  `yaml:"fsGroup"`
	} `yaml:"securityContext"`
	Containers []struct {
		Name, Image  string
		Args         []string
		Resources    struct{ Requests, Limits map[string]string }
		VolumeMounts []struct {
			Name string
			Path string `yaml:"mountPath"`
		} `yaml:"volumeMounts"`
	}
	Volumes []struct {
		Name  string
		Claim struct {
			Name string `yaml:"claimName"`
		} `yaml:"persistentVolumeClaim"`
	}
}

func TestKubernetesJobIsWhole(t *testing.T) {
	d := yaml.NewDecoder(bytes.NewReader([]byte(read(t, "kubernetes-job.yaml"))))
	d.KnownFields(true)
	var c claim
	var j job
	if err := d.Decode(&c); err != nil {
		t.Fatal(err)
	}
	if err := d.Decode(&j); err != nil {
		t.Fatal(err)
	}
	if err := d.Decode(new(any)); err != io.EOF {
		t.Fatalf("a third document, or: %v", err)
	}
	if c.APIVersion != "v1" || c.Kind != "PersistentVolumeClaim" || j.APIVersion != "batch/v1" || j.Kind != "Job" {
		t.Errorf("documents %s %s and %s %s", c.APIVersion, c.Kind, j.APIVersion, j.Kind)
	}
	p := j.Spec.Template.Spec
	if p.RestartPolicy != "OnFailure" || p.Grace < 60 {
		t.Errorf("restart policy %s with %d s of grace: a stopped run must write a checkpoint and resume", p.RestartPolicy, p.Grace)
	}
	user := regexp.MustCompile(`(?m)^USER (\d+):`).FindStringSubmatch(read(t, "../Dockerfile.cuda"))
	if s := p.SecurityContext; !s.NonRoot || user == nil || user[1] != "65532" || s.User != 65532 || s.Group != 65532 || s.FSGroup != 65532 {
		t.Errorf("security context %+v, the image's user %v", s, user)
	}
	if len(p.Containers) != 1 || len(p.Volumes) != 1 || len(p.Containers[0].VolumeMounts) != 1 {
		t.Fatalf("one container with one volume expected: %+v", p)
	}
	container, volume := p.Containers[0], p.Volumes[0]
	if container.Resources.Limits["nvidia.com/gpu"] != "1" {
		t.Errorf("limits %v: the pod gets no GPU without nvidia.com/gpu", container.Resources.Limits)
	}
	if m := container.VolumeMounts[0]; m.Name != volume.Name || m.Path != "/work/runs" || volume.Claim.Name != c.Metadata.Name {
		t.Errorf("mount %+v of volume %+v of claim %s", m, volume, c.Metadata.Name)
	}
	checkCommand(t, container.Args)
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

// The pods that serve fit the image of Dockerfile: its user, its port, where runs lie, and the path that
// its health check asks.
func TestServedPodsFitTheImage(t *testing.T) {
	image := read(t, "../Dockerfile")
	d := yaml.NewDecoder(strings.NewReader(read(t, "kubernetes-serve.yaml")))
	var deployment struct {
		Spec struct {
			Template struct {
				Spec struct {
					Grace           int `yaml:"terminationGracePeriodSeconds"`
					SecurityContext struct {
						User  int `yaml:"runAsUser"`
						Group int `yaml:"runAsGroup"`
					} `yaml:"securityContext"`
					Containers []struct {
						Args  []string
						Ports []struct {
							ContainerPort int `yaml:"containerPort"`
						}
						ReadinessProbe struct {
							HTTPGet struct{ Path string } `yaml:"httpGet"`
						} `yaml:"readinessProbe"`
						SecurityContext struct {
							ReadOnly bool `yaml:"readOnlyRootFilesystem"`
						} `yaml:"securityContext"`
						Mounts []struct {
							Path string `yaml:"mountPath"`
						} `yaml:"volumeMounts"`
					}
				}
			}
		}
	}
	if err := d.Decode(&deployment); err != nil {
		t.Fatal(err)
	}
	p := deployment.Spec.Template.Spec
	if len(p.Containers) != 1 || len(p.Containers[0].Ports) != 1 || len(p.Containers[0].Mounts) != 1 {
		t.Fatalf("one container with one port and one mount expected: %+v", p)
	}
	c := p.Containers[0]
	for _, want := range []string{
		fmt.Sprintf("USER %d:%d\n", p.SecurityContext.User, p.SecurityContext.Group),
		fmt.Sprintf("EXPOSE %d\n", c.Ports[0].ContainerPort),
		`CMD ["acqnp", "serve", "--check"]`, "WORKDIR /work\n", `ENTRYPOINT ["acqnp"]`,
	} {
		if !strings.Contains(image, want) {
			t.Errorf("the image has no %q", want)
		}
	}
	if listen := fmt.Sprintf(":%d", c.Ports[0].ContainerPort); c.Args[0] != "serve" || c.Args[len(c.Args)-1] != listen {
		t.Errorf("arguments %q: not a server at %s", c.Args, listen)
	}
	if c.Mounts[0].Path != "/work/runs" || !strings.HasPrefix(c.Args[2], c.Mounts[0].Path+"/") {
		t.Errorf("the run of %q is not below %s", c.Args, c.Mounts[0].Path)
	}
	if check := read(t, "../internal/serve/check.go"); !strings.Contains(check, `"`+c.ReadinessProbe.HTTPGet.Path+`"`) || !c.SecurityContext.ReadOnly {
		t.Errorf("the probe asks %q, the health check another path; or the root can be written", c.ReadinessProbe.HTTPGet.Path)
	}
	if took := serve.DefaultLimits().Time; float64(p.Grace) <= took.Seconds() {
		t.Errorf("pods are killed after %d s, while a request may take %v", p.Grace, took)
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
	script, err := filepath.Abs("slurm.sbatch")
	if err != nil {
		t.Fatal(err)
	}
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
			if err := os.WriteFile(filepath.Join(dir, program), []byte(text), 0o755); err != nil {
				t.Fatal(err)
			}
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

func TestREADMELinksTheFiles(t *testing.T) {
	if !strings.Contains(read(t, "../README.md"), "](deploy/README.md)") {
		t.Error("README.md does not link deploy/README.md")
	}
	text := read(t, "README.md")
	for _, link := range []string{"../Dockerfile.cuda", "slurm.sbatch", "kubernetes-job.yaml", "kubernetes-claim.yaml", "../Dockerfile", "kubernetes-serve.yaml"} {
		if !strings.Contains(text, "]("+link+")") {
			t.Errorf("deploy/README.md does not link %s", link)
		}
	}
}
