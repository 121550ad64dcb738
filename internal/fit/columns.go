package fit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets/rows"
	"github.com/acqnp/acqnp/internal/fit/formula"
	"github.com/acqnp/acqnp/internal/invalid"
)

// mostOfModelX bounds the columns of x that models see.
const mostOfModelX = 40

// formsOf returns what the cells of each column of x and of y are.
func formsOf(o Options) (xs, ys []rows.Form, err error) {
	x, y := formula.Columns(o.Formula.X), formula.Columns(o.Formula.Y)
	scan, err := rows.ScanFile(config.Data{File: o.File, Group: o.Formula.Group, XColumns: x, YColumns: y}, "")
	if err != nil {
		return nil, nil, err
	}
	width := 0
	for i, t := range slices.Concat(o.Formula.X, o.Formula.Y) {
		c, _ := scan.Column(t.Column)
		form, err := c.Form(o.File, i >= len(x))
		if err != nil {
			return nil, nil, err
		}
		refuse := func(found, expected string) (xs, ys []rows.Form, err error) {
			return nil, nil, &invalid.Input{File: o.File, Key: t.Column, Found: found, Expected: expected}
		}
		switch {
		case i >= len(x) && c.Kind != rows.NumberColumn:
			return refuse(c.Kind+"s", "numbers in a column of y")
		case t.Log && c.Kind != rows.NumberColumn:
			return refuse("a logarithm of "+c.Kind+"s", "numbers")
		case t.Log && c.Least <= 0:
			return refuse(fmt.Sprintf("%g, which has no logarithm", c.Least), "numbers above 0")
		}
		if i >= len(x) {
			ys = append(ys, form)
			continue
		}
		form.Log = t.Log
		xs = append(xs, form)
		width += max(1, len(form.Categories))
		if form.Categories != nil {
			o.Warnings.Add("%s: %s is read as %s", o.File, t.Column, c.What())
		}
	}
	if width > mostOfModelX {
		return nil, nil, &invalid.Input{File: o.File, Found: fmt.Sprintf("%d columns of x, a column for each name", width), Expected: fmt.Sprintf("at most %d: leave out a column with many names, or write '| COLUMN' to make its names the groups", mostOfModelX)}
	}
	return xs, ys, nil
}

// Look scans a file and returns an example of a formula for its columns.
func Look(file string) (rows.Scan, formula.Formula, error) {
	scan, err := rows.ScanFile(config.Data{File: file}, "")
	return scan, exampleFormula(scan), err
}

// exampleFormula takes the last column of numbers as y and the first other one, or of dates, as x. Its
// groups are the first column of names or whole numbers whose values repeat, with at least five different
// ones.
func exampleFormula(scan rows.Scan) (f formula.Formula) {
	var x, y string
	for _, c := range scan.Columns {
		repeats := c.Distinct >= 5 && scan.Rows >= 3*c.Distinct && c.Distinct <= rows.MaxDistinct
		switch {
		case c.Constant():
		case f.Group == "" && repeats && (c.Kind == rows.NameColumn || c.Kind == rows.NumberColumn && whole(c.Values) && !slices.Contains([]string{"x", "y"}, c.Name)):
			f.Group = c.Name
		case x == "" && slices.Contains([]string{rows.NumberColumn, rows.DateColumn, rows.TimeColumn}, c.Kind):
			x = c.Name
		case c.Kind == rows.NumberColumn:
			y = c.Name
		}
	}
	if y != "" {
		f.Y, f.X = []formula.Term{{Column: y}}, []formula.Term{{Column: x}}
	}
	return f
}

func whole(values []string) bool {
	return !slices.ContainsFunc(values, func(v string) bool { return strings.ContainsAny(v, ".,eE") })
}
