package train

import (
	"time"
)

// meter measures training time and rows per second, for reports alone.
type meter struct {
	base          time.Duration // before this process
	start, logged time.Time
	rows          float64 // since start
	rowsLogged    float64 // rows at the last line of the log
	steps         int     // since start
}

func newMeter(base time.Duration) *meter {
	now := time.Now()
	return &meter{base: base, start: now, logged: now}
}

// step counts a step and returns u with its times.
func (m *meter) step(rows int, u Update) Update {
	m.rows += float64(rows)
	m.steps++
	here := time.Since(m.start)
	u.Elapsed = m.base + here
	u.RowsPerSecond = perSecond(m.rows, here)
	u.Left = time.Duration(float64(here) / float64(m.steps) * float64(u.Steps-u.Step))
	return u
}

// sinceLogged returns the rows per second since its last call.
func (m *meter) sinceLogged() float64 {
	now := time.Now()
	rate := perSecond(m.rows-m.rowsLogged, now.Sub(m.logged))
	m.logged, m.rowsLogged = now, m.rows
	return rate
}

func (m *meter) elapsed() time.Duration { return m.base + time.Since(m.start) }

// perSecond returns rows per second. It returns 0 if the clock was too coarse to advance, because
// JSON has no infinity.
func perSecond(rows float64, d time.Duration) float64 {
	if d <= 0 {
		return 0
	}
	return rows / d.Seconds()
}
