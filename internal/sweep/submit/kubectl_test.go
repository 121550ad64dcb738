package submit_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/sweep/submit"
)

// standIn puts a kubectl into PATH that writes its arguments to asked and its standard input to
// applied. It runs the lines of get, or of apply.
func standIn(t *testing.T, get, apply string) (asked, applied string) {
	t.Helper()
	dir := t.TempDir()
	asked, applied = filepath.Join(dir, "asked"), filepath.Join(dir, "applied")
	script := `#!/bin/sh
echo "$*" >>` + asked + `
case "$*" in
*"get job"*)
	` + get + `
	;;
*)
	cat >` + applied + `
	` + apply + `
	;;
esac
`
	if err := os.WriteFile(filepath.Join(dir, "kubectl"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	return asked, applied
}

func content(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return string(b)
}

func TestKubectlGetsTheText(t *testing.T) {
	for namespace, want := range map[string]string{
		"":    "get job acqnp-x --ignore-not-found --output name\napply --server-side -f -\n",
		"lab": "--namespace lab get job acqnp-x --ignore-not-found --output name\napply --server-side -f -\n",
	} {
		asked, applied := standIn(t, "true", "true")
		m := submit.Manifest{Name: "acqnp-x", Namespace: namespace, YAML: []byte("kind: Job\nλ: \"\\t\"\n")}
		if err := m.Apply(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := content(t, asked); got != want {
			t.Errorf("kubectl was asked to %q, want %q", got, want)
		}
		if got := content(t, applied); got != string(m.YAML) {
			t.Errorf("kubectl got %q, want %q", got, m.YAML)
		}
	}
}

func TestFailuresOfKubectlAreOneLine(t *testing.T) {
	m := submit.Manifest{Name: "acqnp-x", Namespace: "lab", YAML: []byte("kind: Job\n")}
	for _, c := range []struct {
		get, apply, want string
		mistake, applied bool
	}{
		{"echo job.batch/acqnp-x", "true", "the cluster has the job acqnp-x of this plan already. To start again what is missing or failed: kubectl --namespace lab delete job acqnp-x, then submit", true, false},
		{"echo no cluster >&2; exit 1", "true", "kubectl --namespace lab get job acqnp-x --ignore-not-found --output name: exit status 1: no cluster", false, false},
		{"true", "printf 'E1122 23:59 memcache.go:265] refused\\njobs: forbidden\\njobs: forbidden\\nclaims: forbidden\\n' >&2; exit 3", "kubectl apply --server-side -f -: exit status 3: jobs: forbidden; claims: forbidden", false, true},
	} {
		_, applied := standIn(t, c.get, c.apply)
		err := m.Apply(t.Context())
		var mistake *invalid.Input
		if err == nil || err.Error() != c.want || errors.As(err, &mistake) != c.mistake {
			t.Errorf("%v, want %s", err, c.want)
		}
		if got := content(t, applied) != ""; got != c.applied {
			t.Errorf("%s: applied %v, want %v", c.want, got, c.applied)
		}
	}
}

func TestWithoutKubectl(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	err := submit.Manifest{Name: "acqnp-x"}.Apply(t.Context())
	var mistake *invalid.Input
	if !errors.As(err, &mistake) || !strings.Contains(err.Error(), "no kubectl in PATH") {
		t.Errorf("%v", err)
	}
}
