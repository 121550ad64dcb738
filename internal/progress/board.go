package progress

import (
	"io"
	"math"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
)

// A Board shows several works at once and a total below them: bars on a terminal, plain lines in a
// log, where only the total, notes and warnings are shown, or JSON objects. Its methods may be called
// from any goroutine.
type Board struct {
	mu    sync.Mutex
	r     Reporter
	every time.Duration // between texts of the total in a log
	shown time.Time
	last  string

	p     *mpb.Progress // nil without a terminal
	total *Lane
	lanes int // that were ever added
}

// NewBoard returns the board for a writer, with warnings alone if quiet is set.
func NewBoard(w io.Writer, asJSON, quiet bool) *Board {
	b := &Board{r: New(w, asJSON), every: linesEvery}
	switch {
	case quiet:
		b.r = Quiet(b.r)
	case !asJSON && isTerminal(w):
		b.p = newBars(w)
		b.r = &bar{p: b.p}
		b.total = newLane(b.p, "", mpb.BarPriority(math.MaxInt)) // at the bottom
	}
	return b
}

// Note shows a message once, as a Reporter does.
func (b *Board) Note(message string, fields ...Field) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.r.Note(message, fields...)
}

// Warn shows a message that the user should read.
func (b *Board) Warn(message string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.r.Warn(message)
}

// Lane starts to show a work.
func (b *Board) Lane(name string) *Lane {
	if b.p == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.lanes++
	return newLane(b.p, name, mpb.BarPriority(b.lanes), mpb.BarRemoveOnComplete())
}

// Total states how far the whole has come, 0 to 1, in words too. A log shows a new text now and then.
func (b *Board) Total(share float64, text string) {
	const parts = 1000 // of the bar
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.p != nil {
		b.total.Update(int(share*parts), parts, text)
	} else if now := time.Now(); text != b.last && now.Sub(b.shown) >= b.every {
		b.shown, b.last = now, text
		b.r.Note(text, Field{"event", "progress"}, Field{"share", share})
	}
}

// Close stops the display.
func (b *Board) Close() {
	if b.p != nil {
		b.total.bar.Abort(false) // the total stays on the terminal
		b.p.Wait()
	}
}
