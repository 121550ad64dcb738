package submit_test

import (
	"errors"
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/sweep/plan"
	"github.com/acqnp/acqnp/internal/sweep/submit"
	"github.com/acqnp/acqnp/internal/test/must"
)

var update = flag.Bool("update", false, "write testdata/kubernetes.yaml")

var everything = submit.Kubernetes{Image: "registry.example.org/acqnp-cuda:1", Namespace: "lab", Queue: "gpus", Claim: "acqnp", PerJob: 1, Limit: 3, GPUs: 1}

func load(t *testing.T, file string) *plan.Plan {
	t.Helper()
	return must.Get(plan.Load(file, nil))(t)
}

// tools/kubernetes checks the file of this test as the API server does.
func TestManifestIsTheOneThatIsChecked(t *testing.T) {
	t.Chdir("testdata")
	m := must.Get(everything.Manifest(load(t, "sweeps/study.yaml")))(t)
	const golden = "kubernetes.yaml"
	if *update {
		must.Do(t, os.WriteFile(golden, m.YAML, 0o644))
	}
	want := must.Get(os.ReadFile(golden))(t)
	if string(m.YAML) != string(want) {
		t.Errorf("not testdata/%s (-update writes it):\n%s", golden, m.YAML)
	}
}

// The name follows from the plan and its configurations alone: submitted again, a plan finds
// its job, also with other options.
func TestNameFollowsFromTheFiles(t *testing.T) {
	names := map[string]string{}
	for _, c := range []struct{ file, config, want string }{
		{"study.yaml", "", `acqnp-study-[0-9a-f]{8}`},
		{"study.yaml", "# other\n", `acqnp-study-[0-9a-f]{8}`},
		{"Größe_2.x.yaml", "", `acqnp-gr----e-2-x-[0-9a-f]{8}`},
		{"_.yaml", "", `acqnp-sweep-[0-9a-f]{8}`},
		{strings.Repeat("long-", 40) + ".yaml", "", `acqnp-[a-z-]{1,40}-[0-9a-f]{8}`},
	} {
		t.Chdir(t.TempDir())
		write(t, "cnp.yaml", "benchmark: rbf\nmodel: {name: cnp}\n"+c.config)
		write(t, c.file, "configs: cnp.yaml\nruns: out\n")
		p := load(t, c.file)
		m := must.Get(everything.Manifest(p))(t)
		if !regexp.MustCompile("^"+c.want+"$").MatchString(m.Name) || names[m.Name] != "" {
			t.Errorf("%s %q has the name %s, want %s, and not that of %q", c.file, c.config, m.Name, c.want, names[m.Name])
		}
		names[m.Name] = c.file + c.config
		other := submit.Kubernetes{Image: "other", Claim: "other", PerJob: 2}
		again, err := other.Manifest(p)
		if err != nil || again.Name != m.Name || len(again.Name)+len("-99999") > 63 {
			t.Errorf("%s: the names %s and %s, %v", c.file, m.Name, again.Name, err)
		}
	}
}

func TestWhatKubernetesRefusesIsRefusedBefore(t *testing.T) {
	t.Chdir("testdata")
	for _, c := range []struct {
		change func(k *submit.Kubernetes, p *plan.Plan)
		want   string
	}{
		{func(k *submit.Kubernetes, _ *plan.Plan) { k.Image = "" }, `--image: found "", expected the name of an image`},
		{func(k *submit.Kubernetes, _ *plan.Plan) { k.Image = "my image" }, `--image: found "my image"`},
		{func(k *submit.Kubernetes, _ *plan.Plan) { k.Namespace = "Lab" }, `--namespace: found "Lab"`},
		{func(k *submit.Kubernetes, _ *plan.Plan) { k.Namespace = "a.b" }, `--namespace: found "a.b"`},
		{func(k *submit.Kubernetes, _ *plan.Plan) { k.Queue = "gpu_queue" }, `--queue: found "gpu_queue"`},
		{func(k *submit.Kubernetes, _ *plan.Plan) { k.Queue = strings.Repeat("q", 64) }, `--queue: found "qqq`},
		{func(k *submit.Kubernetes, _ *plan.Plan) { k.Claim = "" }, `--claim: found ""`},
		{func(k *submit.Kubernetes, _ *plan.Plan) { k.Claim = "-runs" }, `--claim: found "-runs"`},
		{func(k *submit.Kubernetes, _ *plan.Plan) { k.PerJob = 0 }, `--per-job: found "0"`},
		{func(k *submit.Kubernetes, _ *plan.Plan) { k.Limit = -1 }, `--limit: found "-1"`},
		{func(k *submit.Kubernetes, _ *plan.Plan) { k.GPUs = -1 }, `--gpus: found "-1"`},
		{func(_ *submit.Kubernetes, p *plan.Plan) { p.File = "12:30.yaml" }, `12:30.yaml: found the path "12:30.yaml", expected a path`},
		{func(_ *submit.Kubernetes, p *plan.Plan) { p.Runs[0].Config = "a\nb.yaml" }, `sweeps/study.yaml: found the path "a\nb.yaml", expected a path`},
		{func(_ *submit.Kubernetes, p *plan.Plan) { p.Dir = "." }, "sweeps/study.yaml: runs: found ., expected a folder of its own"},
		{func(_ *submit.Kubernetes, p *plan.Plan) { p.Dir = "data" }, "sweeps/study.yaml: runs: found data"},
		{func(_ *submit.Kubernetes, p *plan.Plan) { p.Dir = "runs/12:30" }, "sweeps/study.yaml: runs: found runs/12:30"},
	} {
		k, p := everything, load(t, "sweeps/study.yaml")
		c.change(&k, p)
		_, err := k.Manifest(p)
		var mistake *invalid.Input
		if !errors.As(err, &mistake) || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

// A ConfigMap holds 1 MiB.
func TestConfigurationsFitIntoAConfigMap(t *testing.T) {
	t.Chdir(t.TempDir())
	const text, planText = "benchmark: rbf\nmodel: {name: cnp}\n", "configs: cnp.yaml\nruns: out\n"
	for _, size := range []int{1 << 20, 1<<20 + 1} {
		write(t, "cnp.yaml", text+"#"+strings.Repeat(" ", size-len(text)-len("#\n")-len(planText))+"\n")
		write(t, "plan.yaml", planText)
		_, err := everything.Manifest(load(t, "plan.yaml"))
		want := "plan.yaml: found a plan with 1 configurations of 1048577 bytes in all, expected at most 1048576 bytes"
		if size == 1<<20 && err != nil || size > 1<<20 && (err == nil || !strings.HasPrefix(err.Error(), want)) {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
}
