package layers

import (
	"bytes"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/acqnp/acqnp/"

// allTags lists the sets of build tags that select different files.
var allTags = []string{"", "simt", "gpu"}

// listImports returns the imports of every package of the module, joined over the given build tags.
// Packages of the module are named by their path in it. Imports of tests are left out.
func listImports(t *testing.T, tags []string) map[string][]string {
	t.Helper()
	imports := map[string][]string{}
	for _, tag := range tags {
		// -e: with the tag gpu, packages that lack compiled kernels or modules are listed
		// nevertheless.
		cmd := exec.Command("go", "list", "-e", "-tags="+tag, "-f", `{{.ImportPath}} {{join .Imports " "}}`, module+"...")
		cmd.Env = append(os.Environ(), "CGO_ENABLED=1")
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("go list: %v\n%s", err, &stderr)
		}
		for line := range strings.Lines(string(out)) {
			fields := strings.Fields(strings.ReplaceAll(line, module, ""))
			imports[fields[0]] = append(imports[fields[0]], fields[1:]...)
		}
	}
	for name, list := range imports {
		slices.Sort(list)
		imports[name] = slices.Compact(list)
	}
	return imports
}

// within reports whether a package is a folder's or one of a folder below it.
func within(name, folder string) bool {
	return name == folder || strings.HasPrefix(name, folder+"/")
}
