package plan

import (
	"fmt"
	"path/filepath"

	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/run"
)

// State returns the state of the run's directory. look is run.StateOf or the method of a run.Watch. A run that ended after fewer steps
// or epochs than the plan has now can go on. One that ended after more is an *invalid.Input.
func (r Run) State(evaluate bool, look func(dir string, evaluate bool) (run.State, error)) (run.State, error) {
	s, err := look(r.Dir, evaluate)
	if err != nil || s.Ended != run.EndedBySteps {
		return s, err
	}
	key, made, now := "steps", s.Step, r.Experiment.Train.Steps
	goesOn := made < now
	if epochs := r.Experiment.Train.Epochs; epochs > 0 {
		planned, step, known := run.Planned(r.Dir) // how many steps they are, the data say
		if !known {
			return s, nil
		}
		key, made, now = "epochs", planned.Epochs, epochs
		goesOn = made < now || step > s.Step // training has gone on already
	}
	switch {
	case made > now:
		return s, &invalid.Input{File: filepath.Join(r.Dir, run.ConfigFile), Key: "train." + key, Found: fmt.Sprintf("a run of %d %s", made, key),
			Expected: fmt.Sprintf("%d, as in the plan: move the run away, or give the plan other runs", now)}
	case goesOn && (s.Phase == run.Done || s.Phase == run.Trained):
		s.Phase = run.Stopped
	}
	return s, nil
}
