package docs

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/acqnp/acqnp/internal/cli"
)

const root = "../../.."

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestChangelogStartsWithTheProgramsVersion(t *testing.T) {
	var out, stderr bytes.Buffer
	if code := cli.Main([]string{"--version"}, cli.Streams{Out: &out, Err: &stderr}); code != 0 {
		t.Fatalf("acqnp --version: exit code %d\n%s", code, &stderr)
	}
	said, _, _ := strings.Cut(strings.TrimSpace(strings.TrimPrefix(out.String(), "acqnp ")), " ")
	first := regexp.MustCompile(`(?m)^## \[([^]]+)\]`).FindStringSubmatch(read(t, "CHANGELOG.md"))
	if first == nil || first[1] != said {
		t.Errorf("CHANGELOG.md starts with %q, the program states %s", first, said)
	}
}

func TestDependabotKnowsEveryModule(t *testing.T) {
	var settings struct {
		Updates []struct {
			Ecosystem string `yaml:"package-ecosystem"`
			Directory string
		}
	}
	if err := yaml.Unmarshal([]byte(read(t, ".github/dependabot.yml")), &settings); err != nil {
		t.Fatal(err)
	}
	var listed []string
	for _, u := range settings.Updates {
		listed = append(listed, u.Ecosystem+" "+u.Directory)
	}
	want := []string{"github-actions /", "docker /"}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == "go.mod" {
			directory, relErr := filepath.Rel(root, filepath.Dir(path))
			want, err = append(want, "gomod "+filepath.ToSlash(filepath.Join("/", directory))), relErr
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(want)
	slices.Sort(listed)
	if !slices.Equal(listed, want) {
		t.Errorf("dependabot.yml lists %q, want %q", listed, want)
	}
}

func TestWorkflowRunsTheWholeCheck(t *testing.T) {
	var workflow struct {
		Jobs map[string]struct {
			Container string
			Steps     []struct{ Run string }
		}
	}
	if err := yaml.Unmarshal([]byte(read(t, ".github/workflows/ci.yml")), &workflow); err != nil {
		t.Fatal(err)
	}
	version := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(read(t, "go.mod"))[1]
	for name, job := range workflow.Jobs {
		if !slices.ContainsFunc(job.Steps, func(s struct{ Run string }) bool { return s.Run == ".ci/run" }) {
			t.Errorf("job %s does not run .ci/run", name)
		}
		// .ci/run installs Debian's nvcc.
		if want := "golang:" + version + "-bookworm"; job.Container != want {
			t.Errorf("job %s runs in %s, want %s", name, job.Container, want)
		}
	}
	if len(workflow.Jobs) == 0 {
		t.Error("the workflow has no job")
	}
}

// An action is the commit that was looked at, not whatever its tag is moved to. No checkout leaves a token
// in the working tree, and a job that signs builds from nothing that another job has cached.
func TestWorkflowsTakePinnedActions(t *testing.T) {
	type step struct {
		Uses string
		With map[string]any
	}
	type job struct {
		Permissions map[string]string
		Steps       []step
	}
	paths, err := filepath.Glob(filepath.Join(root, ".github/workflows/*.yml"))
	if err != nil || len(paths) < 3 {
		t.Fatalf("%d workflows, %v", len(paths), err)
	}
	pinned, signs := regexp.MustCompile(`uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$`), 0
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if strings.Contains(line, "uses:") && !pinned.MatchString(strings.TrimSpace(line)) {
				t.Errorf("%s: %q is not a commit with its version", path, strings.TrimSpace(line))
			}
		}
		var workflow struct{ Jobs map[string]job }
		if err := yaml.Unmarshal(text, &workflow); err != nil {
			t.Fatal(err)
		}
		for name, job := range workflow.Jobs {
			signing := job.Permissions["id-token"] == "write"
			if signing {
				signs++
			}
			for _, s := range job.Steps {
				action, _, _ := strings.Cut(s.Uses, "@")
				switch {
				case action == "actions/checkout" && s.With["persist-credentials"] != false:
					t.Errorf("%s: the checkout of %s leaves its token", path, name)
				case signing && (action == "actions/cache" || action == "actions/setup-go" && s.With["cache"] != false):
					t.Errorf("%s: %s signs, and takes a cache", path, name)
				}
			}
		}
	}
	if signs != 2 {
		t.Errorf("%d jobs sign, want the archives and the wheels", signs)
	}
}
