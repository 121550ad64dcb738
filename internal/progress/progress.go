// Package progress tells a person, a log file or a program how far long work has come. Nothing else in acqnp writes
// to the error stream while work is under way.
package progress

import (
	"fmt"
	"io"
	"math"
	"os"
	"time"

	"golang.org/x/term"
)

// State is where a task stands. What is not known is left at its zero value, and then not shown.
type State struct {
	Done          int            // steps, batches or functions finished
	Loss          func() float64 // the newest loss; asked only when it is shown, for the answer may take time
	RowsPerSecond float64
}

// Reporter shows progress. Its methods are called from one goroutine.
type Reporter interface {
	// Note says something once: plain words, and named values that --json keeps apart.
	Note(message string, fields ...Field)
	// Begin starts a task of total units, done of which were finished before (a resumed run).
	Begin(task, unit string, done, total int)
	// Update may be called as often as wanted; what is shown is thinned out.
	Update(State)
	// End closes the task, finished or not. Without a task it does nothing.
	End()
}

// Field is a named value of a note.
type Field struct {
	Name  string
	Value any
}

// Mode is how progress is shown.
type Mode int

const (
	Auto  Mode = iota // a bar on a terminal, plain lines elsewhere
	Quiet             // not at all
	JSON              // one JSON object a line
)

// New makes the reporter that suits the writer and the mode.
func New(w io.Writer, m Mode) Reporter {
	switch {
	case m == Quiet:
		return quiet{}
	case m == JSON:
		return &jsonLines{w: w}
	case isTerminal(w):
		return &bar{w: w}
	}
	return &lines{w: w}
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

type quiet struct{}

func (quiet) Note(string, ...Field)          {}
func (quiet) Begin(string, string, int, int) {}
func (quiet) Update(State)                   {}
func (quiet) End()                           {}

// task is what every reporter keeps of the work under way.
type task struct {
	name, unit   string
	first, total int
	start, shown time.Time
	last         State
	open         bool
}

func newTask(name, unit string, done, total int, now time.Time) task {
	return task{name: name, unit: unit, first: done, total: total, start: now, shown: now,
		last: State{Done: done}, open: true}
}

// left is the time the rest will take at the mean speed so far; false while that is unknown.
func (t *task) left(now time.Time) (time.Duration, bool) {
	finished := t.last.Done - t.first
	if finished <= 0 {
		return 0, false
	}
	perUnit := now.Sub(t.start).Seconds() / float64(finished)
	return time.Duration(perUnit * float64(t.total-t.last.Done) * float64(time.Second)), true
}

// describe is the state in words: "step 120/2000, loss -0.512, 1.2M rows/s, 1m20s left".
func (t *task) describe(now time.Time) string {
	s := fmt.Sprintf("%s %d/%d", t.unit, t.last.Done, t.total)
	if loss, ok := t.last.loss(); ok {
		s += fmt.Sprintf(", loss %.4f", loss)
	}
	if t.last.RowsPerSecond > 0 {
		s += ", " + short(t.last.RowsPerSecond) + " rows/s"
	}
	if d, ok := t.left(now); ok && t.last.Done < t.total {
		s += ", " + d.Round(time.Second).String() + " left"
	}
	return s
}

// loss asks for the loss; false if nobody tells it or it is not finite.
func (s State) loss() (float64, bool) {
	if s.Loss == nil {
		return 0, false
	}
	loss := s.Loss()
	return loss, !math.IsNaN(loss) && !math.IsInf(loss, 0)
}

// short writes a number with three digits and a unit: 1.23M.
func short(v float64) string {
	for _, u := range []string{"", "k", "M", "G"} {
		if math.Abs(v) < 999.5 {
			return fmt.Sprintf("%.3g%s", v, u)
		}
		v /= 1000
	}
	return fmt.Sprintf("%.3gT", v)
}
