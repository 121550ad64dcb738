//go:build simt

package emulator_test

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/test/must"
)

// parts holds the C files of the emulator. Each uses only those before it.
var parts = []string{"simt_report.c", "simt_clocks.c", "simt_memory.c", "simt_fibers.c", "simt_check.c", "simt_background.c", "simt_warp.c", "simt_wgmma.c", "simt_bulk.c", "simt_launch.c"}

// TestPartsUseOnlyThoseBelow compiles each part and reads which names it defines and which it uses.
func TestPartsUseOnlyThoseBelow(t *testing.T) {
	files := must.Get(filepath.Glob("*.c"))(t)
	if want := slices.Sorted(slices.Values(parts)); !slices.Equal(files, want) {
		t.Fatalf("the C files are %v, and the parts %v", files, want)
	}
	home := map[string]int{} // the part that defines a name
	used := make([][]string, len(parts))
	for i, part := range parts {
		var defined []string
		defined, used[i] = names(t, part)
		for _, name := range defined {
			home[name] = i
		}
	}
	seen := 0
	for i, part := range parts {
		for _, name := range used[i] {
			at, ours := home[name]
			if ours && at > i {
				t.Errorf("%s uses %s of %s, which comes after it", part, name, parts[at])
			}
			if ours {
				seen++
			}
		}
	}
	if seen < len(parts) {
		t.Errorf("found only %d uses of one part by another", seen)
	}
}

// names returns the global names that a C file defines and those that it uses of others.
func names(t *testing.T, file string) (defined, used []string) {
	object := filepath.Join(t.TempDir(), "part.o")
	if said, err := exec.Command("gcc", "-c", "-w", "-DSIMT_CHECKED", "-o", object, file).CombinedOutput(); err != nil {
		t.Fatalf("gcc %s: %v\n%s", file, err, said)
	}
	table, err := exec.Command("nm", "-g", object).Output()
	if err != nil {
		t.Fatalf("nm %s: %v", file, err)
	}
	for line := range bytes.Lines(table) {
		f := strings.Fields(string(line))
		if len(f) == 2 { // U name: without an address
			used = append(used, f[1])
			continue
		}
		defined = append(defined, f[len(f)-1])
	}
	return defined, used
}
