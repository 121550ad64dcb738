package sweep_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/acqnp/acqnp/internal/cli"
	"github.com/acqnp/acqnp/internal/run"
	"github.com/acqnp/acqnp/internal/test/must"
	"github.com/acqnp/acqnp/internal/test/nolocks"
)

// asProgram is the environment variable that makes the test binary run as acqnp: sweeps start their
// own executable.
const asProgram = "SWEEP_TEST_AS_PROGRAM"

// visibleOf is the environment variable that makes a training leave a file of the variable's value and that of
// CUDA_VISIBLE_DEVICES.
const visibleOf = "SWEEP_TEST_VISIBLE"

// withoutLocks is the environment variable that makes such a program see file systems without locks.
const withoutLocks = "SWEEP_TEST_WITHOUT_LOCKS"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		if file := os.Getenv(visibleOf); file != "" && os.Args[1] == "train" {
			if err := os.WriteFile(file+os.Getenv("CUDA_VISIBLE_DEVICES"), nil, 0o644); err != nil {
				panic(err)
			}
		}
		if os.Getenv(withoutLocks) != "" {
			if err := nolocks.Forbid(); err != nil {
				panic(err)
			}
		}
		os.Exit(cli.Main(os.Args[1:], cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Replace: syscall.Exec}))
	}
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); strings.HasPrefix(name, "ACQNP_") {
			os.Unsetenv(name)
		}
	}
	os.Setenv(asProgram, "1")
	os.Exit(m.Run())
}

const tiny = `benchmark: rbf
model: {name: %s, representation: 8, encoder: [8], decoder: [8]}
data: {points: [6, 12]}
train: {steps: 60, batch_size: 4, log_every: 5, checkpoint_every: 10, learning_rate: 0.01}
eval: {batches: 2, batch_size: 2, num_points: 20, max_context: 8}
`

// folder makes a folder with the configurations cnp.yaml and cqnp.yaml and changes to it.
func folder(t *testing.T, plan string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for _, model := range []string{"cnp", "cqnp"} {
		must.Write(t, fmt.Sprintf(tiny, model), model+".yaml")
	}
	must.Write(t, plan, "plan.yaml")
}

// command returns acqnp as a process that has not started yet, and its standard error.
func command(args ...string) (*exec.Cmd, *bytes.Buffer) {
	cmd := exec.Command(os.Args[0], args...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	return cmd, &errs
}

// acqnp runs the program, which must exit with a code, and returns its outputs.
func acqnp(t *testing.T, code int, args ...string) (out, errs string) {
	t.Helper()
	cmd, stderr := command(args...)
	b, err := cmd.Output()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != code {
		t.Fatalf("acqnp %s: %v, want exit code %d\n%s%s", strings.Join(args, " "), err, code, b, stderr)
	}
	return string(b), stderr.String()
}

// results returns the bytes of the files of the runs below dir that do not depend on time: checkpoints'
// tensors, logs and evaluations.
func results(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	must.Do(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		switch filepath.Ext(path) {
		case ".safetensors":
			all[name] = string(tensors(t, b))
		case ".jsonl", ".json":
			all[name] = timeless(t, b)
		case ".yaml":
			all[name] = string(b)
		}
		return nil
	}))
	return all
}

// tensors returns a safetensors file without its header, whose metadata hold times.
func tensors(t *testing.T, b []byte) []byte {
	t.Helper()
	n := 0
	for i := range 8 {
		n |= int(b[i]) << (8 * i)
	}
	return b[8+n:]
}

// timeless returns lines of JSON without what depends on the time and the directory.
func timeless(t *testing.T, b []byte) string {
	t.Helper()
	var text strings.Builder
	d := json.NewDecoder(bytes.NewReader(b))
	for d.More() {
		var m map[string]any
		must.Do(t, d.Decode(&m))
		for _, key := range []string{"rows_per_s", "elapsed_s", "seconds", "weights", "created"} {
			delete(m, key)
		}
		if c, ok := m["checkpoint"].(map[string]any); ok {
			delete(c, "path")
		}
		line, _ := json.Marshal(m)
		text.Write(append(line, '\n'))
	}
	return text.String()
}

// serial trains and evaluates the runs of both configurations one after another and returns their
// results.
func serial(t *testing.T, seeds ...string) map[string]string {
	t.Helper()
	dir := t.TempDir()
	for _, model := range []string{"cnp", "cqnp"} {
		for _, seed := range seeds {
			at := filepath.Join(dir, "rbf", model, "seed-"+seed)
			acqnp(t, 0, "train", "--config", model+".yaml", "--seed", seed, "--run-dir", at, "--no-eval", "--quiet", "--device", "cpu")
			acqnp(t, 0, "eval", "--run", at, "--quiet", "--device", "cpu")
		}
	}
	return results(t, dir)
}

