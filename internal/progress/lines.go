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

// lines is the Reporter for a log. It writes one line at a time.
type lines struct {
	w io.Writer
	work
}

func (l *lines) Note(message string, _ ...Field) { fmt.Fprintln(l.w, Printable(message, "")) }

func (l *lines) Warn(message string) { l.Note(warning + message) }

func (l *lines) Begin(name, unit string, done, total int) {
	l.work = newWork(name, unit, done, total, time.Now())
}

func (l *lines) Update(s State) {
	l.last = s
	if now := time.Now(); now.Sub(l.shown) >= linesEvery {
		l.show(now)
	}
}

func (l *lines) End() {
	if l.open {
		l.show(time.Now())
		l.open = false
	}
}

func (l *lines) show(now time.Time) {
	l.shown = now
	fmt.Fprintf(l.w, "%s: %s\n", l.name, l.describe(now))
}

// jsonLines is the Reporter for a program. It writes one object on each line: {"event":
// "note"|"warning"|"progress", …}.
type jsonLines struct {
	w io.Writer
	work
}

type progressEvent struct {
	Event       string   `json:"event"`
	Task        string   `json:"task"`
	Unit        string   `json:"unit"`
	Done        int      `json:"done"`
	Total       int      `json:"total"`
	Loss        *float64 `json:"loss,omitempty"`
	RowsPerS    float64  `json:"rows_per_s,omitempty"`
	ElapsedS    float64  `json:"elapsed_s"`
	SecondsLeft *float64 `json:"left_s,omitempty"`
}

func (j *jsonLines) Note(message string, fields ...Field) {
	m := map[string]any{"event": "note", "message": message} // encoding/json sorts the keys
	for _, f := range fields {
		m[f.Name] = f.Value
	}
	j.write(m)
}

func (j *jsonLines) Warn(message string) {
	j.write(map[string]string{"event": "warning", "message": message})
}

func (j *jsonLines) Begin(name, unit string, done, total int) {
	j.work = newWork(name, unit, done, total, time.Now())
}

func (j *jsonLines) Update(s State) {
	j.last = s
	if now := time.Now(); now.Sub(j.shown) >= jsonEvery {
		j.show(now)
	}
}

func (j *jsonLines) End() {
	if j.open {
		j.show(time.Now())
		j.open = false
	}
}

func (j *jsonLines) show(now time.Time) {
	j.shown = now
	e := progressEvent{Event: "progress", Task: j.name, Unit: j.unit, Done: j.last.Done, Total: j.total,
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
		b, _ = json.Marshal(map[string]string{"event": "note", "message": err.Error()})
	}
	fmt.Fprintf(j.w, "%s\n", b)
}
