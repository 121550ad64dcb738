package fit

import (
	"fmt"
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
	names, slopes, notes := f.columnsOfTable()
	quoted := func(column string) string {
		if column == "" {
			return ""
		}
		return formula.Term{Column: column}.String()
	}
	for c := range f.Y {
		q := table.Question{Fixed: f.fixed(c), Names: names, Slopes: slopes, Group: quoted(f.Group), Outer: quoted(f.Outer), Crossed: quoted(f.Crossed)}
		t := table.Of(f.groupsOfTable(c, f.products()), q)
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
	for _, factors := range f.products() {
		var of []string
		for _, c := range factors {
			of = append(of, names[c])
		}
		names = append(names, strings.Join(of, " × "))
	}
	if f.o.Formula.Products != nil {
		notes = append(notes, "products of columns are of this table: models of the mixture find how columns act together by themselves")
	}
	return names, numbers, notes
}

// products returns the columns of a table that each of its products multiplies: of names, those of each pair of names.
func (f *fitting) products() (all [][]int) {
	for _, factors := range f.o.Formula.Products {
		product := [][]int{nil}
		for _, t := range factors {
			var longer [][]int
			for _, c := range f.placesOf(t) {
				for _, shorter := range product {
					longer = append(longer, append(slices.Clone(shorter), c))
				}
			}
			product = longer
		}
		all = append(all, product...)
	}
	return all
}

// placesOf returns the columns of a term of x in a table.
func (f *fitting) placesOf(t formula.Term) []int {
	first, k := 0, slices.Index(f.X, t.Column)
	for _, form := range f.XForms[:k] {
		first += widthInTable(form)
	}
	form, width := f.XForms[k], widthInTable(f.XForms[k])
	switch {
	case t.Period > 0:
		first, width = first+width-2*(len(form.Periods)-slices.Index(form.Periods, t.Period)), 2
	case form.Periods != nil:
		width = 1 // the trend
	}
	places := make([]int, width)
	for i := range places {
		places[i] = first + i
	}
	return places
}

// widthInTable returns the number of columns of a form in a table: the first of its names has none.
func widthInTable(form rows.Form) int {
	if form.Categories != nil {
		return form.Width() - 1
	}
	return form.Width()
}

// groupsOfTable returns the points whose column c of y is known, as a linear model sees them, with products of
// columns before a crossed name.
func (f *fitting) groupsOfTable(c int, products [][]int) (all []points.Group) {
	for _, g := range f.groups {
		p := f.Numbers(c, g.Points)
		if len(p.Y) == 0 {
			continue
		}
		own, x := p.DX, []float64(nil)
		if f.CrossedAt() >= 0 {
			own--
		}
		for i := range p.Y {
			row := p.X[i*p.DX:][:p.DX]
			x = append(x, row[:own]...)
			for _, factors := range products {
				product := 1.0
				for _, c := range factors {
					product *= row[c]
				}
				x = append(x, product)
			}
			x = append(x, row[own:]...)
		}
		p.X, p.DX = x, p.DX+len(products)
		g.Points = p
		all = append(all, g)
	}
	return all
}

// fixed returns the formula of column c of y, without groups. A number of days of which y is a rate divides y.
func (f *fitting) fixed(c int) string {
	y := f.o.Formula.Y[c]
	if !f.rate(c) {
		return formula.Formula{Y: []formula.Term{y}, X: f.o.Formula.X, Products: f.o.Formula.Products, Offset: f.o.Formula.Offset}.String()
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
	_, right, _ := strings.Cut(formula.Formula{Y: []formula.Term{{Column: "y"}}, X: f.o.Formula.X, Products: f.o.Formula.Products}.String(), "~")
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
