package plan_test

import (
	"path/filepath"
	"testing"

	"github.com/acqnp/acqnp/internal/sweep/plan"
)

// The plans of the repository are valid, with as many runs as their comments say.
func TestShippedPlans(t *testing.T) {
	t.Chdir(filepath.Join("..", "..", ".."))
	files, err := filepath.Glob("sweeps/*.yaml")
	if err != nil || len(files) < 4 {
		t.Fatal(files, err)
	}
	runs := map[string]int{"paper": 360, "quick": 20, "search": 9, "lab": 28}
	for _, file := range files {
		p, err := plan.Load(file, nil)
		if err != nil {
			t.Error(err)
			continue
		}
		name := filepath.Base(file[:len(file)-len(".yaml")])
		if want, ok := runs[name]; ok && len(p.Runs) != want {
			t.Errorf("%s: %d runs, want %d", file, len(p.Runs), want)
		}
	}
}
