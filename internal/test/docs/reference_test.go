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

	"github.com/acqnp/acqnp/internal/cli"
	"github.com/acqnp/acqnp/internal/test/must"
)

const commands = "docs/reference/commands/" // a test of internal/cli writes and compares these

// The page of exit codes has those that the help states.
func TestExitCodesAreThoseOfTheHelp(t *testing.T) {
	_, status, _ := strings.Cut(help(t), "Exit status: ")
	status, _, _ = strings.Cut(status, "\n\n")
	var said []string
	for _, m := range regexp.MustCompile(`(\d+) [a-z]`).FindAllStringSubmatch(status, -1) {
		said = append(said, m[1])
	}
	var listed []string
	for _, m := range regexp.MustCompile(`(?m)^\| (\d+) \|`).FindAllStringSubmatch(read(t, "docs/reference/exit-codes.md"), -1) {
		listed = append(listed, m[1])
	}
	if len(said) < 3 || !slices.Equal(said, listed) {
		t.Errorf("docs/reference/exit-codes.md lists %q, the help %q", listed, said)
	}
}

// unlisted has the variables that no user sets, or that stand for others.
var unlisted = map[string]string{
	"ACQNP_HANDED_OVER": "the program sets it for itself",
	"ACQNP_SHARED":      "of tests alone",
	"ACQNP_TRAIN_STEPS": "the example of ACQNP_SECTION_KEY",
}

// The page of environment variables has those that the code or the help names, and no others.
func TestEnvironmentPageNamesEveryVariable(t *testing.T) {
	variable := regexp.MustCompile(`ACQNP_[A-Z_]+`)
	known := map[string]bool{"ACQNP_SECTION_KEY": true}
	for _, v := range variable.FindAllString(help(t), -1) {
		known[v] = true
	}
	literal := regexp.MustCompile(`"(ACQNP_[A-Z_]+)"`)
	for _, folder := range []string{"cmd", "internal"} {
		must.Do(t, filepath.WalkDir(filepath.Join(root, folder), func(path string, d fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "internal/test") {
				return err
			}
			text, err := os.ReadFile(path)
			for _, m := range literal.FindAllStringSubmatch(string(text), -1) {
				known[m[1]] = true
			}
			return err
		}))
	}
	page := read(t, "docs/reference/environment.md")
	listed := map[string]bool{}
	for _, m := range regexp.MustCompile("(?m)^\\| `(ACQNP_[A-Z_]+)` \\|").FindAllStringSubmatch(page, -1) {
		listed[m[1]] = true
	}
	for v := range known {
		if unlisted[v] == "" && !listed[v] {
			t.Errorf("docs/reference/environment.md lacks %s", v)
		}
	}
	for v := range listed {
		if !known[v] {
			t.Errorf("docs/reference/environment.md has %s, which nothing reads", v)
		}
	}
}

// help returns what acqnp --help prints, and acqnp serve --help.
func help(t *testing.T) string {
	t.Helper()
	var out, stderr bytes.Buffer
	for _, args := range [][]string{{"--help"}, {"serve", "--help"}} {
		if code := cli.Main(args, cli.Streams{Out: &out, Err: &stderr}); code != 0 {
			t.Fatalf("acqnp %s: exit code %d\n%s", args, code, &stderr)
		}
	}
	return out.String()
}
