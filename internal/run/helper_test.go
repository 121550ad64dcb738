package run_test

import (
	"bytes"
	"path/filepath"
	"testing"
	"time"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/engine"
	"github.com/acqnp/acqnp/internal/files/safetensors"
	"github.com/acqnp/acqnp/internal/files/safetensors/safetensorstest"
	"github.com/acqnp/acqnp/internal/models"
	"github.com/acqnp/acqnp/internal/random"
	"github.com/acqnp/acqnp/internal/run"
	"github.com/acqnp/acqnp/internal/test/must"
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

func modelOf(t testing.TB, e config.Experiment) *models.Model {
	t.Helper()
	return must.Get(models.New(e.Model, 1, 1))(t)
}

// thirds is a scaling without a short decimal form.
func thirds() datasets.Scaling {
	return datasets.Scaling{XOffset: []float64{1.0 / 3}, XScale: []float64{2.0 / 3}, YOffset: []float64{-1e5 / 3}, YScale: []float64{1e-5 / 3}}
}

// finished writes a run of 12 steps with checkpoints of steps 8 and 12, as training would. Its
// weights are random.
func finished(t testing.TB) (dir string, e config.Experiment) {
	t.Helper()
	e, dir = experiment(t), filepath.Join(t.TempDir(), "run")
	m := modelOf(t, e)
	text := must.Get(e.YAML())(t)
	w := must.Get(run.Create(dir, false))(t)
	defer w.Close()
	must.Do(t, w.OpenLog(0), w.WriteConfig(string(text)))
	for step := 3; step <= 12; step++ {
		if step%3 == 0 {
			must.Do(t, w.Log(run.Metrics{Step: step, Loss: -0.25, LearningRate: 0.01, RowsPerSecond: 9, Elapsed: 0.5}))
		}
		if step%4 == 0 {
			c := run.Checkpoint{Step: step, Benchmark: e.Benchmark, Model: m.Name(), Config: string(text), Version: "test",
				Elapsed: time.Second, State: state(m, step), Units: &run.Units{XNames: []string{"x"}, YNames: []string{"y"}, Scaling: thirds()}}
			must.Do(t, w.Save(&c, m, e.Train))
		}
	}
	return dir, e
}

// state returns an optimiser's state after some steps.
func state(m *models.Model, step int) engine.State {
	g, n := random.New(uint64(step), random.Data), m.NumParams()
	s := engine.State{Params: m.Initial(uint64(step)), M: make([]float32, n), V: make([]float32, n), Updates: step}
	g.Fill(0, 0, s.M)
	g.Fill(1, 0, s.V)
	return s
}

// load opens a run and loads a checkpoint of it.
func load(dir, which string, m *models.Model, warn func(string)) (run.Checkpoint, error) {
	r, err := run.Open(dir)
	if err != nil {
		return run.Checkpoint{}, err
	}
	return r.Load(which, m, warn)
}

func checkpoint(dir, name string) string {
	return filepath.Join(dir, "checkpoints", name+".safetensors")
}

// contents are those of a safetensors file.
type contents struct {
	meta    map[string]string
	tensors []safetensors.Tensor
}

// rewritten writes a copy of a safetensors file after a change.
func rewritten(t *testing.T, path string, change func(f *contents)) string {
	t.Helper()
	f, to := contents{}, filepath.Join(t.TempDir(), "changed.safetensors")
	f.meta, f.tensors = safetensorstest.Read(t, path)
	change(&f)
	var b bytes.Buffer
	must.Do(t, safetensors.Write(&b, f.meta, f.tensors))
	must.Write(t, b.Bytes(), to)
	return to
}
