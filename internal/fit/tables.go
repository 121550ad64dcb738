package fit

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/acqnp/acqnp/internal/datasets/rows"
	"github.com/acqnp/acqnp/internal/fit/formula"
	"github.com/acqnp/acqnp/internal/fit/table"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/points"
)

// tabulate sets the table of each column of y.
func (f *fitting) tabulate() {
	names, notes := f.columnsOfTable()
	quoted := func(column string) string {
		if column == "" {
			return ""
		}
		return formula.Term{Column: column}.String()
	}
	for c := range f.Y {
		q := table.Question{Fixed: f.fixed(c), Names: names, Group: quoted(f.Group), Outer: quoted(f.Outer)}
		t := table.Of(f.groupsOfTable(c), q)
		t.Notes = slices.Concat(f.notesOfTable(c), notes, t.Notes)
		f.Tables = append(f.Tables, t)
	}
}

// columnsOfTable returns the names of the columns of x in a table, in the order of the formula, and what to know of them.
func (f *fitting) columnsOfTable() (names, notes []string) {
	for k, form := range f.XForms {
		if f.X[k] == "" || form.OffsetOnly {
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
			names = append(names, formula.Term{Column: f.X[k], Log: form.Log}.String())
		}
		for _, period := range form.Periods {
			angle := fmt.Sprintf("(2π·%s/%g)", name, period)
			names = append(names, "sin"+angle, "cos"+angle)
		}
	}
	return names, notes
}

// groupsOfTable returns the points whose column c of y is known: their numbers as the formula says, and a column for each
// name but the first.
func (f *fitting) groupsOfTable(c int) (all []points.Group) {
	for _, g := range f.groups {
		exposures := f.Exposures(c, g.X)
		p := points.Points{Weights: g.Weights}
		var known []int
		for i := range g.Len() {
			y := g.RowY(i)[c]
			if !math.IsNaN(y) && g.Limit(i, c) == 0 {
				known = append(known, i)
			}
			if exposures != nil {
				y = (y - exposures[i].Offset) / exposures[i].Factor
			}
			if f.LogY[c] {
				y = math.Log(y)
			}
			x := f.appendRow(nil, g.Row(i))
			p.DX, p.DY = len(x), 1
			p.X, p.Y = append(p.X, x...), append(p.Y, y)
		}
		if known != nil {
			g.Points = p.Take(known)
			all = append(all, g)
		}
	}
	return all
}

// appendRow appends the columns of a table of a raw row of x to dst.
func (f *fitting) appendRow(dst, raw []float64) []float64 {
	for k, form := range f.XForms {
		if f.X[k] == "" {
			continue
		}
		own := form.AppendNumbers(nil, raw[k])
		if form.Categories != nil {
			own = own[1:]
		}
		dst = append(dst, own...)
	}
	return dst
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
	if limits := f.limitsOf(c); limits > 0 {
		notes = append(notes, fmt.Sprintf("without the %s of which a limit of %s is known: it says nothing of these", invalid.Plural(limits, "row", "rows"), y))
	}
	if f.RowWeights != "" {
		notes = append(notes, "rows count by "+f.RowWeights+", divided by its mean: a row of 2 as two rows")
	}
	return notes
}
