package predict

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/acqnp/acqnp/internal/datasets/rows"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/invalid/warning"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/run"
)

// Warn implements [Predictor].
func (t Trained) Warn(questions []points.Question, text func(c int, v float64) string, w *warning.Record) {
	WarnOfNames(t.Units, questions, text, w)
	t.warnOfScale(questions, w)
}

// WarnOfNames adds a line about each column with names that are not known.
func WarnOfNames(u run.Units, questions []points.Question, text func(c int, v float64) string, w *warning.Record) {
	for c := range u.XNames {
		if known := rows.FormAt(u.Scaling.XForms, c).Categories; known != nil {
			warnOfNamesAt(u.XNames, c, questions, known, text, w)
		}
	}
}

// warnOfNamesAt adds a line about the names of column c that are not known.
func warnOfNamesAt(columns []string, c int, questions []points.Question, known []string, text func(c int, v float64) string, w *warning.Record) {
	var names []string
	seen := map[float64]bool{}
	count := countOf(questions, c, func(v float64) bool {
		if !(v >= float64(len(known))) { // a known name, or none
			return false
		}
		if !seen[v] {
			seen[v], names = true, append(names, text(c, v))
		}
		return true
	})
	if count == "" {
		return
	}
	for i, name := range names[:min(len(names), invalid.Shown)] {
		names[i] += " (nearest: " + nearest(name, known) + ")"
	}
	w.Add("%s of %s is not among the data's names: %s", columns[c], count, invalid.First(names))
}

// nearest returns the known name that is spelled most like another.
func nearest(name string, known []string) string {
	return slices.MinFunc(known, func(a, b string) int {
		of := func(k string) int { return invalid.Distance(strings.ToLower(name), strings.ToLower(k)) }
		return cmp.Compare(of(a), of(b))
	})
}

// Beyond is how far a point may lie outside the data's range before a warning: a share of its length.
const Beyond = 0.05

// WarnOutside adds a line about the known points and the targets outside the data: no model knows what is there.
// columns are those of x. outside reports whether a value of column c lies outside, and where says where such values
// lie.
func WarnOutside(questions []points.Question, columns []string, outside func(c int, v float64) bool, where func(c int) string, w *warning.Record) {
	var all []string
	for c, name := range columns {
		if count := countOf(questions, c, func(v float64) bool { return outside(c, v) }); count != "" {
			all = append(all, fmt.Sprintf("%s of %s %s", name, count, where(c)))
		}
	}
	if all != nil {
		w.Add("%s: predictions there extrapolate", strings.Join(all, "; "))
	}
}

// countOf says how many of the known points and of the targets have such a value in column c: "2 of 3 known points and 1
// of 5 targets", "" if none has.
func countOf(questions []points.Question, c int, such func(v float64) bool) string {
	all, count := [2]int{}, [2]int{}
	for _, q := range questions {
		for of, p := range [2]points.Points{q.Known, q.Targets} {
			all[of] += p.Len()
			for _, v := range p.Column(c) {
				if such(v) {
					count[of]++
				}
			}
		}
	}
	var where []string
	for of, what := range [2]string{"known point", "target"} {
		if count[of] > 0 {
			where = append(where, fmt.Sprintf("%d of %s", count[of], invalid.Plural(all[of], what, what+"s")))
		}
	}
	return strings.Join(where, " and ")
}

// farDeviations is how many deviations from the mean of its numbers a column may lie before a warning. In
// 1,000 numbers of a normal distribution none lies so far.
const farDeviations = 4

// warnOfScale adds a line about the points that lie outside your own file, as far as the scaling of its
// columns says: beyond its least and greatest number, or far from their mean.
func (t Trained) warnOfScale(questions []points.Question, w *warning.Record) {
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
	WarnOutside(questions, t.Units.XNames, outside, func(int) string { return where }, w)
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
