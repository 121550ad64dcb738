package train_test

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/datasets/benchmark"
	"github.com/acqnp/acqnp/internal/engine"
	"github.com/acqnp/acqnp/internal/engine/cpu"
	"github.com/acqnp/acqnp/internal/engine/device"
	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/internal/run"
	"github.com/acqnp/acqnp/internal/test/must"
	"github.com/acqnp/acqnp/internal/train"
)

// hooked returns the source of an experiment, whose training batches pass through a hook.
func hooked(t *testing.T, e config.Experiment, hook func(step int, b *datasets.Batch) error) *datasets.Source {
	t.Helper()
	s := must.Get(benchmark.Open(e, ""))(t)
	all := s.Train.Make
	s.Train.Make = func(step int, b *datasets.Batch) error {
		if err := all(step, b); err != nil {
			return err
		}
		return hook(step, b)
	}
	return s
}

// program calls spoil with the gradient after the run of a step.
type program struct {
	engine.Program[float32]
	steps *int
	step  int
	spoil func(grads []float32)
}

func (p program) Run(e ops.Extents) error {
	err := p.Program.Run(e)
	if *p.steps++; *p.steps == p.step {
		p.spoil(p.Grads())
	}
	return err
}

// spoiled compiles programs whose gradient is spoilt at a step.
func spoiled(step int, spoil func(grads []float32)) compiler {
	return func(g *ops.Graph, threads int) (engine.Program[float32], error) {
		p, err := cpu.New(g, threads)
		return program{p, new(int), step, spoil}, err
	}
}

func wantNonFinite(t *testing.T, err error, step int, quantity, tensor string) {
	t.Helper()
	var bad *train.NonFiniteError
	if !errors.As(err, &bad) {
		t.Fatalf("error %v (%T), want a NonFiniteError", err, err)
	}
	if bad.Step != step || bad.Seed != 5 || bad.Quantity != quantity || bad.Tensor != tensor {
		t.Errorf("%+v, want step %d, seed 5, %s of %s", bad, step, quantity, tensor)
	}
}

func TestNaNInTheLossStops(t *testing.T) {
	e := experiment(t)
	dir := t.TempDir()
	bad := hooked(t, e, func(step int, b *datasets.Batch) error {
		if step == 9 {
			b.Y[0] = float32(math.NaN())
		}
		return nil
	})
	_, err := runWith(context.Background(), train.Options{Experiment: e, Dir: dir}, bad, cpu.New)
	wantNonFinite(t, err, 10, "loss", "loss")
	if !strings.Contains(err.Error(), "step 10 (batch 9 of seed 5)") || !strings.Contains(err.Error(), "NaN") {
		t.Errorf("message %q", err)
	}
	wantFiles(t, dir, "config.yaml", "metrics.jsonl", "checkpoints/step-4.safetensors", "checkpoints/step-8.safetensors")

	// The last good checkpoint is that of an undisturbed run: resuming from it ends with its bits.
	r := mustTrain(t, train.Options{Experiment: e, Dir: dir, Resume: true})
	if r.Resumed != 8 {
		t.Errorf("resumed from %d", r.Resumed)
	}
	want := mustTrain(t, train.Options{Experiment: e, Dir: t.TempDir()})
	sameTensors(t, r.Checkpoint, want.Checkpoint)
}

func TestInfinityInAGradientNamesItsTensor(t *testing.T) {
	e := experiment(t)
	m := modelOf(t, e)
	for _, tensor := range m.Tensors() {
		compile := spoiled(6, func(grads []float32) {
			grads[tensor.Offset+tensor.Size()-1] = float32(math.Inf(1))
			grads[len(grads)-1] = float32(math.NaN())
		})
		dir := t.TempDir()
		_, err := runWith(context.Background(), train.Options{Experiment: e, Dir: dir}, hooked(t, e, nothing), compile)
		wantNonFinite(t, err, 6, "gradient", tensor.Name)
		r := must.Get(run.Open(dir))(t)
		must.Do(t, must.Err(r.Load(run.Newest, m, func(s string) { t.Error(s) })))
		wantFiles(t, dir, "config.yaml", "metrics.jsonl", "checkpoints/step-4.safetensors")
	}
}

func nothing(int, *datasets.Batch) error { return nil }

