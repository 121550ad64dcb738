package train_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/datasets/benchmark"
	"github.com/acqnp/acqnp/internal/engine"
	"github.com/acqnp/acqnp/internal/engine/device"
	"github.com/acqnp/acqnp/internal/files/safetensors/safetensorstest"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/models/ops"
	"github.com/acqnp/acqnp/internal/run"
	"github.com/acqnp/acqnp/internal/test/must"
	"github.com/acqnp/acqnp/internal/train"
)

const tiny = `
benchmark: lissajous
model: {name: acqnp, representation: 8, encoder: [8], adaptor: [8], decoder: [8]}
data: {points: [6, 12]}
train: {steps: 12, batch_size: 4, num_tau: 3, log_every: 3, checkpoint_every: 4, keep_checkpoints: 1, seed: 5, learning_rate: 0.01}
eval: {batches: 2, num_tau: 3}
`

// experiment returns the tiny experiment after the changes.
func experiment(t testing.TB, change ...func(*config.Experiment)) config.Experiment {
	t.Helper()
	e := must.Get(config.Parse("tiny.yaml", []byte(tiny), config.Overrides{}))(t)
	for _, c := range change {
		c(&e)
	}
	return e
}

func steps(n int) func(*config.Experiment) {
	return func(e *config.Experiment) { e.Train.Steps = n }
}

func modelOf(t testing.TB, e config.Experiment) *models.Model {
	t.Helper()
	source := must.Get(benchmark.Open(e, ""))(t)
	dx, dy := source.Dims()
	return must.Get(models.New(e.Model, dx, dy))(t)
}

// mustTrain trains to the end or fails the test.
func mustTrain(t testing.TB, o train.Options) train.Result {
	t.Helper()
	return must.Get(train.Run(context.Background(), o))(t)
}

// A compiler compiles a training graph to a program.
type compiler func(g *ops.Graph, threads int) (engine.Program[float32], error)

// on is the CPU with a test's compiler.
type on struct {
	device.Device
	compile compiler
}

func (d on) Trainer(g *ops.Graph, o device.Training) (engine.Trainer, error) {
	p, err := d.compile(g, 0)
	if err != nil {
		return nil, err
	}
	return engine.NewTrainer(p, g.Tensors, o.WeightDecay), nil
}

// runWith trains with the given data source and compiler.
func runWith(ctx context.Context, o train.Options, source *datasets.Source, compile compiler) (train.Result, error) {
	o.Source, o.Device = source, on{device.CPU(0), compile}
	return train.Run(ctx, o)
}

// interruptAfter trains and ends the context in the callback of step n, so that n steps are done.
func interruptAfter(t testing.TB, o train.Options, n int) train.Result {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	o.OnStep = func(u train.Update) {
		if u.Step == n {
			cancel()
		}
	}
	r, err := train.Run(ctx, o)
	if !errors.Is(err, train.ErrInterrupted) {
		t.Fatalf("interrupted run: %v", err)
	}
	return r
}

// tensors returns the bytes of a checkpoint's tensors, without its metadata, which hold times.
func tensors(t testing.TB, path string) []byte {
	t.Helper()
	_, all := safetensorstest.Read(t, path)
	var b bytes.Buffer
	for _, tensor := range all {
		b.WriteString(tensor.Name)
		b.Write(tensor.Data)
	}
	return b.Bytes()
}

func sameTensors(t testing.TB, a, b string) {
	t.Helper()
	if !bytes.Equal(tensors(t, a), tensors(t, b)) {
		t.Errorf("%s and %s hold different tensors", a, b)
	}
}

// files lists a directory tree, sorted, without directories and the lock.
func files(t testing.TB, dir string) []string {
	t.Helper()
	var list []string
	must.Do(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && d.Name() != ".lock" {
			list = append(list, strings.TrimPrefix(path, dir+string(filepath.Separator)))
		}
		return err
	}))
	slices.Sort(list)
	return list
}

func wantFiles(t testing.TB, dir string, want ...string) {
	t.Helper()
	slices.Sort(want)
	if got := files(t, dir); !slices.Equal(got, want) {
		t.Errorf("the directory holds %v, want %v", got, want)
	}
}

func metrics(t testing.TB, dir string) []run.Metrics {
	t.Helper()
	raw := must.Get(os.ReadFile(filepath.Join(dir, "metrics.jsonl")))(t)
	var list []run.Metrics
	for line := range bytes.Lines(raw) {
		var m run.Metrics
		if err := json.Unmarshal(line, &m); err != nil {
			t.Fatalf("metrics line %q: %v", line, err)
		}
		list = append(list, m)
	}
	return list
}

func metricSteps(t testing.TB, dir string) []int {
	var list []int
	for _, m := range metrics(t, dir) {
		list = append(list, m.Step)
	}
	return list
}

func checkpoint(dir string, name string) string {
	return filepath.Join(dir, "checkpoints", name+".safetensors")
}
