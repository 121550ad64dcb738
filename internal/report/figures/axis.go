package figures

import (
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
func axisOf(a predict.About, c int) Axis {
	f := datasets.FormAt(a.Units.Scaling.XForms, c)
	return Axis{labelled(a, a.Units.XNames[c], f), f}
}

// labelOf returns the label of column c of y.
func labelOf(a predict.About, c int) string {
	return labelled(a, a.Units.YNames[c], datasets.FormAt(a.Units.Scaling.YForms, c))
}

// labelled returns the name of a column, with its unit if that is known. Dates have none.
func labelled(a predict.About, name string, f datasets.Form) string {
	if unit := datasets.UnitOf(a.Benchmark, name, f); unit != "" && f.Origin == "" {
		return name + " (" + unit + ")"
	}
	return name
}

// set sets the label of a plot's axis, and ticks whose texts have at most a number of letters.
func (a Axis) set(axis *plot.Axis, letters int) {
	axis.Label.Text = a.Name
	if origin, ok := originOf(a.Form); ok {
		axis.Tick.Marker = dateTicks{origin, letters}
	} else if a.Form.Categories != nil {
		axis.Tick.Marker = nameTicks{a.Form.Categories, letters}
	}
}

// around returns a range with room beside its ends where they are names.
func (a Axis) around(lo, hi float64) (float64, float64) {
	if a.Form.Categories != nil {
		return lo - 0.3, hi + 0.3
	}
	return lo, hi
}

// originOf returns the moment from which a column's dates are counted: a day, or a time of one.
func originOf(f datasets.Form) (time.Time, bool) {
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if t, err := time.Parse(layout, f.Origin); err == nil {
			return t.UTC(), true
		}
	}
	return time.Time{}, false
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
