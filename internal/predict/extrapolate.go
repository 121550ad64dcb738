package predict

import (
	"fmt"
	"strings"

	"github.com/acqnp/acqnp/internal/datasets/rows"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/invalid/warning"
)

// Beyond is how far a target may lie outside the data's range before a warning: a share of its length.
const Beyond = 0.05

// WarnOutside adds a line about the targets outside the data: no model knows what is there. columns are those
// of x. outside reports whether a value of column c lies outside, and where says where such values lie.
func WarnOutside(functions []Function, columns []string, outside func(c int, v float64) bool, where func(c int) string, w *warning.Record) {
	targets, count := 0, make([]int, len(columns))
	for _, f := range functions {
		targets += len(f.TargetX) / len(columns)
		for i, v := range f.TargetX {
			if c := i % len(columns); outside(c, v) {
				count[c]++
			}
		}
	}
	var all []string
	for c, n := range count {
		if n > 0 {
			all = append(all, fmt.Sprintf("%s of %d of %s %s", columns[c], n, invalid.Plural(targets, "target", "targets"), where(c)))
		}
	}
	if all != nil {
		w.Add("predictions there extrapolate: %s", strings.Join(all, "; "))
	}
}

// farDeviations is how many deviations from the mean of its numbers a column may lie before a warning. In
// 1,000 numbers of a normal distribution none lies so far.
const farDeviations = 4

// warnOfScale adds a line about the targets that lie outside your own file, as far as the scaling of its
// columns says: beyond its least and greatest number, or far from their mean.
func (t Trained) warnOfScale(functions []Function, w *warning.Record) {
	low, high, where := -float64(farDeviations), float64(farDeviations), fmt.Sprintf("lies more than %d deviations from the data's mean", farDeviations)
	switch t.Scale {
	case "standard":
	case "range":
		low, high, where = -Beyond, 1+Beyond, "lies outside the data"
	default:
		return
	}
	outside := func(c int, v float64) bool {
		z, number := t.scaled(c, v)
		return number && (z < low || z > high)
	}
	WarnOutside(functions, t.Units.XNames, outside, func(int) string { return where }, w)
}

// scaled returns what the model sees of a raw number of column c of x, unless the column has names.
func (t Trained) scaled(c int, v float64) (z float64, number bool) {
	s := t.Units.Scaling
	form := rows.FormAt(s.XForms, c)
	if form.Categories != nil {
		return 0, false
	}
	return (form.AppendNumbers(nil, v)[0] - s.XOffset[c]) / s.XScale[c], true
}
