package fit

import (
	"github.com/acqnp/acqnp/internal/fit/file"
	"github.com/acqnp/acqnp/internal/fit/stack"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/points"
)

// Bounds of the rows that are kept: of a group, of which predictions take as many at most, and of all, so that a file
// stays far below what is read of one. A group keeps one at least.
const (
	mostKeptOfGroup = 1000
	mostKept        = 200_000
)

// checkNoRows refuses to leave out the rows of data whose predictions are judged with them: of groups in groups, and
// where folds are of points.
func (f *fitting) checkNoRows() error {
	found := f.Outer + " around " + f.Group
	switch {
	case !f.o.NoRows:
		return nil
	case stack.FoldsAreOfPoints(len(f.groups)):
		found = invalid.Plural(len(f.groups), "group", "groups") + " of rows"
	case f.Outer == "":
		return nil
	}
	return &invalid.Input{File: "--no-rows", Found: found, Expected: "at least 4 groups in one level: of others, rows of the data are known in all predictions, and in the scores that fit prints"}
}

// keep sets the rows that the file keeps, evenly spread over those of each group. It adds a line if they are not all.
func (f *fitting) keep() {
	if f.o.NoRows {
		return
	}
	each, kept := max(1, min(mostKeptOfGroup, mostKept/len(f.groups))), 0
	if f.Rows <= mostKept {
		each = mostKeptOfGroup
	}
	for _, g := range f.groups {
		g.Points = g.Take(points.Spread(g.Len(), each))
		kept += g.Len()
		var folds []int
		for _, row := range g.Rows {
			for _, s := range f.Stacks {
				folds = append(folds, s.Held[row])
			}
		}
		f.Kept.Groups, f.Kept.Folds = append(f.Kept.Groups, g), append(f.Kept.Folds, folds)
	}
	if kept < f.Rows {
		f.o.Warnings.Add("%s keeps %d of %d rows, evenly spread: no more are known points when the same groups are asked about", file.Name, kept, f.Rows)
	}
}
