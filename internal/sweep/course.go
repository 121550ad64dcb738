package sweep

import (
	"math"

	"github.com/acqnp/acqnp/internal/run"
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

// courses caches the courses of runs by their directories, because a pool asks for all of them after each
// run. It reads a course again if the run's files have changed.
type courses map[string]remembered

type remembered struct {
	stamp string
	Course
}

// of returns the course of the run in dir.
func (c courses) of(dir string) (Course, error) {
	stamp, err := run.Stamp(dir)
	if err != nil {
		return Course{}, err
	}
	if old, ok := c[dir]; ok && old.stamp == stamp {
		return old.Course, nil
	}
	found, err := CourseOf(dir)
	if err == nil {
		c[dir] = remembered{stamp, found}
	}
	return found, err
}
