package sweep

import (
	"time"

	"github.com/acqnp/acqnp/internal/run"
	"github.com/acqnp/acqnp/internal/sweep/plan"
)

// A member is a run in the pool. The pool's lock guards it.
type member struct {
	plan.Run
	phase     run.Phase
	step      int // done
	steps     int // in all; 0 if not known yet
	busy      bool
	notBefore time.Time    // when a worker may look at it again
	attempts  int          // in a row without progress
	furthest  int          // the last step that an attempt reached
	failure   *run.Failure // why it was given up; nil otherwise
	trained   bool         // by this process
	until     int          // the step up to which halving lets it train now; 0 for its last
	dropped   bool         // by halving
}

// over reports whether nothing is left to do.
func (m *member) over() bool { return m.phase == run.Done || m.failure != nil || m.dropped }

// parked reports whether the run has reached the step at which halving compares it with others.
func (m *member) parked() bool {
	return m.until > 0 && m.step >= m.until && (m.phase == run.Stopped || m.phase == run.Failed)
}

// see sets the phase and the step from the state of the run's directory.
func (m *member) see(s run.State) {
	m.phase, m.step = s.Phase, s.Step
}

// lookAtAll reads the states of all runs. It returns an *invalid.Input if one has another configuration
// than the plan's. A run that diverged is given up at once: it would diverge again.
func (p *pool) lookAtAll() error {
	return inParallel(p.runs, func(m *member) error { return m.lookAt(p.Plan.Evaluate) })
}

func (m *member) lookAt(evaluate bool) error {
	if err := run.CheckContinues(m.Dir, m.Experiment); err != nil {
		return err
	}
	s, err := m.State(evaluate, run.StateOf)
	if err != nil {
		return err
	}
	m.see(s)
	m.furthest, m.steps = s.Step, m.Experiment.Train.Steps
	if s.Phase == run.Failed && s.Failure.Cause == run.Diverged {
		m.failure = s.Failure
	}
	return nil
}
