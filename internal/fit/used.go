package fit

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/points"
)

// leastSpan is how far apart the least and the greatest y are at least: squares of less are 0.
const leastSpan = 1e-150

// checkValues refuses a column without a value in the rows that are used, of which a file may have others, and one of y
// whose numbers are too near one another.
func (f *fitting) checkValues() error {
	for c, name := range slices.Concat(f.X, f.Y) {
		if !slices.ContainsFunc(f.groups, func(g points.Group) bool {
			column := g.Column(c)
			if c >= len(f.X) {
				column = slices.Concat(f.outcomesOf(c - len(f.X))...)
			}
			return slices.ContainsFunc(column, func(v float64) bool { return !math.IsNaN(v) })
		}) {
			return &invalid.Input{File: f.File, Key: name, Found: "no value in the rows that are used", Expected: "values (leave the column out)"}
		}
	}
	for c, r := range f.YRanges {
		if form := f.YForms[c]; form.Categories != nil && r.Low == r.High {
			return &invalid.Input{File: f.File, Key: f.Y[c], Found: "no name but " + form.Text(r.Low) + " in the rows that are used", Expected: "two names"}
		}
		if seen, limits := len(slices.Concat(f.outcomesOf(c)...)), f.limitsOf(c); limits > 0 && seen < leastRows {
			return &invalid.Input{File: f.File, Key: f.Y[c], Found: fmt.Sprintf("%s beside %d limits", invalid.Plural(seen, "value", "values"), limits),
				Expected: fmt.Sprintf("at least %d values that are no limits", leastRows)}
		}
		if span := r.High - r.Low; span > 0 && span < leastSpan {
			return &invalid.Input{File: f.File, Key: f.Y[c], Found: fmt.Sprintf("numbers from %g to %g", r.Low, r.High),
				Expected: fmt.Sprintf("numbers that lie %g apart or more (write them in other units)", leastSpan)}
		}
	}
	return nil
}

// dropUnusedNames drops the names of columns of x that no row has, which become names that the data lack, and numbers the
// others again.
func (f *fitting) dropUnusedNames() {
	for c := range f.X {
		f.dropNames(c)
	}
}

// dropNames drops the unused names of column c of x.
func (f *fitting) dropNames(c int) {
	if f.XForms[c].Categories == nil {
		return
	}
	var all, numbers []float64
	for _, g := range f.groups {
		all = append(all, g.Column(c)...)
	}
	f.XForms[c], numbers = f.XForms[c].Used(all)
	for _, g := range f.groups {
		for i := range g.Len() {
			if v := &g.Row(i)[c]; !math.IsNaN(*v) {
				*v = numbers[int(*v)]
			}
		}
	}
}

// sayMissing adds the line about missing cells of x of the data.
func (f *fitting) sayMissing() {
	var parts []string
	for c, n := range f.Missing {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d of %s", n, f.X[c]))
		}
	}
	if parts != nil {
		f.o.Warnings.Add("%s: missing cells in %s: %s; each gets the median of its group's known cells, or of all, and models see which they are",
			f.File, invalid.Plural(f.Rows, "row", "rows"), strings.Join(parts, ", "))
	}
}
