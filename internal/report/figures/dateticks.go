package figures

import (
	"math"
	"time"

	"gonum.org/v1/plot"
)

// dateTicks writes the dates that days since an origin stand for: at the first days of months or years
// where the range is long, times of day where it is short.
type dateTicks struct {
	origin  time.Time
	letters int
}

// A dateStep is a distance of ticks, and how they are written.
type dateStep struct {
	length time.Duration // 0 if it is a number of months
	months int
	layout string
}

const day = 24 * time.Hour

// dateSteps are the distances of ticks, ascending.
var dateSteps = func() (all []dateStep) {
	for _, n := range []time.Duration{1, 2, 5, 10, 15, 30} {
		all = append(all, dateStep{n * time.Second, 0, time.TimeOnly})
	}
	for _, n := range []time.Duration{1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720} {
		all = append(all, dateStep{n * time.Minute, 0, "15:04"})
	}
	for _, n := range []time.Duration{1, 2, 7, 14} {
		all = append(all, dateStep{n * day, 0, time.DateOnly})
	}
	for _, n := range []int{1, 2, 3, 6} {
		all = append(all, dateStep{0, n, "2006-01"})
	}
	for _, n := range []int{1, 2, 5, 10, 20, 50, 100, 500, 1000} {
		all = append(all, dateStep{0, 12 * n, "2006"})
	}
	return all
}()

// Ticks implements plot.Ticker. Where a range is too short or too long for dates, it writes numbers.
func (d dateTicks) Ticks(lo, hi float64) []plot.Tick {
	const (
		furthest = 1e6                 // days: dates keep four digits of years there
		shortest = 3. / (24 * 60 * 60) // days: times have whole seconds
	)
	if !(hi-lo > shortest) || math.Abs(lo) > furthest || math.Abs(hi) > furthest {
		return fewTicks.Ticks(lo, hi)
	}
	for _, s := range dateSteps {
		n, width := (hi-lo)/s.days(), len(s.layout)+2
		if s.withinDays() {
			width = max(width, d.letters/int(manyTicks))
		}
		if n*float64(width) <= float64(d.letters) {
			return d.ticks(s, lo, hi)
		}
	}
	return fewTicks.Ticks(lo, hi)
}

// days returns the length of a step in days, for a month 30.
func (s dateStep) days() float64 { return s.length.Hours()/24 + 30*float64(s.months) }

// withinDays reports whether the ticks of a step are times of day.
func (s dateStep) withinDays() bool { return s.months == 0 && s.length < day }

// ticks returns the ticks of a step.
func (d dateTicks) ticks(s dateStep, lo, hi float64) (all []plot.Tick) {
	for at := s.before(d.moment(lo)); ; at = at.AddDate(0, s.months, 0).Add(s.length) {
		v := d.days(at)
		if v > hi {
			break
		}
		if v >= lo {
			all = append(all, plot.Tick{Value: v, Label: at.Format(s.layout)})
		}
	}
	if s.withinDays() {
		d.addDays(all)
	}
	return all
}

// addDays adds a second line to times of day: the date to the first one, and the day to each midnight. The other
// lines are blank, which keeps the times on one height.
func (d dateTicks) addDays(times []plot.Tick) {
	for i, t := range times {
		line, at := " ", d.moment(t.Value).Round(time.Second)
		switch {
		case i == 0:
			line = at.Format(time.DateOnly)
		case at.Equal(at.Truncate(day)):
			line = at.Format("01-02")
		}
		times[i].Label += "\n" + line
	}
}

// before returns the last moment of a step at or before a moment: midnight for days, the first of a year
// for months.
func (s dateStep) before(at time.Time) time.Time {
	if s.months > 0 {
		return time.Date(at.Year()-at.Year()%max(s.months/12, 1), 1, 1, 0, 0, 0, 0, time.UTC)
	}
	return at.Truncate(min(s.length, day))
}

// moment returns the moment that lies days after the origin.
func (d dateTicks) moment(days float64) time.Time {
	whole := math.Floor(days)
	return d.origin.AddDate(0, 0, int(whole)).Add(time.Duration((days - whole) * float64(day)))
}

// days returns how many days after the origin a moment is.
func (d dateTicks) days(at time.Time) float64 {
	return float64(at.Unix()-d.origin.Unix()) / day.Seconds()
}
