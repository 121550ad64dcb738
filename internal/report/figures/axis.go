package figures

import (
	"math"
	"time"

	"gonum.org/v1/plot"

	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/report/tables"
)

// An Axis is a column of x along an axis: its name and what its numbers stand for. Dates and names are
// written as such.
type Axis struct {
	Name string
	Form datasets.Form
}

// axisOf returns the axis of column c of x.
func axisOf(t predict.Trained, c int) Axis {
	f := datasets.FormAt(t.Units.Scaling.XForms, c)
	return Axis{labelled(t, t.Units.XNames[c], f), f}
}

// labelOf returns the label of column c of y.
func labelOf(t predict.Trained, c int) string {
	return labelled(t, t.Units.YNames[c], datasets.FormAt(t.Units.Scaling.YForms, c))
}

// labelled returns the name of a column, with its unit if that is known. Dates have none.
func labelled(t predict.Trained, name string, f datasets.Form) string {
	if unit := datasets.UnitOf(t.Benchmark, name, f); unit != "" && f.Origin == "" {
		return name + " (" + unit + ")"
	}
	return name
}

// set sets the label of a plot's axis, and ticks whose texts have at most a number of letters.
func (a Axis) set(axis *plot.Axis, letters int) {
	axis.Label.Text = a.Name
	if origin, err := time.Parse(time.DateOnly, a.Form.Origin); err == nil {
		axis.Tick.Marker = dateTicks{origin, letters}
	} else if a.Form.Categories != nil {
		axis.Tick.Marker = nameTicks{a.Form.Categories, letters}
	}
}

// nameTicks writes names at their indices, every second or more rarely if there are too many.
type nameTicks struct {
	names   []string
	letters int
}

// Ticks implements plot.Ticker.
func (n nameTicks) Ticks(lo, hi float64) []plot.Tick {
	const longest = 12
	letters := 2 // between two names
	for _, name := range n.names {
		letters = max(letters, min(len([]rune(name)), longest)+2)
	}
	var ticks []plot.Tick
	step := (len(n.names)*letters + n.letters - 1) / n.letters
	for i := 0; i < len(n.names); i += step {
		if v := float64(i); lo <= v && v <= hi {
			ticks = append(ticks, plot.Tick{Value: v, Label: tables.Shortened(n.names[i], longest)})
		}
	}
	return ticks
}

// dateTicks writes the dates that days since an origin stand for, at the first days of months or
// years where the range is long.
type dateTicks struct {
	origin  time.Time
	letters int
}

// dateSteps are the distances of ticks, ascending, and how their dates are written.
var dateSteps = []struct {
	hours, days, months int
	layout              string
}{
	{1, 0, 0, "01-02 15:04"}, {3, 0, 0, "01-02 15:04"}, {6, 0, 0, "01-02 15:04"}, {12, 0, 0, "01-02 15:04"},
	{0, 1, 0, time.DateOnly}, {0, 2, 0, time.DateOnly}, {0, 7, 0, time.DateOnly}, {0, 14, 0, time.DateOnly},
	{0, 0, 1, "2006-01"}, {0, 0, 2, "2006-01"}, {0, 0, 3, "2006-01"}, {0, 0, 6, "2006-01"},
	{0, 0, 12, "2006"}, {0, 0, 24, "2006"}, {0, 0, 60, "2006"}, {0, 0, 120, "2006"}, {0, 0, 240, "2006"}, {0, 0, 600, "2006"},
	{0, 0, 1200, "2006"}, {0, 0, 6000, "2006"}, {0, 0, 12000, "2006"},
}

// Ticks implements plot.Ticker. Where a range is too short or too long for dates, it writes numbers.
func (d dateTicks) Ticks(lo, hi float64) []plot.Tick {
	const furthest = 1e6 // days: dates keep four digits of years there
	if !(hi-lo > 0.1) || math.Abs(lo) > furthest || math.Abs(hi) > furthest {
		return ticks(lo, hi, maxFewTicks)
	}
	day := time.Duration(24 * float64(time.Hour))
	for _, s := range dateSteps {
		if days := float64(s.hours)/24 + float64(s.days) + 30*float64(s.months); (hi-lo)/days*float64(len(s.layout)+2) > float64(d.letters) {
			continue
		}
		at := d.origin.AddDate(0, 0, int(math.Floor(lo))) // at midnight
		if s.months > 0 {
			at = time.Date(at.Year(), 1, 1, 0, 0, 0, 0, time.UTC)
			if s.months > 12 {
				at = at.AddDate(-(at.Year() % (s.months / 12)), 0, 0)
			}
		}
		var all []plot.Tick
		for {
			whole := math.Round(float64(at.Unix()-d.origin.Unix()) / 60)
			v := whole * 60 / day.Seconds()
			if v > hi {
				return all
			}
			if v >= lo {
				all = append(all, plot.Tick{Value: v, Label: at.Format(s.layout)})
			}
			at = at.AddDate(0, s.months, s.days).Add(time.Duration(s.hours) * time.Hour)
		}
	}
	return ticks(lo, hi, maxFewTicks)
}
