package train_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/engine/cpu"
	"github.com/acqnp/acqnp/internal/test/must"
	"github.com/acqnp/acqnp/internal/train"
)

// split has a fixed training split of three batches, which differ in their number of groups.
func split() *datasets.Source {
	s := counted()
	s.StepsPerEpoch = 3
	return s
}

// inEpochs returns an experiment on images that counts epochs. split stands for the images.
func inEpochs(t *testing.T, epochs int) config.Experiment {
	t.Helper()
	text := strings.NewReplacer("lissajous", "svhn", "data: {points: [6, 12]}\n", "", "steps: 12", fmt.Sprintf("epochs: %d", epochs)).Replace(tiny)
	return must.Get(config.Parse("images.yaml", []byte(text), config.Overrides{}))(t)
}

func TestEpochsAreStepsOfTheirSource(t *testing.T) {
	e := inEpochs(t, 4)
	in := func(dir string, e config.Experiment, resume bool, after int) (train.Result, error) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		return runWith(ctx, train.Options{Experiment: e, Dir: dir, Resume: resume, OnStep: func(u train.Update) {
			if want := 3 * e.Train.Epochs; u.Steps != want {
				t.Errorf("%d steps, want %d", u.Steps, want)
			}
			if u.Step == after {
				cancel()
			}
		}}, split(), cpu.New)
	}
	whole, parts := t.TempDir(), t.TempDir()
	r, err := in(whole, e, false, 0)
	if err != nil || r.Step != 12 || r.Checkpoint != checkpoint(whole, "step-12") {
		t.Fatalf("%+v, %v", r, err)
	}
	if _, err := in(parts, e, false, 5); err == nil { // in the middle of the second epoch
		t.Fatal("not interrupted")
	}
	again, err := in(parts, e, true, 0)
	if err != nil || again.Resumed != 5 {
		t.Fatalf("%+v, %v", again, err)
	}
	sameTensors(t, r.Checkpoint, again.Checkpoint)
	must.Same(t, []int{3, 6, 9, 12}, metricSteps(t, parts), "logged steps")
	if r, err := in(whole, inEpochs(t, 5), true, 0); err != nil || r.Step != 15 {
		t.Errorf("an epoch more: %+v, %v", r, err)
	}
	must.Refuse(t, must.Err(in(whole, inEpochs(t, 3), true, 0)), "train.epochs", "9 steps", "15 steps")
}

func TestEpochsNeedAFixedSplit(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	must.Refuse(t, must.Err(runWith(t.Context(), train.Options{Experiment: inEpochs(t, 2), Dir: dir}, counted(), cpu.New)), "train.epochs")
}
