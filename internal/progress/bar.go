package progress

import (
	"fmt"
	"io"
	"time"

	"github.com/schollz/progressbar/v3"
)

// barEvery is how often the bar is drawn, at most.
const barEvery = 100 * time.Millisecond

// bar is the Reporter for a terminal.
type bar struct {
	w io.Writer
	p *progressbar.ProgressBar
	work
}

func (b *bar) Note(message string, _ ...Field) {
	if b.p != nil {
		_ = b.p.Clear() // the bar is drawn again below the note
	}
	fmt.Fprintln(b.w, Printable(message, ""))
}

func (b *bar) Warn(message string) { b.Note(warning + message) }

func (b *bar) Begin(name, unit string, done, total int) {
	b.End()
	b.work = newWork(name, unit, done, total, time.Now())
	b.p = progressbar.NewOptions(total,
		progressbar.OptionSetWriter(b.w),
		progressbar.OptionSetWidth(24),
		progressbar.OptionUseANSICodes(true),
		progressbar.OptionSetPredictTime(false), // the description shows it, also for resumed runs
		progressbar.OptionSetElapsedTime(false),
		progressbar.OptionShowDescriptionAtLineEnd(),
		progressbar.OptionSetDescription(b.text(b.start)),
	)
	b.draw()
}

func (b *bar) Update(s State) {
	if b.p == nil {
		return
	}
	b.last = s
	if now := time.Now(); now.Sub(b.shown) >= barEvery {
		b.shown = now
		b.draw()
	}
}

func (b *bar) End() {
	if b.p == nil {
		return
	}
	b.draw()
	fmt.Fprintln(b.w)
	b.p = nil
}

func (b *bar) text(now time.Time) string { return b.name + ": " + b.describe(now) }

// draw draws the bar. It ignores errors: a closed terminal must not stop the work.
func (b *bar) draw() {
	b.p.Describe(b.text(time.Now()))
	_ = b.p.Set(b.last.Done)
}
