package progress

import (
	"fmt"
	"io"
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
	lane barLane
	work
}

func (b *bar) Note(message string, _ ...Field) {
	w := b.w
	if b.p != nil {
		w = b.p
	}
	_, _ = io.WriteString(w, noteText(message)) // a closed terminal must not stop the work
}

func (b *bar) Warn(message string) { b.Note(warning + message) }

func (b *bar) Begin(name, unit string, done, total int) {
	b.End()
	b.work = newWork(name, unit, done, total, time.Now())
	b.p = newContainer(b.w, mpb.WithRefreshRate(barEvery))
	b.lane.name = name
	b.lane.text.Store(new(string))
	percent := func(s decor.Statistics) string { return fmt.Sprintf("%3d%% ", 100*s.Current/max(s.Total, 1)) }
	b.lane.bar = b.p.New(0, mpb.BarStyle().Lbound("|").Filler("█").Tip("█").Padding(" ").Rbound("| "),
		mpb.BarWidth(barWidth), mpb.BarFillerTrim(), mpb.PrependDecorators(decor.Any(percent)), b.lane.appended())
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