// checkSame compares the results below dir with those of serial.
func checkSame(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	got := results(t, dir)
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if got[name] != want[name] {
			t.Errorf("%s differs from a run alone:\n%.300q\n%.300q", name, got[name], want[name])
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("%s is left over", name)
		}
	}
}

const both = "configs: [cnp.yaml, cqnp.yaml]\nseeds: 0..2\nevaluate: true\nruns: out\n"

// A sweep computes the bits of runs that are trained one after another, also in parts, as arrays train them,
// and trains nothing twice.
func TestSweepEqualsSerialRuns(t *testing.T) {
	folder(t, both)
	want := serial(t, "0", "1", "2")
	for part, done := range map[string]string{"1..3": "3 of 3 runs done, 3 trained", "5": "1 of 1 run done, 1 trained"} {
		if out, _ := acqnp(t, 0, "sweep", "run", "plan.yaml", "--jobs", "3", "--indices", part); !strings.HasPrefix(out, done) {
			t.Error(out)
		}
	}
	out, _ := acqnp(t, 0, "sweep", "run", "plan.yaml", "--jobs", "3")
	if !strings.HasPrefix(out, "6 of 6 runs done, 2 trained") {
		t.Error(out)
	}
	checkSame(t, "out", want)
	out, _ = acqnp(t, 0, "sweep", "run", "plan.yaml")
	if !strings.HasPrefix(out, "6 of 6 runs done, 0 trained") {
		t.Error(out)
	}
	must.Write(t, strings.Replace(both, "0..2", "1..3", 1), "plan.yaml") // a plan may change: what it shares with the old one stays
	out, _ = acqnp(t, 0, "sweep", "run", "plan.yaml", "--jobs", "2")
	if !strings.HasPrefix(out, "6 of 6 runs done, 2 trained") {
		t.Error(out)
	}
}

// A run that diverges fails for good. The others end, and the next call does not train it again.
func TestAFailureIsListed(t *testing.T) {
	folder(t, both)
	must.Write(t, strings.Replace(fmt.Sprintf(tiny, "cqnp"), "0.01", "1e30", 1), "cqnp.yaml")
	for call, trained := range []int{3, 0} {
		out, errs := acqnp(t, 1, "sweep", "run", "plan.yaml", "--jobs", "2")
		if want := fmt.Sprintf("3 of 6 runs done, %d trained", trained); !strings.HasPrefix(out, want) || strings.Count(out, "\nfailed: ") != 3 {
			t.Errorf("call %d: %s\nwant %s", call, out, want)
		}
		if !strings.Contains(errs, "acqnp sweep run: 3 of 6 runs failed; ") {
			t.Errorf("call %d: %s", call, errs)
		}
	}
	f, err := run.ReadFailure(filepath.Join("out", "rbf", "cqnp", "seed-1"))
	if err != nil || f == nil || f.Cause != run.Diverged || f.ExitCode != 1 || f.Attempts != 1 || !strings.Contains(f.Message, "training diverged at step") {
		t.Errorf("%+v, %v", f, err)
	}
}

// If all runs failed because of their input, so has the sweep: an array need not try again. The next
// call tries again, since the input may have been mended.
func TestAllInputsAreBad(t *testing.T) {
	folder(t, "configs: cnp.yaml\nruns: out\n")
	must.Write(t, "benchmark: csv\nmodel: {name: cnp, representation: 8, encoder: [8], decoder: [8]}\n"+
		"data: {file: prices.csv, group: product, x: [age], y: [price]}\ntrain: {steps: 5, batch_size: 2}\n", "cnp.yaml")
	_, errs := acqnp(t, 2, "sweep", "run", "plan.yaml", "--jobs", "1")
	if !strings.Contains(errs, "prices.csv") {
		t.Error(errs)
	}
	var rows strings.Builder
	rows.WriteString("product,age,price\n")
	for i := range 100 {
		fmt.Fprintf(&rows, "%c,%d,%d\n", 'a'+i/20, i%20, i*i%13)
	}
	must.Write(t, rows.String(), "prices.csv")
	acqnp(t, 0, "sweep", "run", "plan.yaml", "--jobs", "1")
}

