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

// listImports returns the imports of every package of the module, over all given build tags. It
// names packages of the module by their path in it, and leaves out imports of tests.
func listImports(t *testing.T, tags []string) map[string][]string {
	t.Helper()
	imports := map[string][]string{}
	for _, tag := range tags {
		// -e lists packages with errors too: under the tag gpu, kernels and modules may be missing.
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

// within reports whether a package is that of a folder or of a folder below it.
func within(name, folder string) bool {
	return name == folder || strings.HasPrefix(name, folder+"/")
}
