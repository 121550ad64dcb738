package fit

import (
	"fmt"
	"slices"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets/rows"
	"github.com/acqnp/acqnp/internal/fit/formula"
	"github.com/acqnp/acqnp/internal/invalid"
)

// mostOfModelX bounds the columns of x that models see.
const mostOfModelX = 40

// formsOf returns the columns of x, and what the cells of each and of those of y are. A formula without x has a column
// of the name "", which files do not have.
func formsOf(o Options) (x []string, xs, ys []rows.Form, err error) {
	y := formula.Columns(o.Formula.Y)
	for _, t := range slices.Concat(o.Formula.X, o.Formula.Offset) {
		if !slices.Contains(x, t.Column) {
			x = append(x, t.Column)
		}
	}
	needed := slices.Clone(x)
	if o.Formula.Outer != "" {
		needed = append(needed, o.Formula.Outer)
	}
	for _, name := range []string{o.Formula.Crossed, o.Censored} {
		if name != "" {
			needed = append(needed, name)
		}
	}
	scan, err := rows.ScanFile(config.Data{File: o.File, Group: o.Formula.Group, XColumns: needed, YColumns: y}, "")
	if err != nil {
		return nil, nil, nil, err
	}
	if len(o.Formula.X) == 0 && o.Formula.Crossed == "" {
		x = append([]string{""}, x...)
	}
	for _, t := range o.Formula.Y {
		form, err := formOf(o, scan, []formula.Term{t}, true)
		if err != nil {
			return nil, nil, nil, err
		}
		form.Log = false // the models take it
		ys = append(ys, form)
	}
	width := 0
	for _, name := range x {
		var form rows.Form
		if name != "" {
			other := func(t formula.Term) bool { return t.Column != name }
			own, offset := slices.DeleteFunc(slices.Clone(o.Formula.X), other), slices.DeleteFunc(slices.Clone(o.Formula.Offset), other)
			if form, err = formOf(o, scan, slices.Concat(offset, own), false); err != nil {
				return nil, nil, nil, err
			}
			form.Gaps, form.Offset, form.OffsetOnly = len(offset) == 0, len(offset) > 0, len(own) == 0
			if form.Offset && (form.Categories != nil || form.Origin != "" || len(own) > 0 && own[0] != offset[0]) {
				return nil, nil, nil, &invalid.Input{File: o.File, Key: name, Found: "offset(" + offset[0].String() + ")",
					Expected: "a column of numbers, with the same term if it is one of x too"}
			}
		}
		xs = append(xs, form)
		width += form.Width()
	}
	if o.Formula.Crossed != "" {
		x, xs = append(x, o.Formula.Crossed), append(xs, rows.Form{Categories: []string{}, OfFit: rows.OfFit{Crossed: true}})
		width++
	}
	if width > mostOfModelX {
		widest := 0
		for i, form := range xs {
			if form.Width() > xs[widest].Width() {
				widest = i
			}
		}
		if c, _ := scan.Column(x[widest]); c.OddCell != "" {
			return nil, nil, nil, c.RefuseOdd()
		}
		return nil, nil, nil, &invalid.Input{File: o.File, Key: x[widest], Found: fmt.Sprintf("%d columns of x, a column for each name", width), Expected: fmt.Sprintf("at most %d: leave out a column with many names, or write '| COLUMN' to make its names the groups, or '| GROUP + COLUMN' for names that groups share", mostOfModelX)}
	}
	return x, xs, ys, nil
}

// formOf returns what the cells of a column of x or y are, of which a formula has these terms.
func formOf(o Options, scan rows.Scan, terms []formula.Term, y bool) (f rows.Form, err error) {
	c, _ := scan.Column(terms[0].Column)
	if y {
		c = c.WithLimits()
	}
	refuse := func(found, expected string) (rows.Form, error) {
		return f, &invalid.Input{File: o.File, Key: c.Name, Found: found, Expected: expected}
	}
	if terms[0].Factor && c.Distinct > 1 {
		return c.Names(o.File)
	}
	if y && c.Kind == rows.NameColumn && c.Distinct > 1 && c.OddCell == "" {
		return o.namesOfY(c, terms[0].Log)
	}
	if f, err = c.Form(o.File, y); err != nil {
		return f, err
	}
	if c.Codes != "" {
		o.Warnings.Add("%s", c.Codes)
	}
	if c.Stamps != "" && !y {
		o.Warnings.Add("%s", c.Stamps)
	}
	if f.Categories != nil {
		o.Warnings.Add("%s: %s is read as %s", o.File, c.Name, c.What())
	}
	for _, t := range terms {
		switch {
		case y && c.Kind != rows.NumberColumn:
			return refuse(c.Kind+"s", "numbers in a column of y")
		case t.Period > 0 && f.Categories != nil:
			return refuse("a period of names", "numbers, dates or times of day")
		case t.Log && c.Kind != rows.NumberColumn:
			return refuse("a logarithm of "+c.Kind+"s", "numbers")
		case t.Log && c.Least <= 0:
			return refuse(fmt.Sprintf("%g, which has no logarithm", c.Least), "numbers above 0")
		case t.Period > 0:
			f.Periods = append(f.Periods, t.Period)
		}
		f.Log = f.Log || t.Log
	}
	f.Trend = f.Periods != nil && slices.ContainsFunc(terms, func(t formula.Term) bool { return t.Period == 0 })
	return f, nil
}
