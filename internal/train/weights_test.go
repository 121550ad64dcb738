package train_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/run"
	"github.com/acqnp/acqnp/internal/test/must"
	"github.com/acqnp/acqnp/internal/train"
)

// Training refuses bad weights before it writes anything.
func TestTrainingRefusesBadWeights(t *testing.T) {
	weights := filepath.Join(t.TempDir(), "weights.safetensors")
	m := modelOf(t, experiment(t, func(e *config.Experiment) { e.Model.Decoder = []int{9} }))
	must.Do(t, run.WriteWeights(weights, m, m.Initial(1), nil))
	dir := filepath.Join(t.TempDir(), "run")
	_, err := train.Run(t.Context(), train.Options{Experiment: experiment(t), Dir: dir, Start: run.Start{Weights: weights}})
	must.Refuse(t, err, weights, "_decoder._mlp._net.0.weight")
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the run directory was made: %v", err)
	}
}

func TestTrainingStartsFromWeights(t *testing.T) {
	e := experiment(t, func(e *config.Experiment) { e.Train.CheckpointEvery = 100 })
	m := modelOf(t, e)
	start := m.Initial(77)
	weights := filepath.Join(t.TempDir(), "weights.safetensors")
	must.Do(t, run.WriteWeights(weights, m, start, nil))
	dir := t.TempDir()
	interruptAfter(t, train.Options{Experiment: e, Dir: dir, Start: run.Start{Weights: weights}}, 1)
	c, err := run.ReadCheckpoint(checkpoint(dir, "step-0"), m)
	if err != nil || !slices.Equal(c.Params, start) {
		t.Fatalf("the checkpoint of step 0 does not hold the weights: %v", err)
	}

	// Going on needs the file no more, even from before the first step.
	undisturbed := t.TempDir()
	want := mustTrain(t, train.Options{Experiment: e, Dir: undisturbed, Start: run.Start{Weights: weights}})
	must.Do(t, os.Remove(checkpoint(dir, "step-1")), os.Remove(weights))
	got := mustTrain(t, train.Options{Experiment: e, Dir: dir, Resume: true, Start: run.Start{Weights: weights}})
	sameTensors(t, got.Checkpoint, want.Checkpoint)
}

// A training starts with the encoder of another model, and with its own first weights beside it.
func TestTrainingStartsFromAnEncoder(t *testing.T) {
	e := experiment(t, func(e *config.Experiment) { e.Train.CheckpointEvery = 100 })
	m := modelOf(t, e)
	other := modelOf(t, experiment(t, func(e *config.Experiment) { e.Model.Name, e.Model.Adaptor = "cqnp", nil }))
	file := filepath.Join(t.TempDir(), "encoder.safetensors")
	must.Do(t, run.WriteWeights(file, other, other.Initial(77), nil))
	dir := t.TempDir()
	interruptAfter(t, train.Options{Experiment: e, Dir: dir, Start: run.Start{Encoder: file}}, 1)
	c := must.Get(run.ReadCheckpoint(checkpoint(dir, "step-0"), m))(t)
	encoders, own := other.Initial(77), m.Initial(e.Train.Seed)
	for _, tensor := range m.Tensors() {
		want := own[tensor.Offset:][:tensor.Size()]
		for _, from := range other.Tensors() {
			if from.Name == tensor.Name && strings.HasPrefix(tensor.Name, "_encoder.") {
				want = encoders[from.Offset:][:from.Size()]
			}
		}
		if !slices.Equal(c.Params[tensor.Offset:][:tensor.Size()], want) {
			t.Errorf("%s starts with other weights", tensor.Name)
		}
	}
}
