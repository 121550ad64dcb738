package progress

import (
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

// barEvery is how often the bar is drawn, at most.
const barEvery = 100 * time.Millisecond

// bar is the Reporter for a terminal.
type bar struct {
	w    io.Writer
	p    *mpb.Progress // nil without work
	lane *Lane
	work
}

func (b *bar) Note(message string, _ ...Field) {
	w := b.w
	if b.p != nil {
		w = b.p // which writes the line above the bars
	}
	_, _ = fmt.Fprintln(w, Printable(message, "")) // a closed terminal must not stop the work
}

func (b *bar) Warn(message string) { b.Note(warning + message) }

func (b *bar) Begin(name, unit string, done, total int) {
	b.End()
	b.work = newWork(name, unit, done, total, time.Now())
	b.p = newBars(b.w)
	percent := func(s decor.Statistics) string { return fmt.Sprintf("%3d%% ", 100*s.Current/max(s.Total, 1)) }
	b.lane = newLane(b.p, name, mpb.PrependDecorators(decor.Any(percent)))
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
	b.lane.bar.Abort(false) // the bar stays on the terminal
	b.p.Wait()
	b.p = nil
}

// draw sets what the bar shows from its next refresh on.
func (b *bar) draw() { b.lane.Update(b.last.Done, b.total, b.describe(time.Now())) }

// newBars returns an empty display of bars.
func newBars(w io.Writer) *mpb.Progress {
	return mpb.New(mpb.WithOutput(w), mpb.WithAutoRefresh(), mpb.WithWidth(80), mpb.WithRefreshRate(barEvery))
}

// A Lane is a bar with a text behind it. A nil one shows nothing.
type Lane struct {
	bar  *mpb.Bar
	name string
	text atomic.Pointer[string]
}

// newLane adds a bar, which ends only when it is told to.
func newLane(p *mpb.Progress, name string, more ...mpb.BarOption) *Lane {
	l := &Lane{name: name}
	l.text.Store(&name)
	behind := mpb.AppendDecorators(decor.Any(func(decor.Statistics) string { return *l.text.Load() }))
	style := mpb.BarStyle().Lbound("|").Filler("█").Tip("█").Padding(" ").Rbound("| ")
	l.bar = p.New(0, style, append(more, mpb.BarWidth(24), mpb.BarFillerTrim(), behind)...)
	return l
}

// Update shows how far the work has come.
func (l *Lane) Update(done, total int, text string) {
	if l == nil {
		return
	}
	if l.name != "" {
		text = l.name + ": " + text
	}
	l.text.Store(&text)
	l.bar.SetTotal(int64(total), false)
	l.bar.SetCurrent(int64(done))
}

// End removes the lane.
func (l *Lane) End() {
	if l != nil {
		l.bar.Abort(true)
	}
}
