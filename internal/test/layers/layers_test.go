// Package layers tests that imports go one way: down the list of layers, and never in a circle
// between folders.
package layers

import (
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/test/must"
)

// layers lists the packages from the bottom up. A package imports only packages of lines above its
// own.
var layers = [][]string{
	{"internal/points", "internal/invalid", "internal/invalid/warning", "internal/random", "internal/progress", "internal/files/interrupt", "internal/simd", "internal/engine/device/memory", "internal/run/version", "kernels/gpu"},
	{"internal/files", "internal/config/catalogue", "internal/config/yamlnode"},
	{"internal/config", "internal/files/safetensors", "internal/files/tabular", "internal/files/tfevents"},
	{"internal/likelihood", "internal/fit/formula", "internal/models/ops", "internal/files/safetensors/safetensorstest", "kernels/gpu/gputest",
		"kernels/gpu/cu/probe", "kernels", "kernels/vocabulary"},
	{"internal/likelihood/score", "internal/fit/simple", "internal/fit/table", "internal/models", "internal/engine", "internal/engine/analysis", "kernels/gpu/cu", "kernels/emulator"},
	{"internal/fit/stack", "internal/engine/reference", "internal/engine/cpu", "internal/engine/cuda"},
	{"internal/engine/device", "internal/datasets/rows", "internal/datasets/rda", "internal/datasets/matfile", "internal/datasets/fetch"},
	{"internal/datasets"},
	{"internal/datasets/own", "internal/datasets/paper", "internal/datasets/simulated"},
	{"internal/datasets/own/draft", "internal/datasets/benchmark"},
	{"internal/datasets/feed", "internal/datasets/datatest", "internal/run", "internal/run/footprint"},
	{"internal/predict/conformal", "internal/fit/pretrained"},
	{"internal/predict", "internal/train"},
	{"internal/fit/file"},
	{"internal/fit/answer"},
	{"internal/fit/effects", "internal/fit", "internal/train/bench", "internal/predict/onnx", "internal/predict/onnx/onnxtest",
		"internal/serve/page", "internal/sweep/plan", "internal/report/tables"},
	{"internal/sweep", "internal/sweep/submit", "internal/report/figures", "internal/serve", "internal/fit/fittest"},
	{"internal/serve/servetest", "internal/cli/doctor", "internal/cli/output"},
	{"internal/cli"},
	{"cmd/acqnp", "tools/onnx", "internal/cli/clitest"},
}

// testFolders lists the folders whose packages hold tests only.
var testFolders = []string{"internal/test", "deploy"}

func TestImportsGoOneWay(t *testing.T) {
	level := map[string]int{}
	for i, line := range layers {
		for _, p := range line {
			level[p] = i
		}
	}
	imports := listImports(t, allTags)
	for _, name := range slices.Sorted(maps.Keys(imports)) {
		if slices.ContainsFunc(testFolders, func(folder string) bool { return within(name, folder) }) {
			continue
		}
		at, known := level[name]
		if !known {
			t.Errorf("%s has no layer: give it one here", name)
			continue
		}
		for _, imported := range imports[name] {
			if _, ours := imports[imported]; ours && level[imported] >= at {
				t.Errorf("%s imports %s, which is not below it", name, imported)
			}
		}
	}
	for name := range level {
		if _, exists := imports[name]; !exists {
			t.Errorf("the list of layers names %s, which does not exist", name)
		}
	}
}

// The program must start where there is no GPU. gorgonia.org/cu ends the process there.
func TestDefaultBuildLeavesOutCU(t *testing.T) {
	for name, imported := range listImports(t, []string{""}) {
		for _, p := range imported {
			if strings.HasPrefix(p, "gorgonia.org/cu") {
				t.Errorf("%s imports %s without the build tag gpu", name, p)
			}
		}
	}
}

// A table of numbers must not need a plotting library.
func TestTablesLinkNoPlots(t *testing.T) {
	imports := listImports(t, []string{""})
	seen := map[string]bool{}
	var visit func(name string)
	visit = func(name string) {
		if seen[name] {
			return
		}
		seen[name] = true
		for _, p := range imports[name] {
			if strings.HasPrefix(p, "gonum.org/v1/plot") {
				t.Errorf("internal/report/tables imports %s, which imports %s", name, p)
			}
			visit(p)
		}
	}
	visit("internal/report/tables")
	if !seen["internal/config"] {
		t.Error("internal/report/tables has no imports")
	}
}

// A package imports only packages above it in the table of CONTRIBUTING.md, as that page says.
func TestContributingListsPackagesBottomUp(t *testing.T) {
	text := must.Get(os.ReadFile("../../../CONTRIBUTING.md"))(t)
	rows := map[string]int{}
	for i, line := range strings.Split(string(text), "\n") {
		if cells := strings.Split(line, "|"); len(cells) > 2 {
			for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cells[1], -1) {
				rows[m[1]] = i
			}
		}
	}
	// row returns the row of a package, or of the nearest folder around it that has one.
	row := func(name string) int {
		for ; name != "."; name = path.Dir(name) {
			if i, ok := rows[name]; ok {
				return i
			}
		}
		return -1
	}
	imports := listImports(t, allTags)
	for _, name := range slices.Sorted(maps.Keys(imports)) {
		for _, imported := range imports[name] {
			if _, ours := imports[imported]; ours && row(imported) > row(name) && row(name) >= 0 {
				t.Errorf("%s imports %s, which CONTRIBUTING.md lists below it", name, imported)
			}
		}
	}
}
