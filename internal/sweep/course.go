package sweep

import (
	"math"

	"github.com/acqnp/acqnp/internal/run"
	"github.com/acqnp/acqnp/internal/sweep/plan"
)

// A Course is what halving needs to know of a run: the validations in its log, and how it ended.
type Course struct {
	Valid  []Validation // in the order of their steps
	Ended  bool         // after its last step
	Failed bool         // for good: the run diverged or was given up
}

// A Validation is a line of a log with its valid_ll.
type Validation struct {
	Step int
	LL   float64
}

// CourseOf reads the course of the run in dir from metrics.jsonl and error.json. It sets Failed if the run
// diverged. Another failure may end well at the next attempt, so the caller sets Failed when it gives
// the run up.
func CourseOf(dir string) (Course, error) {
	var c Course
	lines, err := run.Validated(dir)
	if err != nil {
		return c, err
	}
	for _, m := range lines {
		if m.ValidLL != nil {
			c.Valid = append(c.Valid, Validation{m.Step, *m.ValidLL})
		}
		c.Ended = m.Ended != ""
	}
	f, err := run.ReadFailure(dir)
	c.Failed = f != nil && f.Cause == run.Diverged
	return c, err
}

// reached reports whether a run has a validation at the step or a later one, or ended before.
func (c Course) reached(step int) bool {
	return c.Ended || len(c.Valid) > 0 && c.Valid[len(c.Valid)-1].Step >= step
}

// best returns the best valid_ll up to a step, −∞ without one.
func (c Course) best(step int) float64 {
	best := math.Inf(-1)
	for _, v := range c.Valid {
		if v.Step <= step {
			best = max(best, v.LL)
		}
	}
	return best
}

// coursesOf returns the courses of runs.
func coursesOf(runs []plan.Run) (all []Course, err error) {
	all = make([]Course, len(runs))
	for i, r := range runs {
		if all[i], err = CourseOf(r.Dir); err != nil {
			return nil, err
		}
	}
	return all, nil
}
