package train_test

import (
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/engine/device"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/run"
	"github.com/acqnp/acqnp/internal/test/must"
	"github.com/acqnp/acqnp/internal/train"
)

// averaged returns what an average of the weights should be after step last: the mean of those after every so
// many steps at first, later an exponential average whose newest weights count share.
func averaged(t *testing.T, dir string, e config.Experiment, every, last int, share float64) []float64 {
	t.Helper()
	want := make([]float64, modelOf(t, e).NumParams())
	for k := 1; every*k <= last; k++ {
		c := must.Get(run.ReadCheckpoint(filepath.Join(dir, "checkpoints", stepName(every*k)), modelOf(t, e)))(t)
		for i, w := range c.Params {
			want[i] += max(share, 1/float64(k)) * (float64(w) - want[i])
		}
	}
	return want
}

func wantAverage(t *testing.T, found []float32, want []float64) {
	t.Helper()
	for i, w := range found {
		if math.Abs(float64(w)-want[i]) > 1e-5 { // sums of 40 float32 of about 1
			t.Fatalf("weight %d: %v, expected %v", i, w, want[i])
		}
	}
}

// What is validated and kept is the mean of the weights at first, then an exponential average that
// reaches back about a hundred steps.
func TestTheBestIsAnAverage(t *testing.T) {
	dir := t.TempDir()
	e := validated(t, steps(400), func(e *config.Experiment) {
		e.Train.ValidateEvery, e.Train.CheckpointEvery, e.Train.KeepCheckpoints = 20, 10, 1000
	})
	r := mustTrain(t, train.Options{Experiment: e, Dir: dir})
	if r.Best.Step < 200 {
		t.Fatalf("the best is step %d, too early to prove anything", r.Best.Step)
	}
	best, err := run.ReadCheckpoint(checkpoint(dir, "best"), modelOf(t, e))
	if err != nil || best.Step != r.Best.Step {
		t.Fatalf("step %d, %v", best.Step, err)
	}
	wantAverage(t, best.Params, averaged(t, dir, e, 10, r.Best.Step, 0.1))
}

func stepName(step int) string { return filepath.Base(checkpoint("", "step-"+strconv.Itoa(step))) }

// Without validation too, predictions can use an average of the weights, over as many steps as they are told.
// The training itself does not change, and the average survives a resume.
func TestAnAverageWithoutValidation(t *testing.T) {
	average := func(e *config.Experiment) { e.Train.EMA, e.Train.Schedule = 5, config.Constant }
	e := experiment(t, steps(40), average, func(e *config.Experiment) { e.Train.CheckpointEvery, e.Train.KeepCheckpoints = 1, 1000 })
	dir, plain, resumed := t.TempDir(), t.TempDir(), t.TempDir()
	mustTrain(t, train.Options{Experiment: e, Dir: dir})
	mustTrain(t, train.Options{Experiment: experiment(t, steps(40)), Dir: plain})
	mustTrain(t, train.Options{Experiment: experiment(t, steps(40), average), Dir: resumed, Until: 17})
	mustTrain(t, train.Options{Experiment: experiment(t, steps(40), average), Dir: resumed, Resume: true})
	m := modelOf(t, e)
	read := func(dir string, step int) run.Checkpoint {
		return must.Get(run.ReadCheckpoint(filepath.Join(dir, "checkpoints", stepName(step)), m))(t)
	}
	last, other, again := read(dir, 40), read(plain, 40), read(resumed, 40)
	if !slices.Equal(last.Params, other.Params) || other.Average != nil {
		t.Error("an average changes the training, or is there without one")
	}
	if !slices.Equal(last.Average, again.Average) || !slices.Equal(last.Params, again.Params) {
		t.Error("a resume has another average")
	}
	opened := must.Get(run.Open(dir))(t)
	trained := must.Get(predict.LoadRun(opened, run.Preferred, *last.Units, device.CPU(1), nil))(t)
	wantAverage(t, trained.Params, averaged(t, dir, e, 1, 40, 1.0/5))
	if slices.Equal(trained.Params, last.Params) {
		t.Error("predictions use the weights of the last step")
	}
}
