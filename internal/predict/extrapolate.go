package predict

import (
	"fmt"
	"strings"

	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/warning"
)

// beyond is how far a target may lie outside the data's range before a warning: a share of its length.
const beyond = 0.05

// warnOfRanges adds a line about the targets that lie outside the data: no model knows what is there.
func (f Fitted) warnOfRanges(functions []Function, w *warning.Record) {
	targets, outside := 0, make([]int, len(f.X))
	for _, fn := range functions {
		targets += len(fn.TargetX) / len(f.X)
		for i, v := range fn.TargetX {
			if c := i % len(f.X); f.outside(c, v) {
				outside[c]++
			}
		}
	}
	var all []string
	for c, n := range outside {
		if n > 0 {
			all = append(all, fmt.Sprintf("%s of %d of %s is not among the data's %s to %s", f.X[c], n, invalid.Plural(targets, "target", "targets"),
				f.XForms[c].Text(f.Ranges[c].Low), f.XForms[c].Text(f.Ranges[c].High)))
		}
	}
	if all != nil {
		w.Add("predictions there extrapolate: %s", strings.Join(all, "; "))
	}
}

// outside reports whether a value of column c is far outside the data.
func (f Fitted) outside(c int, v float64) bool {
	if f.XForms[c].Categories != nil {
		return false
	}
	see := func(v float64) float64 { return f.XForms[c].AppendNumbers(nil, v)[0] } // as models do: perhaps its logarithm
	low, high := see(f.Ranges[c].Low), see(f.Ranges[c].High)
	slack := beyond * (high - low)
	return see(v) < low-slack || see(v) > high+slack
}

// farDeviations is how many deviations from the mean of its numbers a column may lie before a warning. In
// 1,000 numbers of a normal distribution none lies so far.
const farDeviations = 4

// warnOfScale adds a line about the targets that lie outside your own file, as far as the scaling of its
// columns says: beyond its least and greatest number, or far from their mean.
func (t Trained) warnOfScale(functions []Function, w *warning.Record) {
	low, high, what := -float64(farDeviations), float64(farDeviations), fmt.Sprintf("more than %d deviations from the data's mean", farDeviations)
	switch t.Scale {
	case "standard":
	case "range":
		low, high, what = -beyond, 1+beyond, "outside the data"
	default:
		return
	}
	columns := len(t.Units.XNames)
	targets, outside := 0, make([]int, columns)
	for _, f := range functions {
		targets += len(f.TargetX) / columns
		for i, v := range f.TargetX {
			if z, number := t.scaled(i%columns, v); number && (z < low || z > high) {
				outside[i%columns]++
			}
		}
	}
	var all []string
	for c, n := range outside {
		if n > 0 {
			all = append(all, fmt.Sprintf("%s of %d of %s lies %s", t.Units.XNames[c], n, invalid.Plural(targets, "target", "targets"), what))
		}
	}
	if all != nil {
		w.Add("predictions there extrapolate: %s", strings.Join(all, "; "))
	}
}

// scaled returns what the model sees of a raw number of column c of x, unless the column has names.
func (t Trained) scaled(c int, v float64) (z float64, number bool) {
	s := t.Units.Scaling
	form := datasets.FormAt(s.XForms, c)
	if form.Categories != nil {
		return 0, false
	}
	return (form.AppendNumbers(nil, v)[0] - s.XOffset[c]) / s.XScale[c], true
}
