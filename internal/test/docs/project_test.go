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
	"github.com/acqnp/acqnp/internal/test/must"
)

const root = "../../.."

func read(t *testing.T, name string) string {
	t.Helper()
	b := must.Get(os.ReadFile(filepath.Join(root, name)))(t)
	return string(b)
}

func TestChangelogAndCitationNameTheProgramsVersion(t *testing.T) {
	var out, stderr bytes.Buffer
	if code := cli.Main([]string{"--version"}, cli.Streams{Out: &out, Err: &stderr}); code != 0 {
		t.Fatalf("acqnp --version: exit code %d\n%s", code, &stderr)
	}
	said, _, _ := strings.Cut(strings.TrimSpace(strings.TrimPrefix(out.String(), "acqnp ")), " ")
	first := regexp.MustCompile(`(?m)^## \[([^]]+)\]`).FindStringSubmatch(read(t, "CHANGELOG.md"))
	if first == nil || first[1] != said {
		t.Errorf("CHANGELOG.md starts with %q, the program states %s", first, said)
	}
	if !strings.Contains(read(t, "CITATION.cff"), "\nversion: "+said+"\n") {
		t.Errorf("CITATION.cff has another version than the program's %s", said)
	}
}

func TestDependabotKnowsEveryModule(t *testing.T) {
	var settings struct {
		Updates []struct {
			Ecosystem string `yaml:"package-ecosystem"`
			Directory string
		}
	}
	must.Do(t, yaml.Unmarshal([]byte(read(t, ".github/dependabot.yml")), &settings))
	var listed []string
	for _, u := range settings.Updates {
		listed = append(listed, u.Ecosystem+" "+u.Directory)
	}
	want := []string{"github-actions /", "docker /"}
	must.Do(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == "go.mod" {
			directory, relErr := filepath.Rel(root, filepath.Dir(path))
			want, err = append(want, "gomod "+filepath.ToSlash(filepath.Join("/", directory))), relErr
		}
		return err
	}))
	slices.Sort(want)
	slices.Sort(listed)
	if !slices.Equal(listed, want) {
		t.Errorf("dependabot.yml lists %q, want %q", listed, want)
	}
}

// An action is the commit that was looked at, not whatever its tag is moved to. No checkout leaves a token
// in the working tree, a release builds from nothing that another job has cached, and a landing runs .ci/run.
func TestWorkflowsTakePinnedActions(t *testing.T) {
	pinned := regexp.MustCompile(`uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$`)
	for _, name := range []string{"ci", "release", "vulnerabilities"} {
		text := read(t, ".github/workflows/"+name+".yml")
		for line := range strings.Lines(text) {
			if strings.Contains(line, "uses:") && !pinned.MatchString(strings.TrimSpace(line)) {
				t.Errorf("%s: %q is not a commit with its version", name, strings.TrimSpace(line))
			}
		}
		if n := strings.Count(text, "uses: actions/checkout@"); n == 0 || n != strings.Count(text, "persist-credentials: false") {
			t.Errorf("%s: one of %d checkouts leaves its token", name, n)
		}
		if name == "release" && (strings.Contains(text, "actions/cache@") || strings.Count(text, "actions/setup-go@") != strings.Count(text, "cache: false")) {
			t.Error("release takes a cache")
		}
		if name != "vulnerabilities" && !strings.Contains(text, "- run: .ci/run\n") {
			t.Errorf("%s does not run .ci/run", name)
		}
	}
}
