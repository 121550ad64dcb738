package progress

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// A Board shows several works at once and a total below them: bars on a terminal, plain lines in a
// log, where only the total, notes and warnings are shown, or JSON objects. Its methods may be called
// from any goroutine.
type Board interface {
	// Note and Warn are those of a Reporter.
	Note(message string, fields ...Field)
	Warn(message string)
	// Lane starts to show a work.
	Lane(name string) Lane
	// Total states how far the whole has come, 0 to 1, in words too.
	Total(share float64, text string)
	// Close stops the display.
	Close()
}

// A Lane is a work on a Board.
type Lane interface {
	Update(done, total int, text string)
	End()
}

// NewBoard returns the board for a writer and a mode, without warnings alone if quiet is set.
func NewBoard(w io.Writer, m Mode, quiet bool) Board {
	r := New(w, m)
	if quiet {
		return &plainBoard{r: Quiet(r)}
	}
	if m != JSON && isTerminal(w) {
		return newBars(w)
	}
	return &plainBoard{r: r, every: linesEvery}
}

// plainBoard is the Board for a log or a program.
type plainBoard struct {
	mu    sync.Mutex
	r     Reporter
	every time.Duration
	shown time.Time
	last  string
}

func (b *plainBoard) Note(message string, fields ...Field) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.r.Note(message, fields...)
}

func (b *plainBoard) Warn(message string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.r.Warn(message)
}

func (b *plainBoard) Lane(string) Lane { return plainLane{} }

// Total shows a new text, but not more often than a log wants.
func (b *plainBoard) Total(share float64, text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if now := time.Now(); text != b.last && now.Sub(b.shown) >= b.every {
		b.shown, b.last = now, text
		b.r.Note(text, Field{"event", "progress"}, Field{"share", share})
	}
}

func (b *plainBoard) Close() {}

type plainLane struct{}

func (plainLane) Update(int, int, string) {}
func (plainLane) End()                    {}

// noteText returns a note as a line.
func noteText(message string) string { return fmt.Sprintln(Printable(message, "")) }
