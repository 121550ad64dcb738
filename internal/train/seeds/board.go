package seeds

import (
	"sync"

	"github.com/acqnp/acqnp/internal/progress"
)

// board shows the progress of several runs on one reporter: the sum of their steps and rates.
type board struct {
	mu    sync.Mutex
	p     progress.Reporter
	begun bool
	runs  []progress.State
}

func newBoard(p progress.Reporter, runs int) *board {
	return &board{p: p, runs: make([]progress.State, runs)}
}

func (b *board) end() { b.p.End() }

func (b *board) warn(message string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.p.Warn(message)
}

// set states how far a run has come.
func (b *board) set(run int, s progress.State) {
	b.runs[run] = s
	var sum progress.State
	for _, r := range b.runs {
		sum.Done += r.Done
		sum.RowsPerSecond += r.RowsPerSecond
	}
	b.p.Update(sum)
}

// lane is the reporter of one run.
type lane struct {
	*board
	run int
}

func (l *lane) Note(message string, fields ...progress.Field) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.p.Note(message, fields...)
}

func (l *lane) Warn(message string) { l.warn(message) }

// Begin begins the work of all runs if this is the first. All have the same number of steps.
func (l *lane) Begin(name, unit string, done, total int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.begun {
		l.begun = true
		l.p.Begin(name, unit, done, total*len(l.runs))
	}
	l.set(l.run, progress.State{Done: done})
}

// Update leaves the loss out: only the run's own goroutine may ask its device for it.
func (l *lane) Update(s progress.State) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.set(l.run, progress.State{Done: s.Done, RowsPerSecond: s.RowsPerSecond})
}

// End ends the run's part of the work.
func (l *lane) End() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.begun {
		l.set(l.run, progress.State{Done: l.runs[l.run].Done})
	}
}
