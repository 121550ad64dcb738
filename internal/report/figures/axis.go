package figures

import (
	"math"
	"strconv"
	"time"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/plot"

	"github.com/acqnp/acqnp/internal/datasets/benchmark"
	"github.com/acqnp/acqnp/internal/datasets/rows"
	"github.com/acqnp/acqnp/internal/predict"
)

// An Axis is a column of x along an axis: its name and what its numbers stand for. Dates and names are
// written as such. Equal ratios of a Log axis are equal lengths.
type Axis struct {
	Name string
	Form rows.Form
	Log  bool
}

// AxisOf returns the axis of column c of x.
func AxisOf(a predict.About, c int) Axis {
	f := rows.FormAt(a.Units.Scaling.XForms, c)
	return Axis{labelled(a, a.Units.XNames[c], f), f, f.Log && f.Shift == 0}
}

// LabelOf returns the label of column c of y.
func LabelOf(a predict.About, c int) string {
	return labelled(a, a.Units.YNames[c], rows.FormAt(a.Units.Scaling.YForms, c))
}

// labelled returns the name of a column, with its unit if that is known. Dates have none.
func labelled(a predict.About, name string, f rows.Form) string {
	if unit := benchmark.UnitOf(a.Benchmark, name, f); unit != "" && f.Origin == "" {
		return name + " (" + unit + ")"
	}
	return name
}

// set sets the label of a plot's axis, and ticks whose texts have at most a number of letters.
func (a Axis) set(axis *plot.Axis, letters int) {
	axis.Label.Text = a.Name
	if a.Name == "" { // of a formula without x
		axis.Tick.Marker = plot.ConstantTicks(nil)
	} else if origin, ok := originOf(a.Form); ok {
		axis.Tick.Marker = dateTicks{origin, letters}
	} else if a.Form.Categories != nil {
		axis.Tick.Marker = nameTicks{a.Form.Categories, letters}
	} else if a.Log {
		axis.Scale, axis.Tick.Marker = plot.LogScale{}, logTicks(letters/6)
	}
}

// around returns a range with a little room beside its ends, more of them if they are names.
func (a Axis) around(lo, hi float64) (float64, float64) {
	switch {
	case a.Form.Categories != nil:
		lo, hi = widen(lo, hi)
		return lo - 0.3, hi + 0.3
	case a.Log && lo <= hi:
		lo, hi = widen(math.Log(lo), math.Log(hi))
		return math.Exp(lo), math.Exp(hi)
	case a.Log:
		return 1, 10
	}
	return widen(lo, hi)
}

// covering returns n numbers at equal distances on the axis that cover the given ones, or one if all are the same.
func (a Axis) covering(x []float64, n int) []float64 {
	lo, hi := extremes(x)
	switch {
	case lo > hi:
		return nil
	case lo == hi:
		return []float64{lo}
	case a.Log:
		return floats.LogSpan(make([]float64, n), lo, hi)
	}
	return between(lo, hi, n-1)
}

// isLog reports whether a plot's axis is a log axis.
func isLog(a *plot.Axis) bool {
	_, is := a.Scale.(plot.LogScale)
	return is
}

// logTicks puts at most that many ticks at 1, 2 and 5 times powers of ten, or at fewer of them. A range that holds
// fewer than three of them has ticks at equal distances.
type logTicks int

// Ticks implements plot.Ticker.
func (most logTicks) Ticks(lo, hi float64) (ticks []plot.Tick) {
	for _, digits := range [][]int{{1, 2, 5}, {1, 3}, {1}} {
		if ticks = ticksAt(digits, 1, lo, hi); len(ticks) <= int(most) {
			break
		}
	}
	for step := 2; len(ticks) > int(most); step++ {
		ticks = ticksAt([]int{1}, step, lo, hi)
	}
	if len(ticks) < 3 {
		return fewTicks.Ticks(lo, hi)
	}
	return ticks
}

// ticksAt returns ticks from lo to hi at digits times every step-th power of ten.
func ticksAt(digits []int, step int, lo, hi float64) (ticks []plot.Tick) {
	for e := step * int(math.Floor(math.Log10(lo)/float64(step))); math.Pow10(e) <= hi; e += step {
		for _, d := range digits {
			if v := float64(d) * math.Pow10(e); lo <= v && v <= hi {
				ticks = append(ticks, plot.Tick{Value: v, Label: strconv.FormatFloat(v, 'g', 6, 64)})
			}
		}
	}
	return ticks
}

// originOf returns the moment from which a column's dates are counted: a day, or a time of one.
func originOf(f rows.Form) (time.Time, bool) {
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
			ticks = append(ticks, plot.Tick{Value: v, Label: shortened(n.names[i], longest)})
		}
	}
	return ticks
}

// roundTicks puts at most that many ticks at multiples of 1, 2 or 5 times a power of ten.
type roundTicks int

// The numbers of ticks of a large and of a small panel.
const manyTicks, fewTicks = roundTicks(8), roundTicks(6)

// Ticks implements plot.Ticker.
func (most roundTicks) Ticks(lo, hi float64) (ticks []plot.Tick) {
	if !(lo < hi) || math.IsInf(hi-lo, 0) {
		return nil
	}
	exponent, step := most.step(hi - lo)
	first := math.Ceil(lo / step)
	for i := range int(most) { // not while v ≤ hi: far from 0, neighbouring multiples can be the same float64
		v := (first + float64(i)) * step
		if v > hi {
			break
		}
		label := strconv.FormatFloat(v, 'f', max(0, -exponent), 64)
		if math.Abs(v) >= 1e6 || exponent < -5 {
			label = strconv.FormatFloat(v, 'g', 6, 64)
		}
		ticks = append(ticks, plot.Tick{Value: v, Label: label})
	}
	return ticks
}

// step returns the smallest round step with few enough ticks, and the power of ten of its digit.
func (most roundTicks) step(width float64) (exponent int, step float64) {
	exponent = int(math.Floor(math.Log10(width / float64(most))))
	for {
		for _, digit := range []float64{1, 2, 5} {
			if step := digit * math.Pow(10, float64(exponent)); width/step < float64(most-1) {
				return exponent, step
			}
		}
		exponent++
	}
}

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
	add := func(unit time.Duration, months int, layout string, numbers ...int) {
		for _, n := range numbers {
			all = append(all, dateStep{time.Duration(n) * unit, n * months, layout})
		}
	}
	add(time.Second, 0, time.TimeOnly, 1, 2, 5, 10, 15, 30)
	add(time.Minute, 0, "15:04", 1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720)
	add(day, 0, time.DateOnly, 1, 2, 7, 14)
	add(0, 1, "2006-01", 1, 2, 3, 6)
	add(0, 12, "2006", 1, 2, 5, 10, 20, 50, 100, 500, 1000)
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
