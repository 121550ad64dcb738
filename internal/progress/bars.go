package progress

import (
	"io"
	"math"
	"sync/atomic"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

// barWidth is the number of columns of a bar on a terminal.
const barWidth = 24

// newContainer returns an empty display of bars. A line that is written to it stands above the bars.
func newContainer(w io.Writer, more ...mpb.ContainerOption) *mpb.Progress {
	return mpb.New(append(more, mpb.WithOutput(w), mpb.WithAutoRefresh(), mpb.WithWidth(80))...)
}

// bars is the Board for a terminal: a bar for each lane and one for the total below them.
type bars struct {
	p     *mpb.Progress
	total *barLane
	lanes atomic.Int64 // that were ever added
}

// totalScale is how many parts the bar of the total has.
const totalScale = 1000

func newBars(w io.Writer) *bars {
	b := &bars{p: newContainer(w)}
	b.total = b.add("", 0, math.MaxInt)
	b.total.bar.SetTotal(totalScale, false)
	return b
}

// add adds a bar. The one with the highest priority stands at the bottom. A bar whose total is 0 at
// first ends only when it is told to.
func (b *bars) add(name string, total int64, priority int) *barLane {
	l := &barLane{name: name}
	l.text.Store(&name)
	l.bar = b.p.New(total, mpb.BarStyle().Rbound("] "), mpb.BarPriority(priority), mpb.BarWidth(barWidth), mpb.BarFillerTrim(), mpb.BarRemoveOnComplete(),
		l.appended())
	return l
}

func (b *bars) Note(message string, _ ...Field) { _, _ = io.WriteString(b.p, noteText(message)) }
func (b *bars) Warn(message string)             { b.Note(warning + message) }
func (b *bars) Lane(name string) Lane           { return b.add(name, 0, int(b.lanes.Add(1))) }

func (b *bars) Total(share float64, text string) {
	b.total.text.Store(&text)
	b.total.bar.SetCurrent(int64(share * totalScale))
}

func (b *bars) Close() {
	b.total.bar.Abort(false) // the total stays on the terminal
	b.p.Wait()
}

// barLane is a bar with a text behind it.
type barLane struct {
	bar  *mpb.Bar
	name string
	text atomic.Pointer[string]
}

// appended shows the text behind the bar.
func (l *barLane) appended() mpb.BarOption {
	return mpb.AppendDecorators(decor.Any(func(decor.Statistics) string { return *l.text.Load() }))
}

func (l *barLane) Update(done, total int, text string) {
	text = l.name + ": " + text
	l.text.Store(&text)
	l.bar.SetTotal(int64(total), false)
	l.bar.SetCurrent(int64(done))
}

func (l *barLane) End() { l.bar.Abort(true) }
