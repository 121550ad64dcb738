package fit

import (
	"fmt"
	"math"
	"slices"

	"github.com/acqnp/acqnp/internal/datasets/rows"
	"github.com/acqnp/acqnp/internal/fit/file"
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
func (f *fitting) fitCrossed(c int) []points.Group {
	of, deviance, ok := table.FitCrossed(f.groupsOfTable(c))
	m := file.Crossed{}
	if ok {
		m.Crossed = *of
	}
	if sum, above := f.logsOf(c); above && !f.LogY[c] && !f.AddsTo(c) {
		logs := file.Crossed{Log: true}
		if of, d, fits := table.FitCrossed(onScale(logs, f.groupsOfTable(c))); fits && (!ok || d+2*sum < deviance) {
			m, ok = file.Crossed{Crossed: *of, Log: true}, true
		}
	}
	if !ok {
		f.o.Warnings.Add("%s: no mixed model of %s can be fitted, so %s says nothing", f.File, f.Y[c], f.Crossed)
	}
	f.CrossedModels = append(f.CrossedModels, m)
	return onScale(m, f.groupsOfTable(c))
}

// onScale returns groups of a table as a model of crossed names sees them.
func onScale(m file.Crossed, groups []points.Group) []points.Group {
	for k := range groups {
		groups[k].Points = m.OnScale(groups[k].Points)
	}
	return groups
}

// logsOf returns the sum of the logarithms of column c of y, by weight, and whether all are above 0.
func (f *fitting) logsOf(c int) (sum float64, above bool) {
	for _, g := range f.groupsOfTable(c) {
		for i, y := range g.Y {
			sum += g.Weight(i) * math.Log(y)
		}
	}
	return sum, !math.IsNaN(sum) && !math.IsInf(sum, 0)
}

// coder returns what codes the crossed names for column c of y. Rows of a group that no fold has, of data that are a sample,
// are held out with the others of the group.
func (f *fitting) coder(c int) stack.Coder {
	groups := f.fitCrossed(c)
	m, names := &f.CrossedModels[c].Crossed, len(f.XForms[f.CrossedAt()].Categories)
	return func(held map[int]int) func(a, b int) []float64 {
		of := map[int]int{}
		for _, g := range groups {
			one := slices.IndexFunc(g.Rows, func(row int) bool { _, is := held[row]; return is })
			for _, row := range g.Rows {
				if fold, is := held[row]; is {
					of[row] = fold
				} else if one >= 0 {
					of[row] = held[g.Rows[one]]
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
