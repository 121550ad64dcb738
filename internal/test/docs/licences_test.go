package docs

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// The page of licences has the modules that the programs contain. `sh scripts/licences.sh` writes it.
func TestLicencesAreOfTheModulesInThePrograms(t *testing.T) {
	contained := map[string]bool{"Go's standard library": true}
	for _, program := range [][]string{{"GOOS=linux"}, {"GOOS=darwin"}, {"GOOS=windows"}, {"GOOS=linux", "CGO_ENABLED=1", "GOFLAGS=-tags=gpu"}} {
		cmd := exec.Command("go", "list", "-e", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}{{end}}{{end}}", "./cmd/acqnp")
		cmd.Dir, cmd.Stderr = root, os.Stderr
		cmd.Env = append(append(os.Environ(), "CGO_ENABLED=0", "GOARCH=amd64"), program...)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("go list for %s: %v", program, err)
		}
		for _, path := range strings.Fields(string(out)) {
			contained[path] = true
		}
	}
	var listed []string
	for line := range strings.Lines(read(t, "docs/reference/licences.md")) {
		fields := strings.Split(line, "|")
		if len(fields) != 4 || strings.HasPrefix(line, "| ---") || strings.HasPrefix(line, "| module") {
			continue
		}
		module := strings.TrimSpace(fields[1])
		listed = append(listed, module)
		if strings.TrimSpace(fields[2]) == "" {
			t.Errorf("%s has no licence", module)
		}
		if !contained[module] {
			t.Errorf("docs/reference/licences.md lists %s, which no program contains: sh scripts/licences.sh", module)
		}
	}
	for module := range contained {
		if !slices.Contains(listed, module) {
			t.Errorf("docs/reference/licences.md lacks %s: sh scripts/licences.sh", module)
		}
	}
}
