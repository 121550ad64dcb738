package fit

import (
	"github.com/acqnp/acqnp/internal/datasets/rows"
	"github.com/acqnp/acqnp/internal/invalid"
)

// namesOfY returns the form of a column of y with two names, and adds the line that says which one is 1: the second in the
// order of the alphabet, as of no and yes, false and true. It refuses more names, and what only numbers have.
func (o Options) namesOfY(c rows.Column, log bool) (f rows.Form, err error) {
	expected := ""
	switch {
	case c.Distinct > 2:
		expected = "two: fit each name against the rest, in a column of two names; grades are written as numbers, as in 1 to 5"
	case log:
		expected = "numbers, of which there is a logarithm"
	case len(o.Formula.Offset) > 0:
		expected = "numbers, with an offset"
	case o.Censored != "":
		expected = "numbers, with --censored"
	case o.Outcome != "":
		expected = "numbers, with --outcome"
	default:
		if f, err = c.Names(o.File); err == nil {
			o.Warnings.Add("%s: %s", o.File, f.OfTwoNames(c.Name))
		}
		return f, err
	}
	return f, &invalid.Input{File: o.File, Key: c.Name, Found: c.What(), Expected: expected}
}
