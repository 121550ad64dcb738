package plan

import (
	"fmt"
	"path/filepath"

	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/run"
)

// State returns the state of the run's directory. look is run.StateOf or the method of a run.Watch. A run that ended after fewer steps than the plan has now can go on. One that ended after more is an
// *invalid.Input.
func (r Run) State(evaluate bool, look func(dir string, evaluate bool) (run.State, error)) (run.State, error) {
	s, err := look(r.Dir, evaluate)
	steps := r.Experiment.Train.Steps
	if err != nil || s.Ended != run.EndedBySteps || r.Experiment.Train.Epochs > 0 || s.Step == steps {
		return s, err
	}
	if s.Step > steps {
		return s, &invalid.Input{File: filepath.Join(r.Dir, run.ConfigFile), Key: "train.steps", Found: fmt.Sprintf("a run of %d steps", s.Step),
			Expected: fmt.Sprintf("%d, as in the plan: move the run away, or give the plan other runs", steps)}
	}
	if s.Phase == run.Done || s.Phase == run.Trained {
		s.Phase = run.Stopped
	}
	return s, nil
}
