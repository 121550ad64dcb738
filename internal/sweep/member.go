package sweep

import (
	"runtime"
	"sync"
	"time"

	"github.com/acqnp/acqnp/internal/plan"
	"github.com/acqnp/acqnp/internal/run"
)

// A member is a run in the pool. The pool's lock guards it.
type member struct {
	plan.Run
	phase     run.Phase
	step      int // done
	steps     int // in all; 0 if not known yet
	busy      bool
	notBefore time.Time    // when it may be looked at again
	attempts  int          // in a row that got no further
	furthest  int          // step of an attempt
	failure   *run.Failure // why it was given up; nil otherwise
	trained   bool         // by this process
	until     int          // the step up to which halving lets it train now; 0 for its last
	dropped   bool         // by halving
}

// over reports whether nothing is left to do.
func (m *member) over() bool { return m.phase == run.Done || m.failure != nil || m.dropped }

// parked reports whether the run has come to where halving compares it with others.
func (m *member) parked() bool {
	return m.until > 0 && m.step >= m.until && (m.phase == run.Stopped || m.phase == run.Failed)
}

// ready reports whether a worker may take the run now.
func (m *member) ready(now time.Time) bool { return !now.Before(m.notBefore) }

// see takes over what the run's directory says.
func (m *member) see(s run.State) {
	m.phase, m.step = s.Phase, s.Step
}

// lookAtAll reads the states of all runs. It returns an *input.Error if one has another configuration
// than the plan's. A run that diverged is given up at once: it would diverge again.
func (p *pool) lookAtAll() error {
	errs := make([]error, len(p.runs))
	indices := make(chan int)
	var all sync.WaitGroup
	for range 2 * runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for i := range indices {
				errs[i] = p.runs[i].lookAt(p.Plan.Evaluate)
			}
		})
	}
	for i := range p.runs {
		indices <- i
	}
	close(indices)
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func (m *member) lookAt(evaluate bool) error {
	if err := run.CheckContinues(m.Dir, m.Experiment); err != nil {
		return err
	}
	s, err := run.StateOf(m.Dir, evaluate)
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
