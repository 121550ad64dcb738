package sweep

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/run"
	"github.com/acqnp/acqnp/internal/sweep/plan"
)

// A Status says how far the runs of a plan have come.
type Status struct {
	Plan   string      `json:"plan"`
	Total  int         `json:"total"`
	Counts             // of the runs
	LeftS  *float64    `json:"left_s"`  // seconds until all are done; null if nothing is measured, and under halving
	AtOnce int         `json:"at_once"` // runs at a time, for LeftS
	Runs   []RunStatus `json:"runs"`    // by their indices
}

// Counts are numbers of runs by their phases.
type Counts struct {
	Done    int `json:"done"`
	Running int `json:"running"`
	Waiting int `json:"waiting"`
	Stopped int `json:"stopped"`
	Trained int `json:"trained"` // not evaluated yet
	Failed  int `json:"failed"`
	Dropped int `json:"dropped"` // by halving
}

// A RunStatus is the state of a run.
type RunStatus struct {
	Index     int       `json:"index"`
	Dir       string    `json:"run"`
	Group     string    `json:"group"`
	Candidate string    `json:"candidate,omitempty"`
	Seed      uint64    `json:"seed"`
	Phase     run.Phase `json:"phase"`
	Step      int       `json:"step"`
	Steps     int       `json:"steps"`       // in all; 0 if the configuration gives epochs
	StepsPerS float64   `json:"steps_per_s"` // in the mean so far; 0 before the first logged step
	Host      string    `json:"host,omitempty"`
	Job       string    `json:"job,omitempty"`
	ExitCode  int       `json:"exit_code,omitempty"` // of a failed run
	Message   string    `json:"message,omitempty"`   // of a failed run
	Cause     string    `json:"cause,omitempty"`     // of a failed run: run.Diverged, or nothing
	elapsed   float64   // seconds of training
	inDoubt   bool
}

// Open reports whether the run could be finished by another call: it is not done and has not diverged.
func (r RunStatus) Open() bool { return r.Phase != run.Done && r.Cause != run.Diverged }

// dropped is the phase of a run that halving has stopped for good.
const dropped run.Phase = "dropped"

// A Viewer looks at the runs of a plan, once or again and again.
type Viewer struct {
	Note    func(string) // called with a line if a look takes long; may be nil
	plan    *plan.Plan
	watch   run.Watch
	checked []bool // of each run: its configuration was compared after it began
}

// NewViewer returns a viewer of a plan's runs.
func NewViewer(p *plan.Plan) *Viewer {
	return &Viewer{plan: p, checked: make([]bool, len(p.Runs))}
}

// Look returns how far the runs have come. If clocks of machines differ, it may have to watch a run for
// some heartbeats to find whether it is in training. It returns an *invalid.Input if a run has another
// configuration than in the plan.
func (v *Viewer) Look(ctx context.Context) (Status, error) {
	runs := make([]RunStatus, len(v.plan.Runs))
	doubtful := make([]*RunStatus, len(runs))
	for i, r := range v.plan.Runs {
		runs[i].Index, doubtful[i] = r.Index, &runs[i]
	}
	for noted := false; ; noted = true {
		if err := inParallel(doubtful, v.see); err != nil {
			return Status{}, err
		}
		doubtful = slices.DeleteFunc(doubtful, func(r *RunStatus) bool { return !r.inDoubt })
		if len(doubtful) == 0 {
			break
		}
		if !noted && v.Note != nil {
			v.Note(fmt.Sprintf("watching %s on other machines for up to %v to see whether they are in training", invalid.Plural(len(doubtful), "run", "runs"), v.watch.Patience()))
		}
		select {
		case <-ctx.Done():
			return Status{}, ctx.Err()
		case <-time.After(v.watch.Patience() / 12):
		}
	}
	if err := v.drop(runs); err != nil {
		return Status{}, err
	}
	s := summed(v.plan.File, runs)
	if v.plan.Halving != nil {
		s.LeftS = nil // it depends on how many runs are dropped when
	}
	return s, nil
}

