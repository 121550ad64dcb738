//go:build linux

package gpucheck

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// The laboratory stops in time with a checkpoint, and the pieces that it packed go on elsewhere: to the
// end, with the bits of a training in one piece.
func TestLabGoesOn(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "acqnp")
	if said, err := exec.Command("go", "build", "-C", root, "-o", program, "./cmd/acqnp").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	plan := filepath.Join(t.TempDir(), "plan.yaml")
	if err := os.WriteFile(plan, []byte("configs: configs/rbf/cnp.yaml\nseeds: 0..1\nset: {train.steps: 4000, train.batch_size: 4, "+
		"train.checkpoint_every: 200, eval.batches: 2}\nevaluate: true\nruns: runs\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	lab := func(code int, args ...string) {
		t.Helper()
		args = append([]string{root + "/scripts/lab.sh", "--program", program, plan}, args...)
		said, err := exec.Command("sh", args...).CombinedOutput()
		var exit *exec.ExitError
		if got := 0; errors.As(err, &exit) || err == nil {
			if exit != nil {
				got = exit.ExitCode()
			}
			if got != code {
				t.Fatalf("exit code %d, want %d: %s", got, code, said)
			}
		} else {
			t.Fatal(err)
		}
	}
	flags := []string{"--", "--device", "cpu", "--jobs", "1", "--threads", "1"}
	whole, first, second, third, out := t.TempDir(), t.TempDir(), t.TempDir(), t.TempDir(), t.TempDir()
	lab(0, append([]string{"--dir", whole}, flags...)...)

	began := time.Now()
	lab(130, append([]string{"--dir", first, "--out", out, "--seconds", "3"}, flags...)...)
	t.Logf("stopped after %v", time.Since(began))
	unpack := func(archive, dir string) {
		t.Helper()
		if said, err := exec.Command("tar", "-xzf", archive, "-C", dir).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, said)
		}
	}
	unpack(filepath.Join(out, "lab-1.tar.gz"), second)
	if done, _ := filepath.Glob(second + "/runs/rbf/cnp/seed-1/eval.json"); done != nil {
		t.Fatal("both runs were done in the time that was given")
	}
	lab(0, append([]string{"--dir", second}, flags...)...)
	for _, seed := range []string{"0", "1"} {
		name := "runs/rbf/cnp/seed-" + seed + "/weights.safetensors"
		want, err := os.ReadFile(filepath.Join(whole, name))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(filepath.Join(second, name)); err != nil || string(got) != string(want) {
			t.Errorf("%s: other bits than in one piece, error %v", name, err)
		}
	}

	// Runs that are done are packed for a GPU without their weights, and are done there.
	m := pack(t, "RUNS="+whole)
	unpack(filepath.Join(m.dir, "lab-runs.tar.gz"), third)
	lab(0, append([]string{"--dir", third}, flags...)...)
	info, err := os.Stat(filepath.Join(third, "runs/rbf/cnp/seed-0/checkpoints/step-4000.safetensors"))
	if err != nil || info.Size() != 0 {
		t.Errorf("a run that was done was trained again: %v, error %v", info, err)
	}
}
