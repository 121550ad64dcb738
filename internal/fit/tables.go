package fit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/acqnp/acqnp/internal/datasets/rows"
	"github.com/acqnp/acqnp/internal/fit/formula"
	"github.com/acqnp/acqnp/internal/fit/table"
	"github.com/acqnp/acqnp/internal/points"
)

// tabulate sets the table of each column of y.
func (f *fitting) tabulate() {
	names, slopes, notes := f.columnsOfTable()
	quoted := func(column string) string {
		if column == "" {
			return ""
		}
		return formula.Term{Column: column}.String()
	}
	for c := range f.Y {
		q := table.Question{Fixed: f.fixed(c), Names: names, Slopes: slopes, Group: quoted(f.Group), Outer: quoted(f.Outer), Crossed: quoted(f.Crossed)}
		t := table.Of(f.groupsOfTable(c), q)
		t.Notes = slices.Concat(f.notesOfTable(c), notes, t.Notes)
		f.Tables = append(f.Tables, t)
	}
}

// columnsOfTable returns the names of the columns of x in a table, in the order of the formula, the places of those that are
// numbers, and what to know of them.
func (f *fitting) columnsOfTable() (names []string, numbers []int, notes []string) {
	for k, form := range f.XForms {
		if f.X[k] == "" || form.OffsetOnly || form.Crossed {
			continue
		}
		name := formula.Term{Column: f.X[k]}.String()
		if form.Categories != nil {
			notes = append(notes, "names of "+name+" are compared with "+form.Categories[0])
			for _, other := range form.Categories[1:] {
				names = append(names, name+": "+other)
			}
			continue
		}
		if form.Origin != "" {
			notes = append(notes, name+" is days since "+form.Origin)
		}
		if form.Periods == nil || form.Trend {
			numbers = append(numbers, len(names))
			names = append(names, formula.Term{Column: f.X[k], Log: form.Log}.String())
		}
		for _, period := range form.Periods {
			angle := fmt.Sprintf("(2π·%s/%g)", name, period)
			names = append(names, "sin"+angle, "cos"+angle)
		}
	}
	return names, numbers, notes
}

// groupsOfTable returns the points whose column c of y is known, as a linear model sees them.
func (f *fitting) groupsOfTable(c int) (all []points.Group) {
	for _, g := range f.groups {
		if g.Points = f.Numbers(c, g.Points); len(g.Y) > 0 {
			all = append(all, g)
		}
	}
	return all
}

// fixed returns the formula of column c of y, without groups. A number of days of which y is a rate divides y.
func (f *fitting) fixed(c int) string {
	y := f.o.Formula.Y[c]
	if !f.rate(c) {
		return formula.Formula{Y: []formula.Term{y}, X: f.o.Formula.X, Offset: f.o.Formula.Offset}.String()
	}
	left, divisors := formula.Term{Column: y.Column}.String(), ""
	for _, t := range f.o.Formula.Offset {
		if t.Log {
			divisors += "/" + formula.Term{Column: t.Column}.String()
		} else {
			left += " - " + t.String()
		}
	}
	if strings.Contains(left, " - ") {
		left = "(" + left + ")"
	}
	_, right, _ := strings.Cut(formula.Formula{Y: []formula.Term{{Column: "y"}}, X: f.o.Formula.X}.String(), "~")
	return left + divisors + " ~" + right
}

// rate reports whether column c of y is seen as a rate: an offset is a logarithm, and y is not.
func (f *fitting) rate(c int) bool {
	return !f.LogY[c] && slices.ContainsFunc(f.XForms, func(form rows.Form) bool { return form.Offset && form.Log })
}

// notesOfTable says on which scale column c of y is.
func (f *fitting) notesOfTable(c int) (notes []string) {
	y := f.Y[c]
	switch outcome := f.Stacks[c].Outcome; {
	case f.LogY[c]:
		notes = append(notes, "on the scale of log("+y+"): the exponential of an estimate is a factor of "+y)
	case f.rate(c):
		notes = append(notes, "on the scale of the rate of "+y+", as numbers")
	case !outcome.Real():
		notes = append(notes, "on the scale of "+y+" as numbers; the mixture knows that they are "+outcome.String())
	}
	if f.RowWeights != "" {
		notes = append(notes, "rows count by "+f.RowWeights+", divided by its mean: a row of 2 as two rows")
	}
	return notes
}
