package layers

import (
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
)

// A circle is a chain of imports that leaves a folder and comes back to it. Go forbids only circles
// of packages.
func TestNoCircleOfFolders(t *testing.T) {
	for _, c := range circles(listImports(t, allTags)) {
		t.Errorf("imports go in a circle: %s", c)
	}
}

func TestCirclesAreFound(t *testing.T) {
	imports := map[string][]string{
		"internal/a":   {"fmt"},
		"internal/a/x": {"internal/b/y"},
		"internal/b/y": {"internal/c"},
		"internal/c":   {"internal/a", "internal/d"},
		"internal/d":   {"internal/d/z"}, // not a circle: it never leaves the folder
		"internal/d/z": nil,
	}
	want := []string{"internal/a/x → internal/b/y → internal/c → internal/a"}
	if got := circles(imports); !slices.Equal(got, want) {
		t.Errorf("circles %q, want %q", got, want)
	}
}

// circles returns, for every folder, a chain of imports that leaves the folder and enters it again.
// The folder internal does not count.
func circles(imports map[string][]string) []string {
	folders := map[string]bool{}
	for name := range imports {
		for f := name; f != "." && f != "internal"; f = path.Dir(f) {
			folders[f] = true
		}
	}
	var found []string
	for _, folder := range slices.Sorted(maps.Keys(folders)) {
		for _, name := range slices.Sorted(maps.Keys(imports)) {
			if within(name, folder) {
				if chain := wayBack(imports, folder, name, map[string]bool{}); chain != nil {
					found = append(found, strings.Join(chain, " → "))
				}
			}
		}
	}
	return found
}

// wayBack returns the first chain of imports that leads from a package through packages outside a
// folder to one inside, or nil.
func wayBack(imports map[string][]string, folder, name string, seen map[string]bool) []string {
	for _, next := range imports[name] {
		if _, ours := imports[next]; !ours || seen[next] {
			continue
		}
		if within(next, folder) {
			if !within(name, folder) {
				return []string{name, next}
			}
			continue
		}
		seen[next] = true
		if chain := wayBack(imports, folder, next, seen); chain != nil {
			return append([]string{name}, chain...)
		}
	}
	return nil
}
