package seeds_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/device"
	"github.com/acqnp/acqnp/internal/files/safetensors"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/progress"
	"github.com/acqnp/acqnp/internal/test/must"
	"github.com/acqnp/acqnp/internal/train"
	"github.com/acqnp/acqnp/internal/train/seeds"
)

const tiny = `
benchmark: matern52
model: {name: cqnp, representation: 8, encoder: [8], decoder: [8]}
data: {points: [6, 12]}
train: {steps: 10, batch_size: 5, num_tau: 3, log_every: 3, checkpoint_every: 4, keep_checkpoints: 3, learning_rate: 0.01}
`

// options returns a run of a seed in dir.
func options(t *testing.T, dir string, seed uint64) train.Options {
	t.Helper()
	e, err := config.Parse("tiny.yaml", []byte(tiny), config.Overrides{})
	if err != nil {
		t.Fatal(err)
	}
	e.Train.Seed = seed
	o := train.Options{Experiment: e, Dir: filepath.Join(dir, fmt.Sprint("seed-", seed))}
	if o.Source, err = datasets.Open(e, ""); err != nil {
		t.Fatal(err)
	}
	return o
}

// together trains runs at once and returns their outcomes and what was reported.
func together(ctx context.Context, runs []train.Options, threads int) ([]seeds.Outcome, string) {
	var b bytes.Buffer
	p := progress.New(&b, progress.JSON)
	return seeds.Train(ctx, seeds.Options{Runs: runs, Open: open, OnCPU: onCPU, Threads: threads, Progress: p}), b.String()
}

// alone trains one run to its end.
func alone(t *testing.T, o train.Options) {
	t.Helper()
	var err error
	if o.Device, err = open(1); err != nil {
		t.Fatal(err)
	}
	defer o.Device.Close()
	must.Get(train.Run(t.Context(), o))(t)
}

// contents returns the bytes of a checkpoint's tensors, without its metadata, which hold times.
func contents(t *testing.T, path string) []byte {
	t.Helper()
	f := must.Get(safetensors.ReadFile(path))(t)
	var b bytes.Buffer
	for _, tensor := range f.Tensors {
		b.WriteString(tensor.Name)
		b.Write(tensor.Data)
	}
	return b.Bytes()
}

// tensors returns the contents of all checkpoints of a run.
func tensors(t *testing.T, dir string) (all []byte) {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(dir, "checkpoints", "step-*"))
	for _, path := range files {
		all = append(append(all, filepath.Base(path)...), contents(t, path)...)
	}
	return all
}

func sameRun(t *testing.T, what, a, b string) {
	t.Helper()
	if x := tensors(t, a); len(x) == 0 || !bytes.Equal(x, tensors(t, b)) {
		t.Errorf("%s: other checkpoints in %s than in %s", what, a, b)
	}
}

// Three runs at once, also on one thread or on two, have the bits that each has alone.
func TestRunsHaveTheBitsThatTheyHaveAlone(t *testing.T) {
	dir := t.TempDir()
	for seed := range uint64(3) {
		alone(t, options(t, filepath.Join(dir, "alone"), seed))
	}
	for _, threads := range []int{1, 2, 6} {
		var runs []train.Options
		at := filepath.Join(dir, fmt.Sprint(threads))
		for seed := range uint64(3) {
			runs = append(runs, options(t, at, seed))
		}
		outcomes, shown := together(t.Context(), runs, threads)
		must.Do(t, seeds.Failure(runs, outcomes))
		for seed, o := range outcomes {
			name := fmt.Sprint("seed-", seed)
			if o.Step != 10 {
				t.Errorf("%s did %d steps", name, o.Step)
			}
			sameRun(t, fmt.Sprintf("%d threads", threads), filepath.Join(at, name), filepath.Join(dir, "alone", name))
		}
		if !strings.Contains(shown, `"done":30,"total":30`) {
			t.Errorf("the sum of the steps is not shown:\n%s", shown)
		}
	}
}

