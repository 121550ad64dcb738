package fit

import (
	"math"

	"github.com/acqnp/acqnp/internal/fit/file"
	"github.com/acqnp/acqnp/internal/fit/stack"
	"github.com/acqnp/acqnp/internal/points"
)

// Bounds of the rows that are kept: of a group, of which predictions take as many at most, and of all, so that a file
// stays far below maxFile. A group keeps one at least.
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
	folds := f.foldsOf()
	for i, g := range f.groups {
		at := points.Spread(g.Len(), each)
		kept += len(at)
		g.Points = g.Take(at)
		f.Kept.Groups, f.Kept.Folds = append(f.Kept.Groups, g), append(f.Kept.Folds, points.Pick(folds[i], len(f.Y), at))
	}
	if kept < f.Rows {
		f.o.Warnings.Add("%s keeps %d of %d rows, evenly spread: no more are known points when the same groups are asked about", file.Name, kept, f.Rows)
	}
}

// foldsOf returns the fold that held out each y, [n, columns of y] of each group, 0 for one that is missing.
func (f *fitting) foldsOf() [][]int {
	all := make([][]int, len(f.groups))
	for i, p := range f.groups {
		all[i] = make([]int, len(p.Y))
	}
	for c := range f.Y {
		of := stack.FoldsOf(f.groupsOf(c), f.o.Seed)
		for i, p := range f.groups {
			var own []int
			for k, y := range p.ColumnY(c) {
				if math.IsNaN(y) {
					continue
				}
				if own == nil {
					own, of = of[0], of[1:]
				}
				all[i][k*p.DY+c], own = own[0], own[1:]
			}
		}
	}
	return all
}
