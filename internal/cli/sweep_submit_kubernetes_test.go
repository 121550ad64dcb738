package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// kubernetes changes to a folder with a plan of six runs, and puts a stand-in for kubectl alone
// into PATH. It knows of no job, and keeps what it is asked to apply in the file given.
func kubernetes(t *testing.T) (dir string) {
	t.Helper()
	dir = cluster(t)
	write(t, filepath.Join(dir, "bin"), "kubectl", `#!/bin/sh
case $1 in
apply) while IFS= read -r line; do printf '%s\n' "$line" >>`+dir+`/given; done ;;
esac
`)
	if err := os.Chmod(filepath.Join(dir, "bin", "kubectl"), 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestKubectlGetsWhatDryRunPrints(t *testing.T) {
	dir := kubernetes(t)
	given := filepath.Join(dir, "given")
	args := []string{"sweep", "submit", "plan.yaml", "--kubernetes", "--image", "example.org/acqnp:2", "--limit", "2", "--per-job", "4"}
	dry := succeed(t, append(args, "--dry-run")...)
	if _, err := os.Stat(given); err == nil {
		t.Fatal("--dry-run calls kubectl apply")
	}
	for _, want := range []string{"apiVersion: v1\nkind: ConfigMap\n", "\n  completions: 2\n  parallelism: 2\n", "image: example.org/acqnp:2\n", "claimName: acqnp\n", `nvidia.com/gpu: "1"`} {
		if !strings.Contains(dry.out, want) {
			t.Errorf("the objects have no %q:\n%s", want, dry.out)
		}
	}
	o := succeed(t, args...)
	text, err := os.ReadFile(given)
	if err != nil {
		t.Fatal(err)
	}
	if string(text) != dry.out {
		t.Errorf("kubectl was given\n%swant\n%s", text, dry.out)
	}
	name, _, _ := strings.Cut(strings.TrimPrefix(o.out, "job "), ":")
	if !strings.HasSuffix(o.out, ": 6 runs in 2 pods; kubectl get job "+name+" shows how many are done\n") || !strings.Contains(dry.out, "\n  name: "+name+"\n") {
		t.Errorf("output %q", o.out)
	}
}

// The text is exact even where a terminal would not show it.
func TestDryRunKeepsTheConfigurations(t *testing.T) {
	dir := kubernetes(t)
	write(t, dir, "tiny.yaml", "# \u202e\u200b\n"+tinyConfig)
	dry := succeed(t, "sweep", "submit", "plan.yaml", "--kubernetes", "--dry-run")
	succeed(t, "sweep", "submit", "plan.yaml", "--kubernetes")
	if given, err := os.ReadFile(filepath.Join(dir, "given")); err != nil || string(given) != dry.out {
		t.Errorf("kubectl was given\n%s(%v) want\n%s", given, err, dry.out)
	}
}

// The environment does not reach the pods, so that it must not decide about the plan either.
func TestPodsDoNotGetTheEnvironment(t *testing.T) {
	kubernetes(t)
	plain := succeed(t, "sweep", "submit", "plan.yaml", "--kubernetes", "--dry-run")
	t.Setenv("ACQNP_TRAIN_STEPS", "none")
	if o := succeed(t, "sweep", "submit", "plan.yaml", "--kubernetes", "--dry-run"); o.out != plain.out {
		t.Errorf("with ACQNP_TRAIN_STEPS:\n%s", o.out)
	}
}

func TestSubmitToKubernetesSaysWhatIsWrong(t *testing.T) {
	dir := kubernetes(t)
	write(t, dir, "bad.yaml", "configs: [tiny.yaml]\nseed: 0..5\nruns: study\n")
	write(t, dir, "halving.yaml", "configs: [tiny.yaml]\nset: {train.validate_every: 1}\ngrid: {train.learning_rate: [1e-3, 5e-4]}\nhalving: {first: 1}\nruns: study\n")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"plan.yaml"}, "kubernetes"},
		{[]string{"plan.yaml", "--slurm", "--kubernetes"}, "kubernetes"},
		{[]string{"plan.yaml", "--slurm", "--queue", "gpus"}, "queue"},
		{[]string{"plan.yaml", "--slurm", "--gpus", "2"}, "gpus"},
		{[]string{"plan.yaml", "--kubernetes", "--program", "acqnp"}, "program"},
		{[]string{"plan.yaml", "--kubernetes", "--", "--time=1"}, "--time=1"},
		{[]string{"plan.yaml", "--kubernetes", "--queue", "GPUs"}, `--queue: found "GPUs"`},
		{[]string{"plan.yaml", "--kubernetes", "--limit=-1"}, "--limit"},
		{[]string{"bad.yaml", "--kubernetes"}, "bad.yaml:2: seed: "},
		{[]string{"halving.yaml", "--kubernetes"}, "halving"},
	} {
		o := acqnp(append([]string{"sweep", "submit"}, c.args...)...)
		if o.code != 2 || o.out != "" || strings.Count(o.err, "\n") != 1 || !strings.Contains(o.err, c.want) {
			t.Errorf("%q: exit code %d, %q", c.args, o.code, o.err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "given")); err == nil {
		t.Error("something was submitted")
	}
	t.Setenv("PATH", dir)
	if o := acqnp("sweep", "submit", "plan.yaml", "--kubernetes"); o.code != 2 || strings.Count(o.err, "\n") != 1 || !strings.Contains(o.err, "no kubectl in PATH") {
		t.Errorf("without kubectl: exit code %d, %q", o.code, o.err)
	}
	succeed(t, "sweep", "submit", "plan.yaml", "--kubernetes", "--dry-run")
}
