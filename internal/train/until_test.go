package train_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/engine/device"
	"github.com/acqnp/acqnp/internal/train"
)

// A run that stops at each of several steps, at last at its own, ends with the bytes and the log of one in one piece.
func TestUntilStopsWithoutAnError(t *testing.T) {
	for _, schedule := range []string{config.Constant, config.Cosine, config.Plateau} {
		t.Run(schedule, func(t *testing.T) {
			e, whole := impatient(t, schedule), t.TempDir()
			want := mustTrain(t, train.Options{Experiment: e, Dir: whole, Source: overfitted, Device: device.CPU(1)})
			dir := t.TempDir()
			o := train.Options{Experiment: e, Dir: dir, Resume: true, Source: overfitted, Device: device.CPU(2)}
			from := 0
			for _, until := range []int{3, 4, 7, 7} {
				o.Until = until
				r := mustTrain(t, o)
				if r.Step != until || r.Resumed != from || r.Ended != train.EndedByUntil || r.Finished || r.Checkpoint != filepath.Join(dir, "checkpoints", stepName(until)) {
					t.Errorf("until %d: %+v", until, r)
				}
				from = until
			}
			o.Until = want.Step
			got := mustTrain(t, o)
			if got.Resumed != 7 || got.Step != want.Step || got.Ended != want.Ended || got.Best.Step != want.Best.Step {
				t.Errorf("%+v, want %+v", got, want)
			}
			sameTensors(t, got.Checkpoint, want.Checkpoint)
			sameTensors(t, got.Best.Checkpoint, want.Best.Checkpoint)
			if a, b := metricSteps(t, dir), metricSteps(t, whole); !slices.Equal(a, b) {
				t.Errorf("logged steps %v, want %v", a, b)
			}
			again := lls(t, dir)
			for step, ll := range lls(t, whole) {
				if again[step] != ll {
					t.Errorf("valid_ll of step %d %v, want %v", step, again[step], ll)
				}
			}
			if r := mustTrain(t, o); !r.Finished || r.Ended == train.EndedByUntil {
				t.Errorf("a run at its end: %+v", r)
			}
		})
	}
}