func TestAbsurdLearningRateStops(t *testing.T) {
	dir := t.TempDir()
	e := experiment(t, func(e *config.Experiment) { e.Train.LearningRate, e.Train.CheckpointEvery = 1e38, 1 })
	_, err := train.Run(context.Background(), train.Options{Experiment: e, Dir: dir})
	var bad *train.NonFiniteError
	if !errors.As(err, &bad) {
		t.Fatalf("error %v", err)
	}
	for _, file := range files(t, dir) {
		if strings.HasPrefix(file, "checkpoints") {
			c, err := run.ReadCheckpoint(filepath.Join(dir, file), modelOf(t, e))
			if err != nil || c.Step >= bad.Step {
				t.Errorf("%s, written in a run that failed at step %d: %v", file, bad.Step, err)
			}
		}
	}
}

// A finite gradient whose square overflows float32 makes Adam's second moment infinite. That stops
// the run at this step, and the message names the last checkpoint, if there is one.
func TestOverflowInAdamStopsAtItsStep(t *testing.T) {
	e := experiment(t)
	tensor := modelOf(t, e).Tensors()[3]
	for step, saved := range map[int]string{3: "", 6: "step-4", 12: "step-8"} {
		compile := spoiled(step, func(grads []float32) { grads[tensor.Offset+1] = 1e30 })
		dir := t.TempDir()
		_, err := runWith(context.Background(), train.Options{Experiment: e, Dir: dir}, hooked(t, e, nothing), compile)
		wantNonFinite(t, err, step, "v", tensor.Name)
		want := "no checkpoint was written before it"
		if saved != "" {
			want = "the last checkpoint before it is " + checkpoint(dir, saved)
		}
		if text := err.Error(); !strings.Contains(text, want) || strings.Contains(text, "\n") || !strings.Contains(text, "train.learning_rate") {
			t.Errorf("step %d: message %q does not say %q", step, text, want)
		}
	}
}

func TestSourceErrorsAreReported(t *testing.T) {
	e := experiment(t)
	broken := errors.New("the disk is gone")
	s := hooked(t, e, func(step int, _ *datasets.Batch) error {
		if step == 5 {
			return broken
		}
		return nil
	})
	last := 0
	before := runtime.NumGoroutine()
	_, err := runWith(context.Background(), train.Options{Experiment: e, Dir: t.TempDir(),
		OnStep: func(u train.Update) { last = u.Step }}, s, cpu.New)
	if !errors.Is(err, broken) || !strings.Contains(err.Error(), "batch 5") || last != 5 {
		t.Errorf("after step %d: %v", last, err)
	}
	wantGoroutines(t, before)
	larger := hooked(t, e, func(_ int, b *datasets.Batch) error { b.Groups++; return nil })
	_, err = runWith(context.Background(), train.Options{Experiment: e, Dir: t.TempDir()}, larger, cpu.New)
	if err == nil || !strings.Contains(err.Error(), "5 groups") {
		t.Errorf("a batch beyond the promised size: %v", err)
	}
}

func TestCancelBeforeTheFirstStep(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	dir := t.TempDir()
	before := runtime.NumGoroutine()
	r, err := train.Run(ctx, train.Options{Experiment: experiment(t), Dir: dir})
	if !errors.Is(err, train.ErrInterrupted) || r.Step != 0 {
		t.Errorf("%+v, %v", r, err)
	}
	wantFiles(t, dir, "config.yaml", "metrics.jsonl", "checkpoints/step-0.safetensors")
	wantGoroutines(t, before)
}

// wantGoroutines waits until at most `most` goroutines are left, or fails the test.
func wantGoroutines(t *testing.T, most int) {
	t.Helper()
	for range 3000 {
		if runtime.NumGoroutine() <= most {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before the run", runtime.NumGoroutine(), most)
}

// Steps that neither log nor save allocate nothing, apart from the data source. That of lissajous
// allocates nothing.
func TestStepsDoNotAllocate(t *testing.T) {
	e := experiment(t, steps(400), func(e *config.Experiment) { e.Train.LogEvery, e.Train.CheckpointEvery = 1000, 1000 })
	var before, after runtime.MemStats
	mustTrain(t, train.Options{Experiment: e, Dir: t.TempDir(), Device: device.CPU(1), OnStep: func(u train.Update) {
		switch u.Step {
		case 100:
			runtime.ReadMemStats(&before)
		case 300:
			runtime.ReadMemStats(&after)
		}
	}})
	// The runtime itself allocates a little. One allocation per step would be 200.
	if n := after.Mallocs - before.Mallocs; n > 100 {
		t.Errorf("%d allocations in 200 steps", n)
	}
}