// see looks at the run of an index.
func (v *Viewer) see(to *RunStatus) error {
	i := to.Index
	r := v.plan.Runs[i]
	s, err := r.State(v.plan.Evaluate, v.watch.StateOf)
	if err != nil {
		return err
	}
	if !v.checked[i] && s.Phase != run.Waiting {
		if err := run.CheckContinues(r.Dir, r.Experiment); err != nil {
			return err
		}
		v.checked[i] = s.Step > 0 // config.yaml comes before the first step
	}
	*to = RunStatus{Index: r.Index, Dir: r.Dir, Group: r.Group, Candidate: r.Candidate, Seed: r.Seed, Phase: s.Phase,
		Step: s.Step, Steps: r.Experiment.Train.Steps, Host: s.Host, Job: s.Job, elapsed: s.Elapsed, inDoubt: s.InDoubt}
	if s.Elapsed > 0 {
		to.StepsPerS = float64(s.Step) / s.Elapsed
	}
	if s.Failure != nil {
		to.ExitCode, to.Message, to.Cause = s.Failure.ExitCode, s.Failure.Message, s.Failure.Cause
	}
	return nil
}

// inParallel calls f for all items from more goroutines than processors, as f mostly waits for files. It
// returns the error of the first item that has one.
func inParallel[T any](items []T, f func(T) error) error {
	errs := make([]error, len(items))
	var all errgroup.Group
	all.SetLimit(4 * runtime.GOMAXPROCS(0))
	for i, item := range items {
		all.Go(func() error {
			errs[i] = f(item)
			return nil
		})
	}
	_ = all.Wait()
	return cmp.Or(errs...)
}

// drop marks the runs that halving has stopped.
func (v *Viewer) drop(runs []RunStatus) error {
	if v.plan.Halving == nil {
		return nil
	}
	all, err := coursesOf(v.plan.Runs)
	if err != nil {
		return err
	}
	for i, r := range runs {
		all[i].Failed = all[i].Failed || r.Phase == run.Failed
	}
	for i, until := range Until(v.plan, all) {
		if p := &runs[i].Phase; until == 0 && (*p == run.Stopped || *p == run.Waiting) {
			*p = dropped
		}
	}
	return nil
}

// summed counts the runs and estimates the time that is left.
func summed(file string, runs []RunStatus) Status {
	s := Status{Plan: file, Total: len(runs), Runs: runs}
	for _, r := range runs {
		*s.of(r.Phase)++
	}
	s.AtOnce = max(1, s.Running)
	s.LeftS = left(runs, s.AtOnce)
	return s
}

// of returns the number of a phase.
func (c *Counts) of(p run.Phase) *int {
	return map[run.Phase]*int{run.Done: &c.Done, run.Running: &c.Running, run.Waiting: &c.Waiting, run.Stopped: &c.Stopped,
		run.Trained: &c.Trained, run.Failed: &c.Failed, dropped: &c.Dropped}[p]
}

// Over reports whether nothing is left to do: runs are done, dropped or failed.
func (s Status) Over() bool { return s.Done+s.Dropped+s.Failed == s.Total }

// left returns the seconds that the remaining steps take with atOnce runs at a time, at each run's own
// rate, its group's, or that of all. It is nil if there is no rate.
func left(runs []RunStatus, atOnce int) *float64 {
	type work struct{ steps, seconds float64 }
	var all work
	groups := map[string]work{}
	for _, r := range runs {
		g := groups[r.Group]
		groups[r.Group] = work{g.steps + float64(r.Step), g.seconds + r.elapsed}
		all = work{all.steps + float64(r.Step), all.seconds + r.elapsed}
	}
	if all.steps == 0 || all.seconds == 0 {
		return nil
	}
	sum, longest := 0.0, 0.0
	for _, r := range runs {
		if r.Phase == run.Done || r.Phase == run.Failed || r.Phase == dropped {
			continue
		}
		each := all.seconds / all.steps
		if g := groups[r.Group]; g.steps > 0 && g.seconds > 0 {
			each = g.seconds / g.steps
		}
		if r.StepsPerS > 0 {
			each = 1 / r.StepsPerS
		}
		seconds := each * float64(max(0, r.Steps-r.Step))
		sum, longest = sum+seconds, max(longest, seconds)
	}
	sum = max(sum/float64(atOnce), longest)
	return &sum
}
