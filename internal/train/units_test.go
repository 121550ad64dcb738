package train_test

import (
	"context"
	"testing"

	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/engine/cpu"
	"github.com/acqnp/acqnp/internal/test/must"
	"github.com/acqnp/acqnp/internal/train"
)

// scaled is a benchmark's source with a scaling.
type scaled struct {
	datasets.Source
	scaling datasets.Scaling
}

func (s scaled) Scaling() datasets.Scaling { return s.scaling }

// thirds returns a scaling without a short decimal form.
func thirds() datasets.Scaling {
	return datasets.Scaling{XOffset: []float64{1.0 / 3}, XScale: []float64{2.0 / 3}, YOffset: []float64{-1e5 / 3}, YScale: []float64{1e-5 / 3}}
}

// scaledRun trains a run on data of the given scaling.
func scaledRun(t *testing.T, dir string, s datasets.Scaling, resume bool) (train.Result, error) {
	t.Helper()
	e := experiment(t)
	return runWith(context.Background(), train.Options{Experiment: e, Dir: dir, Resume: resume},
		scaled{hooked(t, e, nothing), s}, cpu.New)
}

func TestResumeRefusesOtherData(t *testing.T) {
	dir := t.TempDir()
	must.Get(scaledRun(t, dir, thirds(), false))(t)
	rounded := thirds()
	rounded.YScale[0] *= 1 + 1e-12
	if _, err := scaledRun(t, dir, rounded, true); err != nil {
		t.Errorf("rounded otherwise: %v", err)
	}
	other := thirds()
	other.YScale[0] *= 1.001
	must.Refuse(t, must.Err(scaledRun(t, dir, other, true)), dir, "another scaling")
}