// A finished run with another configuration is named with its key before anything starts.
func TestRefusesAnotherConfiguration(t *testing.T) {
	folder(t, "configs: cnp.yaml\nruns: out\n")
	acqnp(t, 0, "sweep", "run", "plan.yaml", "--jobs", "1")
	must.Write(t, "configs: cnp.yaml\nseeds: 0..1\nset: {train.learning_rate: 0.02}\nruns: out\n", "plan.yaml")
	_, errs := acqnp(t, 2, "sweep", "run", "plan.yaml", "--jobs", "1")
	if !strings.Contains(errs, "train.learning_rate: 0.01 and 0.02") {
		t.Error(errs)
	}
	if _, err := os.Stat(filepath.Join("out", "rbf", "cnp", "seed-1")); err == nil {
		t.Error("the other run was started")
	}
}

// Halving trains every run up to the first rung, the better ones up to the next, and one to its end,
// where it has the bytes of a run alone. A sweep that is stopped in between goes on in the same way.
func TestHalvingInThePool(t *testing.T) {
	const halved = "configs: cnp.yaml\ngrid: {train.learning_rate: [0.01, 1.0e-06, 1.0e-05, 0.001]}\n" +
		"set: {train.validate_every: 10}\nhalving: {first: 10, factor: 2}\nruns: %s\n"
	folder(t, fmt.Sprintf(halved, "out"))
	out, _ := acqnp(t, 0, "sweep", "run", "plan.yaml", "--jobs", "2")
	if !strings.HasPrefix(out, "1 of 4 runs done, 3 dropped by halving") {
		t.Error(out)
	}
	steps := map[string]int{}
	for _, c := range []string{"0.01", "1.0e-06", "1.0e-05", "0.001"} {
		s := must.Get(run.StateOf(filepath.Join("out", "rbf", "cnp", "learning_rate="+c, "seed-0"), false))(t)
		steps[c] = s.Step
	}
	if want := map[string]int{"0.01": 60, "0.001": 20, "1.0e-05": 10, "1.0e-06": 10}; !maps.Equal(steps, want) {
		t.Errorf("steps %v, want %v", steps, want)
	}
	acqnp(t, 0, "train", "--config", "cnp.yaml", "--set", "train.validate_every=10", "--run-dir", "alone", "--no-eval", "--quiet", "--device", "cpu")
	best := filepath.Join("out", "rbf", "cnp", "learning_rate=0.01", "seed-0")
	checkSame(t, best, results(t, "alone"))
	want := results(t, "out")
	must.Write(t, fmt.Sprintf(halved, "again"), "plan.yaml")
	for _, c := range []string{"1.0e-05", "0.01"} { // as if a call had been killed after some of the first rung
		acqnp(t, 0, "train", "--config", "cnp.yaml", "--set", "train.validate_every=10", "--set", "train.learning_rate="+c, "--until", "10",
			"--run-dir", filepath.Join("again", "rbf", "cnp", "learning_rate="+c, "seed-0"), "--no-eval", "--quiet", "--device", "cpu")
	}
	acqnp(t, 0, "sweep", "run", "plan.yaml", "--jobs", "3")
	checkSame(t, "again", want)
	acqnp(t, 2, "sweep", "run", "plan.yaml", "--indices", "0")
}

// A run that is at its end, but whose log does not say so, is given up and not started forever.
func TestEndsWithARunWithoutItsLog(t *testing.T) {
	folder(t, "configs: cnp.yaml\nruns: out\nset: {train.steps: 10}")
	acqnp(t, 0, "sweep", "run", "plan.yaml", "--jobs", "1", "--quiet")
	must.Do(t, os.Remove("out/rbf/cnp/seed-0/metrics.jsonl"))
	_, errs := acqnp(t, 1, "sweep", "run", "plan.yaml", "--jobs", "1", "--quiet")
	if !strings.Contains(errs, "log has no end: move the run away") {
		t.Error(errs)
	}
}

// A plan of as few steps as a run has made, and of fewer than it was planned for, finds it done.
func TestEndsWhereARunStopped(t *testing.T) {
	folder(t, "configs: cnp.yaml\nruns: out\nset: {train.steps: 20}\nevaluate: true")
	acqnp(t, 0, "train", "--config", "cnp.yaml", "--run-dir", "out/rbf/cnp/seed-0", "--until", "20", "--quiet")
	acqnp(t, 0, "sweep", "run", "plan.yaml", "--jobs", "1", "--quiet")
	if s := must.Get(run.StateOf("out/rbf/cnp/seed-0", true))(t); s.Phase != run.Done || s.Step != 20 {
		t.Errorf("%+v, want a run that is done", s)
	}
}
