package train_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/run"
	"github.com/acqnp/acqnp/internal/test/must"
	"github.com/acqnp/acqnp/internal/train"
)

// A run that was planned for some steps and made a part of them goes on to more, or to fewer, with the
// bits of a run that was planned so from the start, or it is refused: with the plateau schedule, if the
// steps done would have had another learning rate.
func TestAnotherNumberOfSteps(t *testing.T) {
	impatient := impatient(t, config.Plateau)
	found := mustTrain(t, train.Options{Experiment: impatient, Dir: t.TempDir(), Source: overfitted})
	out := found.Best.Step + 2*impatient.Train.Patience // a tenth of it later, the run ends
	for name, c := range map[string]struct {
		schedule           string
		patience           bool
		began, done, steps int
		note               string // "" if it is refused
	}{
		"constant":            {config.Constant, false, 12, 12, 24, "to step 24 instead of 12: the learning rate stays at 0.01"},
		"constant, fewer":     {config.Constant, false, 24, 7, 12, "to step 12 instead of 24: the learning rate stays at 0.01"},
		"cosine":              {config.Cosine, false, 12, 1, 24, ""},
		"plateau":             {config.Plateau, false, 22, 19, 44, "to step 44 instead of 22: the learning rate falls from 0.01 to 0 between steps 40 and 44"},
		"plateau in its fall": {config.Plateau, false, 22, 20, 44, ""},
		"plateau, fewer":      {config.Plateau, false, 44, 19, 22, "to step 22 instead of 44: the learning rate falls from 0.01 to 0 between steps 20 and 22"},
		"plateau, too few":    {config.Plateau, false, 44, 20, 22, ""},
		"plateau with patience": {config.Plateau, true, 200, out - 1, 400,
			"the learning rate stays at 0.02 until the patience runs out or step 364, and then falls to 0"},
		"plateau out of patience": {config.Plateau, true, 200, out, 400, "because its patience ran out: the learning rate falls from 0.02 to 0 between steps"},
		"plateau cut short":       {config.Plateau, true, out + out/10, out + 1, 200, ""},
	} {
		t.Run(name, func(t *testing.T) {
			planned := func(n int) config.Experiment {
				e := validated(t)
				e.Train.Schedule = c.schedule
				if c.patience {
					e = impatient
				}
				e.Train.Steps = n
				return e
			}
			dir := t.TempDir()
			mustTrain(t, train.Options{Experiment: planned(c.began), Dir: dir, Source: overfitted, Until: c.done})
			var started train.Start
			o := train.Options{Experiment: planned(c.steps), Dir: dir, Source: overfitted, Resume: true, OnStart: func(s train.Start) { started = s }}
			if c.note == "" {
				before := must.Read(t, dir+"/config.yaml")
				must.Refuse(t, must.Err(train.Run(t.Context(), o)), "train.steps: found", c.schedule, "--overwrite", "--weights")
				if string(must.Read(t, dir+"/config.yaml")) != string(before) {
					t.Error("the refused run has another config.yaml")
				}
				return
			}
			got := mustTrain(t, o)
			if !strings.Contains(started.Replanned, c.note) || got.Resumed != c.done {
				t.Errorf("%+v, %+v, want %q after step %d", got, started, c.note, c.done)
			}
			want := mustTrain(t, train.Options{Experiment: planned(c.steps), Dir: t.TempDir(), Source: overfitted})
			if got.Step != want.Step || got.Best.Step != want.Best.Step || got.Ended != want.Ended {
				t.Errorf("%+v, want %+v", got, want)
			}
			sameTensors(t, got.Checkpoint, want.Checkpoint)
			sameTensors(t, got.Best.Checkpoint, want.Best.Checkpoint)
		})
	}
}

// A run that was killed before its first checkpoint has made no step that counts.
func TestAnotherNumberOfStepsBeforeTheFirst(t *testing.T) {
	cosine := func(e *config.Experiment) { e.Train.Schedule = config.Cosine }
	dir := t.TempDir()
	interruptAfter(t, train.Options{Experiment: experiment(t, cosine), Dir: dir}, 3)
	must.Do(t, os.Remove(checkpoint(dir, "step-3")))
	longer := experiment(t, cosine, steps(24))
	got := mustTrain(t, train.Options{Experiment: longer, Dir: dir, Resume: true})
	sameTensors(t, got.Checkpoint, mustTrain(t, train.Options{Experiment: longer, Dir: t.TempDir()}).Checkpoint)
}

// A run that is to end where it was stopped has ended there: its log says so, and config.yaml.
func TestFewerStepsEndWhereTheRunStopped(t *testing.T) {
	dir := t.TempDir()
	mustTrain(t, train.Options{Experiment: experiment(t), Dir: dir, Until: 6})
	for range 2 {
		r := mustTrain(t, train.Options{Experiment: experiment(t, steps(6)), Dir: dir, Resume: true})
		if !r.Finished || r.Step != 6 || r.Ended != run.EndedBySteps {
			t.Errorf("%+v, want a run that is finished after step 6", r)
		}
		s := must.Get(run.StateOf(dir, false))(t)
		if config := string(must.Read(t, dir+"/config.yaml")); s.Phase != run.Done || !strings.Contains(config, "steps: 6\n") {
			t.Errorf("%+v, want a run that is done\n%s", s, config)
		}
	}
	longer := mustTrain(t, train.Options{Experiment: experiment(t), Dir: dir, Resume: true})
	whole := t.TempDir()
	sameTensors(t, longer.Checkpoint, mustTrain(t, train.Options{Experiment: experiment(t), Dir: whole}).Checkpoint)
	if got, want := metricSteps(t, dir), metricSteps(t, whole); !slices.Equal(got, want) {
		t.Errorf("logged steps %v, want %v", got, want)
	}

	dir = t.TempDir()
	mustTrain(t, train.Options{Experiment: experiment(t), Dir: dir, Until: 7})
	err := must.Err(train.Run(t.Context(), train.Options{Experiment: experiment(t, steps(7)), Dir: dir, Resume: true}))
	must.Refuse(t, err, "train.steps: found 7, expected at least 8 steps")
}
