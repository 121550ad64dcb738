package train

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"time"

	"github.com/acqnp/acqnp/internal/atomicfile"
	"github.com/acqnp/acqnp/internal/input"
)

// Metrics is a line of metrics.jsonl: the state after so many steps.
type Metrics struct {
	Step          int     `json:"step"` // steps done
	Loss          float32 `json:"loss"` // of that step's batch, before its update
	LearningRate  float64 `json:"learning_rate"`
	RowsPerSecond float64 `json:"rows_per_s"` // since the line before, or since the run was started or resumed
	Elapsed       float64 `json:"elapsed_s"`  // training time over all resumes
}

// metricsLog appends to metrics.jsonl.
type metricsLog struct{ f *os.File }

// maxLog is how long metrics.jsonl may be, in bytes.
const maxLog = 1 << 30

// openMetrics cuts the log back to the lines of at most step steps and opens it for appending. It tells warn, if that is
// not nil, about lines that training did not write there.
func openMetrics(path string, step int, warn func(string)) (*metricsLog, error) {
	old, err := input.ReadFile(path, "the log of a run", maxLog)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	kept, foreign := cutBack(old, step)
	if !bytes.Equal(kept, old) {
		if err := atomicfile.WriteBytes(path, kept); err != nil {
			return nil, err
		}
	}
	if n := len(foreign); n > 0 && warn != nil {
		lines := fmt.Sprintf("%d lines", n)
		if n == 1 {
			lines = "1 line"
		}
		warn(fmt.Sprintf("%s: dropped %s that training did not write there, the first at line %d", path, lines, foreign[0]))
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
	return &metricsLog{f}, err
}

// cutBack returns the log without the lines of later steps, which will be made again, and without a last line that a
// killed program left unfinished. It also drops lines that are not metrics or not of a later step than the line before,
// and returns their numbers, counted from 1.
func cutBack(log []byte, step int) (kept []byte, foreign []int) {
	number, last := 0, 0
	for line := range bytes.Lines(log) {
		number++
		if !bytes.HasSuffix(line, []byte("\n")) {
			break
		}
		m, err := parseMetrics(line)
		switch {
		case err == nil && m.Step > step:
		case err != nil || m.Step <= last:
			foreign = append(foreign, number)
		default:
			kept, last = append(kept, line...), m.Step
		}
	}
	return kept, foreign
}

// parseMetrics reads a line, which must have all of its fields.
func parseMetrics(line []byte) (Metrics, error) {
	none := math.NaN() // JSON has no NaN: it stays where a field is missing
	m := Metrics{Loss: float32(none), LearningRate: none, RowsPerSecond: none, Elapsed: none}
	if err := json.Unmarshal(line, &m); err != nil {
		return m, err
	}
	if m.Step < 1 || math.IsNaN(float64(m.Loss)+m.LearningRate+m.RowsPerSecond+m.Elapsed) {
		return m, errors.New("a line without step, loss, learning_rate, rows_per_s or elapsed_s")
	}
	return m, nil
}

// write appends a line in one piece.
func (l *metricsLog) write(m Metrics) error {
	line, err := json.Marshal(m)
	if err != nil {
		return err
	}
	_, err = l.f.Write(append(line, '\n'))
	return err
}

// sync makes the lines so far outlive a crash, so that no checkpoint is ahead of them.
func (l *metricsLog) sync() error { return l.f.Sync() }

func (l *metricsLog) close() error { return l.f.Close() }

// meter measures training time and rows per second. The clock steers nothing but what is reported.
type meter struct {
	base          time.Duration // before this process
	start, logged time.Time
	rows          float64 // since start
	rowsLogged    float64 // at the last line
	steps         int     // since start
}

func newMeter(base time.Duration) *meter {
	now := time.Now()
	return &meter{base: base, start: now, logged: now}
}

// step counts a step and describes the state after it.
func (m *meter) step(rows int, u Update) Update {
	m.rows += float64(rows)
	m.steps++
	here := time.Since(m.start)
	u.Elapsed = m.base + here
	u.RowsPerSecond = perSecond(m.rows, here)
	u.Left = time.Duration(float64(here) / float64(m.steps) * float64(u.Steps-u.Step))
	return u
}

// sinceLogged is the rate since it was last asked for.
func (m *meter) sinceLogged() float64 {
	now := time.Now()
	rate := perSecond(m.rows-m.rowsLogged, now.Sub(m.logged))
	m.logged, m.rowsLogged = now, m.rows
	return rate
}

func (m *meter) elapsed() time.Duration { return m.base + time.Since(m.start) }

// perSecond is 0 where a coarse clock saw no time pass: JSON has no infinity.
func perSecond(rows float64, d time.Duration) float64 {
	if d <= 0 {
		return 0
	}
	return rows / d.Seconds()
}
