package fit

import (
	"fmt"
	"slices"

	"github.com/acqnp/acqnp/internal/datasets/rows"
	"github.com/acqnp/acqnp/internal/fit/stack"
	"github.com/acqnp/acqnp/internal/fit/table"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/points"
)

// nameCrossed sets the names of the crossed column, which layout has read. It refuses one name, and more names and groups
// than a matrix can have.
func (f *fitting) nameCrossed(layout *rows.Layout) error {
	at := f.CrossedAt()
	if at < 0 {
		return nil
	}
	f.XForms[at].Categories = layout.XNames(at)
	refuse := func(found, expected string) error {
		return &invalid.Input{File: f.File, Key: f.X[at], Found: found, Expected: expected}
	}
	names := len(f.XForms[at].Categories)
	switch {
	case names < 2:
		return refuse("one name", "names that groups share")
	case min(names, len(f.groups)) > table.MostDense:
		return refuse(fmt.Sprintf("%d names and %d groups", names, len(f.groups)), fmt.Sprintf("at most %d of one of the two", table.MostDense))
	}
	return nil
}

// fitCrossed fits the model that codes the crossed names for column c of y: of y or, where all of it is above 0, of its
// logarithm, which gives the data the larger likelihood. A model that cannot be fitted codes all names as 0.
func (f *fitting) fitCrossed(c int, groups []points.Group) table.Crossed {
	of, deviance, ok := table.FitCrossed(groups, false)
	if !f.LogY[c] && !f.AddsTo(c) {
		if logs, d, fits := table.FitCrossed(groups, true); fits && (!ok || d < deviance) {
			return *logs
		}
	}
	if !ok {
		f.o.Warnings.Add("%s: no mixed model of %s can be fitted, so %s says nothing", f.File, f.Y[c], f.Crossed)
		return table.Crossed{}
	}
	return *of
}

// coder returns what codes the crossed names for column c of y. Rows of a group that no fold has, of data that are a sample,
// are held out with the others of the group.
func (f *fitting) coder(c int) stack.Coder {
	groups := f.groupsOfTable(c, nil)
	m := f.fitCrossed(c, groups)
	f.CrossedModels = append(f.CrossedModels, m)
	names := len(f.XForms[f.CrossedAt()].Categories)
	return func(held map[int]int) func(a, b int) []float64 {
		of := map[int]int{}
		for _, g := range groups {
			for i, row := range slices.Concat(g.Rows, g.Rows) { // those of no fold have that of one before them
				if fold, is := held[row]; is {
					of[row] = fold
				} else if fold, is := of[g.Rows[(i+len(g.Rows)-1)%len(g.Rows)]]; is {
					of[row] = fold
				}
			}
		}
		return func(a, b int) []float64 {
			return m.Codes(groups, names, func(row int) bool {
				fold, is := of[row]
				return !is || fold != a && fold != b
			})
		}
	}
}
