package bench_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/test/must"
	"github.com/acqnp/acqnp/internal/train/bench"
)

func TestEveryStepHasTheSamePoints(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config.yaml")
	text := "benchmark: rbf\nmodel: {name: cnp, representation: 4, encoder: [4], decoder: [4]}\n"
	must.Do(t, os.WriteFile(file, []byte(text), 0o644))
	for _, n := range []int{bench.LeastPoints, 5, 9, 1000} {
		e, err := bench.Experiment(file, config.Overrides{}, n)
		if err != nil {
			t.Fatalf("%d points: %v", n, err)
		}
		context := max(3, n/2)
		if diff := cmp.Diff([]int{n, n}, e.Data.Points); diff != "" || e.Data.LeastContext() != context || e.Data.MinTargets != n-context {
			t.Errorf("%d points: drawn from %v, at least %d of context and %d targets", n, e.Data.Points, e.Data.LeastContext(), e.Data.MinTargets)
		}
	}
	drawn := must.Get(bench.Experiment(file, config.Overrides{}, 0))(t)
	if drawn.Data.Points[0] == drawn.Data.Points[1] {
		t.Errorf("points drawn from %v", drawn.Data.Points)
	}
}

// A configuration may come through a pipe, which is read once.
func TestAConfigurationFromAPipe(t *testing.T) {
	r, w, err := os.Pipe()
	must.Do(t, err)
	defer r.Close()
	must.Do(t, must.Err(w.WriteString("benchmark: rbf\nmodel: {name: cnp}\n")))
	must.Do(t, w.Close())
	file := fmt.Sprintf("/dev/fd/%d", r.Fd())
	if _, err := os.Stat(file); err != nil {
		t.Skip("no /dev/fd here")
	}
	if e := must.Get(bench.Experiment(file, config.Overrides{}, 9))(t); e.Data.Points[0] != 9 {
		t.Errorf("points drawn from %v", e.Data.Points)
	}
}

// Other benchmarks than curves have groups of sizes of their own.
func TestPointsAreThoseOfCurves(t *testing.T) {
	for benchmark, more := range map[string]string{"tasks": "data: {command: [simulate]}\n", "groups": "", "mnist": "", "csv": "data: {file: a.csv}\n"} {
		file := must.Write(t, "benchmark: "+benchmark+"\nmodel: {name: cnp}\n"+more, t.TempDir(), "config.yaml")
		if _, err := bench.Experiment(file, config.Overrides{}, 9); err == nil || !strings.HasPrefix(err.Error(), "--points: found 9, expected no --points: the groups of ") {
			t.Errorf("%s: %v", benchmark, err)
		}
	}
}
