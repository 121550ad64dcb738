package sweep

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/progress"
	"github.com/acqnp/acqnp/internal/run"
	"github.com/acqnp/acqnp/internal/sweep/plan"
)

// Options say what Run trains and how.
type Options struct {
	Plan    *plan.Plan
	Runs    []plan.Run                     // of the plan, to train
	Program string                         // this executable, which children run
	Flags   []string                       // of children's commands: --device, --precision, --data-dir
	Share   func([]plan.Run) (Jobs, error) // called with the runs that are not done, unless all are
	Board   *progress.Board
}

// A Summary is the result of Run.
type Summary struct {
	Runs    int         `json:"runs"`
	Done    int         `json:"done"`              // done at the end
	Trained int         `json:"trained"`           // by this call
	Dropped int         `json:"dropped,omitempty"` // by halving
	Failed  []FailedRun `json:"failed,omitempty"`
	Seconds float64     `json:"seconds"`
	Jobs    Jobs        `json:"jobs"`
}

// A FailedRun is a run that failed, and why.
type FailedRun struct {
	Index   int    `json:"index"`
	Dir     string `json:"run"`
	Code    int    `json:"exit_code"`
	Message string `json:"message"`
}

// errInterrupted is Run's error if the context ended: the runs in training have written checkpoints.
var errInterrupted = errors.New("interrupted: the runs in training have written checkpoints, the same command continues")

// look is how often the pool looks at runs that another process trains.
const look = 2 * time.Second

// A pool is a sweep in progress.
type pool struct {
	Options
	ctx  context.Context
	stop context.CancelCauseFunc

	mu      sync.Mutex
	changed chan struct{} // closed at the next change
	runs    []*member
	jobs    Jobs
	began   time.Time // when total was first called
	first   float64   // the share that was done then
	fatal   error     // that ends the sweep, such as a child that cannot be started
}

// Run trains the runs that are not done, each in a child process, and evaluates them if the plan says
// so. It waits for runs that other processes train, and takes over runs that these leave. A run that
// fails does not stop the others. The error is errInterrupted, the number of failed runs, or nil. It is
// an *invalid.Input if all runs failed because of what they were given.
func Run(ctx context.Context, o Options) (Summary, error) {
	began := time.Now()
	inner, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	p := &pool{Options: o, ctx: inner, stop: stop, changed: make(chan struct{})}
	for _, r := range o.Runs {
		p.runs = append(p.runs, &member{Run: r})
	}
	if err := errors.Join(p.lookAtAll(), p.decide()); err != nil {
		return Summary{}, err
	}
	var err error
	if p.jobs, err = p.chooseJobs(); err != nil {
		return Summary{}, err
	}
	var all sync.WaitGroup
	for slot := range p.jobs.AtOnce {
		all.Go(func() { p.work(slot) })
	}
	all.Wait()
	p.show()
	s := p.summary()
	s.Seconds = time.Since(began).Seconds()
	return s, p.result(ctx, s)
}

// chooseJobs decides how many runs are trained at a time.
func (p *pool) chooseJobs() (Jobs, error) {
	var left []plan.Run
	for _, m := range p.runs {
		if !m.over() {
			left = append(left, m.Run)
		}
	}
	if len(left) == 0 {
		return Jobs{}, nil
	}
	j, err := p.Share(left)
	if err == nil {
		p.Board.Note(fmt.Sprintf("%s at a time, each on %s", invalid.Plural(j.AtOnce, "run", "runs"), invalid.Plural(j.Threads, "thread", "threads")))
	}
	return j, err
}

// work trains one run after another until none is left.
func (p *pool) work(slot int) {
	for {
		m := p.next()
		if m == nil {
			return
		}
		err := p.train(slot, m)
		p.mu.Lock()
		m.busy = false
		p.end(errors.Join(err, p.decide()))
		close(p.changed)
		p.changed = make(chan struct{})
		p.mu.Unlock()
	}
}

// end ends the sweep if there is an error. The caller holds the pool's lock.
func (p *pool) end(err error) {
	if err != nil {
		p.fatal = errors.Join(p.fatal, err)
		p.stop(err)
	}
}

// next returns a run to train, or nil at the end of the sweep. It waits while others train the rest.
func (p *pool) next() *member {
	for p.ctx.Err() == nil {
		m, waiting, changed := p.pick()
		if m != nil || !waiting {
			return m
		}
		select {
		case <-changed:
		case <-time.After(look): // other processes may have brought runs further
		case <-p.ctx.Done():
		}
		p.update(func() { p.end(p.decide()) })
	}
	return nil
}

// pick takes a run that can be trained now. Without one, waiting says whether there may be one later, at
// the latest when changed is closed or after some time.
func (p *pool) pick() (m *member, waiting bool, changed chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, m := range p.runs {
		switch {
		case m.over():
		case m.busy || time.Now().Before(m.notBefore):
			waiting = true
		case !m.parked():
			m.busy = true
			return m, false, nil
		}
	}
	return nil, waiting, p.changed
}

// decide asks halving which runs go on, and how far. It does nothing without halving. Once workers run,
// the caller holds the pool's lock.
func (p *pool) decide() error {
	if p.Plan.Halving == nil {
		return nil
	}
	all, err := coursesOf(p.Options.Runs)
	if err != nil {
		return err
	}
	for i, m := range p.runs {
		all[i].Failed = all[i].Failed || m.failure != nil
	}
	for i, until := range Until(p.Plan, all) {
		m := p.runs[i]
		m.until, m.dropped = until, until == 0
		if until == m.Experiment.Train.Steps {
			m.until = 0
		}
	}
	return nil
}

func (p *pool) summary() Summary {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := Summary{Runs: len(p.runs), Jobs: p.jobs}
	for _, m := range p.runs {
		if m.trained {
			s.Trained++
		}
		switch {
		case m.phase == run.Done:
			s.Done++
		case m.failure != nil:
			s.Failed = append(s.Failed, FailedRun{m.Index, m.Dir, m.failure.ExitCode, m.failure.Message})
		case m.dropped:
			s.Dropped++
		}
	}
	return s
}

// result returns the error of a sweep that has ended.
func (p *pool) result(ctx context.Context, s Summary) error {
	switch {
	case p.fatal != nil:
		return p.fatal
	case ctx.Err() != nil:
		return errInterrupted
	case len(s.Failed) == s.Runs && !slices.ContainsFunc(s.Failed, func(f FailedRun) bool { return f.Code != codeInput }):
		return &invalid.Input{File: s.Failed[0].Dir, Found: s.Failed[0].Message} // so that an array does not try again
	case len(s.Failed) > 0:
		return fmt.Errorf("%d of %d runs failed; %s: %s", len(s.Failed), s.Runs, s.Failed[0].Dir, s.Failed[0].Message)
	}
	return nil
}