// A run that diverges and one whose directory is refused end alone, each with a warning.
func TestAFailureLeavesTheOthersAlone(t *testing.T) {
	dir := t.TempDir()
	runs := []train.Options{options(t, dir, 0), options(t, dir, 1), options(t, dir, 2)}
	runs[1].Experiment.Train.LearningRate = 1e38
	must.Do(t, os.WriteFile(runs[2].Dir, nil, 0o644))
	outcomes, shown := together(t.Context(), runs, 2)
	var diverged *train.NonFiniteError
	var refused *invalid.Input
	if outcomes[0].Err != nil || !errors.As(outcomes[1].Err, &diverged) || !errors.As(outcomes[2].Err, &refused) {
		t.Fatalf("%v", outcomes)
	}
	for _, o := range runs[1:] {
		if !strings.Contains(shown, `"event":"warning","message":"`+o.Dir) {
			t.Errorf("no warning of %s:\n%s", o.Dir, shown)
		}
	}
	err := seeds.Failure(runs, outcomes)
	if err == nil || errors.As(err, &refused) || !strings.Contains(err.Error(), "2 of 3 runs failed; "+runs[1].Dir) {
		t.Errorf("the whole failed with %v", err)
	}
	if err := seeds.Failure(runs[2:], outcomes[2:]); !errors.As(err, &refused) {
		t.Errorf("all failed with %v", err)
	}
	alone(t, options(t, filepath.Join(dir, "alone"), 0))
	sameRun(t, "beside a failure", runs[0].Dir, filepath.Join(dir, "alone", "seed-0"))
}

// stopper ends the context once all runs have begun and enough steps are done.
type stopper struct {
	progress.Reporter
	after  int
	cancel context.CancelFunc
	done   atomic.Bool
}

func (s *stopper) Update(u progress.State) {
	if u.Done >= s.after && s.done.CompareAndSwap(false, true) {
		s.cancel()
	}
}

// All runs end with a checkpoint when the context ends, those that have not begun without one; resumed,
// they end as if nothing had happened.
func TestInterruptedRunsResume(t *testing.T) {
	dir := t.TempDir()
	for seed := range uint64(3) {
		alone(t, options(t, filepath.Join(dir, "alone"), seed))
	}
	list := func(resume bool) []train.Options {
		var runs []train.Options
		for seed := range uint64(3) {
			runs = append(runs, options(t, dir, seed))
			runs[seed].Resume = resume
		}
		return runs
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	runs := list(false)
	p := &stopper{Reporter: progress.Quiet(progress.New(io.Discard, progress.JSON)), after: 7, cancel: cancel}
	outcomes := seeds.Train(ctx, seeds.Options{Runs: runs, Open: open, OnCPU: onCPU, Threads: 2, Progress: p})
	if err := seeds.Failure(runs, outcomes); !errors.Is(err, train.ErrInterrupted) {
		t.Fatalf("interrupted: %v", err)
	}
	begun := 0
	for i, o := range outcomes {
		if o.Checkpoint == "" {
			continue
		}
		if begun++; o.Step > 10 || len(tensors(t, runs[i].Dir)) == 0 {
			t.Errorf("%s: no checkpoint of step %d", runs[i].Dir, o.Step)
		}
	}
	if begun == 0 {
		t.Error("no run has begun")
	}
	runs = list(true)
	outcomes, _ = together(t.Context(), runs, 2)
	must.Do(t, seeds.Failure(runs, outcomes))
	for seed, o := range runs {
		last := filepath.Join("checkpoints", "step-10.safetensors")
		if !bytes.Equal(contents(t, filepath.Join(o.Dir, last)), contents(t, filepath.Join(dir, "alone", fmt.Sprint("seed-", seed), last))) {
			t.Errorf("%s ended with other weights", o.Dir)
		}
	}
}

// A device that cannot be opened is the run's error, and a panic does not end the others.
func TestDevicesThatFail(t *testing.T) {
	dir := t.TempDir()
	var calls atomic.Int32
	runs := []train.Options{options(t, dir, 0), options(t, dir, 1), options(t, dir, 2)}
	broken := func(threads int) (device.Device, error) {
		switch calls.Add(1) {
		case 1:
			return nil, errors.New("no device")
		case 2:
			panic("a bug")
		}
		return open(threads)
	}
	p := progress.New(io.Discard, progress.JSON)
	outcomes := seeds.Train(t.Context(), seeds.Options{Runs: runs, Open: broken, OnCPU: onCPU, Threads: 1, Progress: p})
	var texts []string
	for _, o := range outcomes {
		texts = append(texts, fmt.Sprint(o.Err))
	}
	slices.Sort(texts)
	if want := []string{"<nil>", "internal error: a bug", "no device"}; !slices.Equal(texts, want) {
		t.Errorf("errors %q, want %q", texts, want)
	}
}

func TestShare(t *testing.T) {
	for _, c := range []struct {
		n, threads   int
		cpu          bool
		atOnce, each int
	}{
		{6, 2, true, 2, 1}, {2, 7, true, 2, 3}, {1, 4, true, 1, 4}, {3, 3, true, 3, 1}, {6, 2, false, 6, 1}, {2, 16, false, 2, 8},
	} {
		if atOnce, each := seeds.Share(c.n, c.threads, c.cpu); atOnce != c.atOnce || each != c.each {
			t.Errorf("%+v: %d at once on %d threads each", c, atOnce, each)
		}
	}
}
