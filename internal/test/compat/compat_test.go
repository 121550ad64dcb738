package compat

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acqnp/acqnp/internal/cli"
	"github.com/acqnp/acqnp/internal/engine/simd"
	"github.com/acqnp/acqnp/internal/files/safetensors"
)

// TestMain clears the program's settings from the environment, but for the kernels that CI forces.
func TestMain(m *testing.M) {
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); strings.HasPrefix(name, "ACQNP_") && name != "ACQNP_SIMD" {
			os.Unsetenv(name)
		}
	}
	os.Exit(m.Run())
}

// runs lists the directories below testdata/runs.
var runs = []string{"cnp", "canp", "bnp", "cqnp", "acqnp", "csv"}

// acqnp runs the program in dir, which must exit with 0, and returns its standard output.
func acqnp(t *testing.T, dir string, args ...string) string {
	t.Helper()
	t.Chdir(dir)
	var out, err bytes.Buffer
	if code := cli.Main(args, cli.Streams{In: strings.NewReader(""), Out: &out, Err: &err}); code != 0 {
		t.Fatalf("acqnp %s: exit code %d\n%s", strings.Join(args, " "), code, err.String())
	}
	return out.String()
}

// files copies testdata to a directory that the program may write to, and returns its path.
func files(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// needSameBits skips the test if the kernels round differently from those that wrote testdata:
// AVX-512, whose bits AVX2 shares and, at these widths, AMX.
func needSameBits(t *testing.T) {
	t.Helper()
	if name := simd.Name(); !slices.Contains([]string{"amx", "avx512", "avx2"}, name) {
		t.Skipf("%s kernels have other last bits than the vectors of x86-64 that wrote testdata", name)
	}
}

// A run that version 0.1 stopped at step 10 ends at step 20 with the same tensors and losses as in
// version 0.1.
func TestOldRunResumesToTheSameBits(t *testing.T) {
	needSameBits(t)
	for _, run := range runs {
		t.Run(run, func(t *testing.T) {
			dir := files(t)
			last := filepath.Join(dir, "runs", run, "checkpoints", "step-20.safetensors")
			want := tensors(t, last)
			if err := os.Remove(last); err != nil {
				t.Fatal(err)
			}
			losses := metrics(t, dir, run)
			acqnp(t, dir, "train", "--config", filepath.Join("runs", run, "config.yaml"), "--run-dir", filepath.Join("runs", run),
				"--resume", "--no-eval", "--quiet", "--data-dir", "data")
			if diff := cmp.Diff(want, tensors(t, last)); diff != "" {
				t.Errorf("tensors of step 20 (-then +now):\n%s", diff)
			}
			if diff := cmp.Diff(losses, metrics(t, dir, run)); diff != "" {
				t.Errorf("metrics.jsonl (-then +now):\n%s", diff)
			}
		})
	}
}

// tensors returns the tensors of a checkpoint by name.
func tensors(t *testing.T, path string) map[string][]byte {
	t.Helper()
	r, err := safetensors.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	all := map[string][]byte{}
	for _, name := range r.Names() {
		tensor, err := r.Read(name)
		if err != nil {
			t.Fatal(err)
		}
		all[name] = tensor.Data
	}
	return all
}

// metric is a line of metrics.jsonl without the fields that depend on the clock.
type metric struct {
	Step         int     `json:"step"`
	Loss         float64 `json:"loss"`
	LearningRate float64 `json:"learning_rate"`
}

func metrics(t *testing.T, dir, run string) (all []metric) {
	t.Helper()
	for line := range strings.Lines(read(t, filepath.Join(dir, "runs", run, "metrics.jsonl"))) {
		var m metric
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatal(err)
		}
		all = append(all, m)
	}
	if len(all) != 4 {
		t.Fatalf("%d lines of metrics.jsonl, want 4", len(all))
	}
	return all
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// eval gives the same figures as in version 0.1: those of eval.json at the end of training, and
// those of --out for a tasks file.
func TestOldRunEvaluatesAsItDid(t *testing.T) {
	needSameBits(t)
	for _, run := range runs {
		t.Run(run, func(t *testing.T) {
			dir := files(t)
			path := filepath.Join(dir, "runs", run, "eval.json")
			want := evaluation(t, path)
			acqnp(t, dir, "eval", "--run", filepath.Join("runs", run), "--quiet", "--data-dir", "data")
			if diff := cmp.Diff(want, evaluation(t, path)); diff != "" {
				t.Errorf("eval.json (-then +now):\n%s", diff)
			}
		})
	}
	t.Run("tasks", func(t *testing.T) {
		dir := files(t)
		acqnp(t, dir, "eval", "--run", "runs/acqnp", "--tasks", "tasks.safetensors", "--out", "now.json", "--quiet")
		if diff := cmp.Diff(evaluation(t, filepath.Join(dir, "eval-tasks.json")), evaluation(t, filepath.Join(dir, "now.json"))); diff != "" {
			t.Errorf("evaluation of the tasks file (-then +now):\n%s", diff)
		}
	})
}

// evaluation returns an eval.json without the fields that depend on the clock and the program, and
// without those that version 0.1 did not have.
func evaluation(t *testing.T, path string) map[string]any {
	t.Helper()
	var e map[string]any
	if err := json.Unmarshal([]byte(read(t, path)), &e); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"schema", "seconds", "version", "scored_targets", "log_density", "crps", "pinball", "coverage", "pit", "per_function"} {
		delete(e, key)
	}
	return e
}

