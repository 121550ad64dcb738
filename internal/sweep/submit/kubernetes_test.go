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

var everything = submit.Kubernetes{Image: "registry.example.org/acqnp-cuda:1", Queue: "gpus", Claim: "acqnp", PerJob: 1, Limit: 3, GPUs: 1}

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
		must.Write(t, "benchmark: rbf\nmodel: {name: cnp}\n"+c.config, "cnp.yaml")
		must.Write(t, "configs: cnp.yaml\nruns: out\n", c.file)
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

// The folder of the runs is mounted from the claim, so it is none of the pods' own.
func TestTheFolderOfTheRunsIsItsOwn(t *testing.T) {
	t.Chdir("testdata")
	for _, dir := range []string{".", "data", "/"} {
		p := load(t, "sweeps/study.yaml")
		p.Dir = dir
		_, err := everything.Manifest(p)
		var mistake *invalid.Input
		if want := "sweeps/study.yaml: runs: found " + dir; !errors.As(err, &mistake) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
