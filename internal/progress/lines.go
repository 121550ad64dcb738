package progress

import (
	"encoding/json"
	"fmt"
	"io"
	"time"
)

// The time between two lines of a log, and between two JSON objects.
const (
	linesEvery = 10 * time.Second
	jsonEvery  = time.Second
)

// A paced calls show as its work goes on, at most once in every period, and at the end.
type paced struct {
	work
	every time.Duration
	show  func(now time.Time)
}

func (p *paced) Begin(name, unit string, done, total int) {
	p.work = newWork(name, unit, done, total, time.Now())
}

func (p *paced) Update(s State) {
	p.last = s
	if now := time.Now(); now.Sub(p.shown) >= p.every {
		p.shown = now
		p.show(now)
	}
}

func (p *paced) End() {
	if p.open {
		p.show(time.Now())
		p.open = false
	}
}

// lines is the Reporter for a log. It writes one line at a time.
type lines struct {
	w io.Writer
	paced
}

func newLines(w io.Writer) *lines {
	l := &lines{w: w}
	l.paced = paced{every: linesEvery, show: func(now time.Time) { fmt.Fprintf(w, "%s: %s\n", l.name, l.describe(now)) }}
	return l
}

func (l *lines) Note(message string, _ ...Field) { fmt.Fprintln(l.w, Printable(message, "")) }

func (l *lines) Warn(message string) { l.Note(warning + message) }

// jsonLines is the Reporter for a program. It writes one object on each line: {"event":
// "note"|"warning"|"progress"|…, "level": "info"|"warning", "time": RFC 3339, …}.
type jsonLines struct {
	w io.Writer
	paced
}

func newJSONLines(w io.Writer) *jsonLines {
	j := &jsonLines{w: w}
	j.paced = paced{every: jsonEvery, show: j.state}
	return j
}

type progressEvent struct {
	Event       string   `json:"event"`
	Level       string   `json:"level"`
	Time        string   `json:"time"`
	Task        string   `json:"task"`
	Unit        string   `json:"unit"`
	Done        int      `json:"done"`
	Total       int      `json:"total"`
	Loss        *float64 `json:"loss,omitempty"`
	RowsPerS    float64  `json:"rows_per_s,omitempty"`
	ElapsedS    float64  `json:"elapsed_s"`
	SecondsLeft *float64 `json:"left_s,omitempty"`
}

// Event returns an event with a message, as --json writes it.
func Event(kind, level, message string) map[string]any {
	return map[string]any{"event": kind, "level": level, "time": stamp(time.Now()), "message": message}
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

func (j *jsonLines) Note(message string, fields ...Field) {
	m := Event("note", "info", message)
	for _, f := range fields {
		m[f.Name] = f.Value
	}
	j.write(m)
}

func (j *jsonLines) Warn(message string) { j.write(Event("warning", "warning", message)) }

// state writes how far the work has come.
func (j *jsonLines) state(now time.Time) {
	e := progressEvent{Event: "progress", Level: "info", Time: stamp(now), Task: j.name, Unit: j.unit, Done: j.last.Done, Total: j.total,
		RowsPerS: j.last.RowsPerSecond, ElapsedS: now.Sub(j.start).Seconds()}
	if loss, ok := j.last.loss(); ok {
		e.Loss = &loss
	}
	if d, ok := j.left(now); ok {
		s := d.Seconds()
		e.SecondsLeft = &s
	}
	j.write(e)
}

// write writes a value as one line. If JSON cannot hold the value, it writes the error as a note.
func (j *jsonLines) write(v any) {
	b, err := json.Marshal(v)
	if err != nil {
		b, _ = json.Marshal(Event("note", "info", err.Error()))
	}
	fmt.Fprintf(j.w, "%s\n", b)
}
