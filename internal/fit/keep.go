package fit

import (
	"github.com/acqnp/acqnp/internal/fit/file"
	"github.com/acqnp/acqnp/internal/points"
)

// Bounds of the rows that are kept: of a group, of which predictions take as many at most, and of all, so that a file
// stays far below what is read of one. A group keeps one at least.
const (
	mostKeptOfGroup = 1000
	mostKept        = 200_000
)

// keep sets the rows that the file keeps, evenly spread over those of each group. It adds a line if they are not all.
func (f *fitting) keep() {
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
