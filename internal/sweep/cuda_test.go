//go:build simt && !gpu

package sweep_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/test/must"
)

// Runs on the emulated GPU, two at a time in processes of their own, have the bytes of runs alone.
func TestSweepOnCUDA(t *testing.T) {
	t.Setenv("CUDA_VISIBLE_DEVICES", "0")
	folder(t, "configs: cnp.yaml\nseeds: 0..2\nset: {train.steps: 10}\nevaluate: true\nruns: out\n")
	out, errs := acqnp(t, 0, "sweep", "run", "plan.yaml", "--device", "cuda", "--jobs", "2")
	if !strings.HasPrefix(out, "3 of 3 runs done, 3 trained") || !strings.Contains(errs, "2 runs at a time") {
		t.Errorf("%s%s", out, errs)
	}
	acqnp(t, 0, "train", "--config", "cnp.yaml", "--seed", "1", "--set", "train.steps=10", "--run-dir", "alone", "--no-eval", "--quiet", "--device", "cuda")
	acqnp(t, 0, "eval", "--run", "alone", "--quiet", "--device", "cuda")
	checkSame(t, filepath.Join("out", "rbf", "cnp", "seed-1"), results(t, "alone"))
}

// A process sees one instance of a GPU (MIG), as its GPU 0: each run gets its own. --jobs may be fewer than the instances.
func TestSweepOnCUDAInstances(t *testing.T) {
	folder(t, "configs: cnp.yaml\nseeds: 0..3\nset: {train.steps: 10}\nruns: out\n")
	t.Setenv("CUDA_VISIBLE_DEVICES", "MIG-1a,MIG-2b")
	t.Setenv(visibleOf, "seen-")
	out, errs := acqnp(t, 0, "sweep", "run", "plan.yaml", "--device", "cuda")
	if !strings.HasPrefix(out, "4 of 4 runs done, 4 trained") || !strings.Contains(errs, "2 runs at a time") {
		t.Errorf("%s%s", out, errs)
	}
	seen := must.Get(filepath.Glob("seen-*"))(t)
	must.Same(t, []string{"seen-MIG-1a", "seen-MIG-2b"}, seen, "runs saw")
	must.Do(t, os.RemoveAll("out"))
	if _, errs := acqnp(t, 0, "sweep", "run", "plan.yaml", "--device", "cuda", "--jobs", "1"); !strings.Contains(errs, "1 run at a time") {
		t.Errorf("--jobs 1: %s", errs)
	}
}
