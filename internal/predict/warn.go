package predict

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/acqnp/acqnp/internal/datasets/rows"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/invalid/warning"
	"github.com/acqnp/acqnp/internal/run"
)

// Warn implements [Predictor].
func (t Trained) Warn(functions []Function, text func(c int, v float64) string, w *warning.Record) {
	WarnOfNames(t.Units, functions, text, w)
	t.warnOfScale(functions, w)
}

// WarnOfNames adds a line about each column with names that are not known.
func WarnOfNames(u run.Units, functions []Function, text func(c int, v float64) string, w *warning.Record) {
	for c := range u.XNames {
		if known := rows.FormAt(u.Scaling.XForms, c).Categories; known != nil {
			warnOfNamesAt(u.XNames, c, functions, known, text, w)
		}
	}
}

// warnOfNamesAt adds a line about the names of column c that are not known.
func warnOfNamesAt(columns []string, c int, functions []Function, known []string, text func(c int, v float64) string, w *warning.Record) {
	points, count := [2]int{}, [2]int{}
	var names []string
	for _, f := range functions {
		for of, x := range [2][]float64{f.ContextX, f.TargetX} {
			for i := c; i < len(x); i += len(columns) {
				points[of]++
				if int(x[i]) < len(known) {
					continue
				}
				count[of]++
				if name := text(c, x[i]); !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
		}
	}
	if count == [2]int{} {
		return
	}
	var where []string
	for of, what := range [2]string{"known point", "target"} {
		if count[of] > 0 {
			where = append(where, fmt.Sprintf("%d of %s", count[of], invalid.Plural(points[of], what, what+"s")))
		}
	}
	for i, name := range names {
		names[i] += " (nearest: " + nearest(name, known) + ")"
	}
	w.Add("%s of %s is not among the data's names: %s", columns[c], strings.Join(where, " and "), invalid.First(names))
}

// nearest returns the known name that is spelled most like another.
func nearest(name string, known []string) string {
	return slices.MinFunc(known, func(a, b string) int {
		of := func(k string) int { return invalid.Distance(strings.ToLower(name), strings.ToLower(k)) }
		return cmp.Compare(of(a), of(b))
	})
}