// sample-quantiles writes the same bytes as version 0.1.
func TestOldRunPredictsAsItDid(t *testing.T) {
	needSameBits(t)
	for _, run := range runs {
		t.Run(run, func(t *testing.T) {
			dir := files(t)
			context, grid := "context.csv", "-1:1:5"
			if run == "csv" {
				context, grid = "prices-context.csv", "0.2:6:5"
			}
			acqnp(t, dir, "sample-quantiles", "--run", filepath.Join("runs", run), "--context", context, "--grid="+grid, "--num-quantiles", "3",
				"--level-spacing", "random", "--quantiles", "0.1,0.5", "--draws", "2", "--out", "now.csv", "--quiet", "--data-dir", "data")
			want := read(t, filepath.Join(dir, "runs", run, "quantiles.csv"))
			if diff := cmp.Diff(want, read(t, filepath.Join(dir, "now.csv"))); diff != "" {
				t.Errorf("quantiles.csv (-then +now):\n%s", diff)
			}
		})
	}
}

// Every kind of kernels loads and uses the files of version 0.1. Plain Go differs only in the last
// bits.
func TestOldRunLoadsOnAnyKernels(t *testing.T) {
	for _, run := range runs {
		t.Run(run, func(t *testing.T) {
			dir := files(t)
			want := evaluation(t, filepath.Join(dir, "runs", run, "eval.json"))
			acqnp(t, dir, "eval", "--run", filepath.Join("runs", run), "--checkpoint", "20", "--out", "now.json", "--quiet", "--data-dir", "data")
			then, now := target(want), target(evaluation(t, filepath.Join(dir, "now.json")))
			// Float32 sums of some hundred terms of order 1: 1e-5 is a hundred roundings.
			if d := now - then; !(d < 1e-5 && d > -1e-5) {
				t.Errorf("target log-likelihood %v, was %v", now, then)
			}
		})
	}
}

func target(e map[string]any) float64 { return e["target_ll"].(map[string]any)["mean"].(float64) }

// A file of exported weights starts a run, and export writes the same bytes as version 0.1.
func TestOldWeightsLoad(t *testing.T) {
	dir := files(t)
	acqnp(t, dir, "export", "--run", "runs/acqnp", "--out", "now.safetensors", "--quiet")
	if !bytes.Equal([]byte(read(t, filepath.Join(dir, "weights.safetensors"))), []byte(read(t, filepath.Join(dir, "now.safetensors")))) {
		t.Error("export writes other bytes than it did")
	}
	acqnp(t, dir, "train", "--config", "runs/acqnp/config.yaml", "--weights", "weights.safetensors", "--run-dir", "runs/new", "--no-eval", "--quiet")
}
