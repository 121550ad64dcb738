// Package layers holds the house's one rule about imports: they go one way.
package layers

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/acqnp/acqnp/"

// layers from the ground up. A package imports packages of lower lines only.
var layers = [][]string{
	{"internal/input", "internal/atomicfile", "internal/random", "internal/progress", "internal/datasets/datatest",
		"internal/gpu"},
	{"internal/config", "internal/likelihood", "internal/safetensors", "internal/datasets/rda", "internal/datasets/matfile", "internal/fetch",
		"internal/ops", "internal/simd", "internal/gpu/gputest", "kernels"},
	{"internal/engine", "internal/engine/plan"},
	{"internal/engine/reference", "internal/engine/cpu", "internal/engine/cuda"},
	{"internal/models", "internal/datasets", "internal/device"},
	{"internal/feed"},
	{"internal/predict", "internal/train"},
	{"internal/report"},
	{"internal/tables"},
	{"internal/cli"},
	{"cmd/acqnp", "tools/roofline"},
}

// notPackages have tests only.
var notPackages = []string{"internal/layers", "internal/golden", "internal/e2e", "internal/test/compat", "kernels/optest", "deploy"}

func TestImportsGoOneWay(t *testing.T) {
	level := map[string]int{}
	for i, line := range layers {
		for _, p := range line {
			level[p] = i
		}
	}
	out, err := exec.Command("go", "list", "-f", "{{.ImportPath}} {{join .Imports \" \"}}", module+"...").CombinedOutput()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		name := strings.TrimPrefix(fields[0], module)
		if slices.Contains(notPackages, name) {
			continue
		}
		at, known := level[name]
		if !known {
			t.Errorf("%s has no layer: give it one here", name)
			continue
		}
		for _, imported := range fields[1:] {
			below, ours := strings.CutPrefix(imported, module)
			if ours && level[below] >= at {
				t.Errorf("%s imports %s, which is not below it", name, below)
			}
			if strings.HasPrefix(imported, "gorgonia.org/cu") {
				t.Errorf("%s imports %s, which ends the process where there is no GPU", name, imported)
			}
		}
	}
}
