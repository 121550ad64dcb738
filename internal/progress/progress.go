// Package progress shows the progress of long work: a bar on a terminal, a line every ten seconds
// in a log, or JSON objects for a program. While a Reporter shows work, nothing else may write to
// standard error.
//
//	r := progress.New(os.Stderr, progress.Auto)
//	r.Begin("training", "step", 0, 2000)
//	r.Update(progress.State{Done: 120})
//	r.End()
package progress

import (
	"fmt"
	"io"
	"math"
	"os"
	"time"

	"golang.org/x/term"
)

// State says how far the work has come. A nil Loss and a zero RowsPerSecond are not shown.
type State struct {
	Done          int            // steps, batches or groups finished
	Loss          func() float64 // the newest loss; called only when it is shown, since it may take time
	RowsPerSecond float64
}

// Reporter shows progress. Its methods are called from one goroutine.
type Reporter interface {
	// Note shows a message once. With JSON, the fields become members of the object.
	Note(message string, fields ...Field)
	// Warn shows a message that the user should read. Quiet shows it too.
	Warn(message string)
	// Begin starts work of total units, of which done were finished in an earlier run.
	Begin(name, unit string, done, total int)
	// Update states how far the work has come. It may be called often: few states are shown.
	Update(State)
	// End ends the work, finished or not. It does nothing if there is no work.
	End()
}

// Field is a named value of a note.
type Field struct {
	Name  string
	Value any
}

// How progress is shown, as New and NewBoard take it.
const (
	Auto = false // a bar on a terminal, plain lines elsewhere
	JSON = true  // one JSON object a line
)

// New returns the reporter for a writer.
func New(w io.Writer, asJSON bool) Reporter {
	switch {
	case asJSON:
		return newJSONLines(w)
	case isTerminal(w):
		return &bar{w: w}
	}
	return newLines(w)
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Quiet returns a reporter that shows the warnings of r and nothing else.
func Quiet(r Reporter) Reporter { return quiet{r} }

type quiet struct{ warnings Reporter }

func (q quiet) Warn(message string)          { q.warnings.Warn(message) }
func (quiet) Note(string, ...Field)          {}
func (quiet) Begin(string, string, int, int) {}
func (quiet) Update(State)                   {}
func (quiet) End()                           {}

// warning is the start of a warning's line.
const warning = "warning: "

// work is what a reporter knows about the work that it shows.
type work struct {
	name, unit   string
	first, total int
	start, shown time.Time
	last         State
	open         bool
}

func newWork(name, unit string, done, total int, now time.Time) work {
	return work{name: name, unit: unit, first: done, total: total, start: now, shown: now,
		last: State{Done: done}, open: true}
}

// left returns the time that the rest of the work will take at the mean speed so far. It returns
// false until a unit is finished.
func (t *work) left(now time.Time) (time.Duration, bool) {
	finished := t.last.Done - t.first
	if finished <= 0 {
		return 0, false
	}
	perUnit := now.Sub(t.start).Seconds() / float64(finished)
	return time.Duration(perUnit * float64(t.total-t.last.Done) * float64(time.Second)), true
}

// describe returns the state in words: "step 120/2000, loss -0.512, 1.2M rows/s, 1m20s left".
func (t *work) describe(now time.Time) string {
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

// loss returns the loss, and false if there is none or it is not finite.
func (s State) loss() (float64, bool) {
	if s.Loss == nil {
		return 0, false
	}
	loss := s.Loss()
	return loss, !math.IsNaN(loss) && !math.IsInf(loss, 0)
}

// short formats a number with three digits and a unit: 1.23M.
func short(v float64) string {
	for _, u := range []string{"", "k", "M", "G"} {
		if math.Abs(v) < 999.5 {
			return fmt.Sprintf("%.3g%s", v, u)
		}
		v /= 1000
	}
	return fmt.Sprintf("%.3gT", v)
}
