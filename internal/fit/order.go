package fit

import (
	"cmp"
	"slices"

	"github.com/acqnp/acqnp/internal/datasets/rows"
)

// order puts groups in the order of their names, and the rows of each in the order of their numbers, so that folds, questions
// and samples follow from the data and not from where a row stands in a file. Columns are compared in the order of
// their names.
func (f Fitted) order(points []rows.Group) {
	slices.SortStableFunc(points, func(a, b rows.Group) int { return cmp.Compare(a.Name, b.Name) })
	for i := range points {
		f.orderRows(&points[i])
	}
}

func (f Fitted) orderRows(g *rows.Group) {
	dx, dy := len(f.X), len(f.Y)
	byX, byY := byName(f.X), byName(f.Y)
	at := make([]int, g.N)
	for i := range at {
		at[i] = i
	}
	slices.SortStableFunc(at, func(a, b int) int {
		for _, c := range byX {
			if order := cmp.Compare(g.X[a*dx+c], g.X[b*dx+c]); order != 0 {
				return order
			}
		}
		for _, c := range byY {
			if order := cmp.Compare(g.Y[a*dy+c], g.Y[b*dy+c]); order != 0 {
				return order
			}
		}
		if g.Weights != nil {
			return cmp.Compare(g.Weights[a], g.Weights[b])
		}
		return 0
	})
	g.X, g.Y = taken(g.X, at, dx), taken(g.Y, at, dy)
	if g.Weights != nil {
		g.Weights = taken(g.Weights, at, 1)
	}
}

// byName returns the places of columns in the order of their names.
func byName(columns []string) []int {
	at := make([]int, len(columns))
	for i := range at {
		at[i] = i
	}
	slices.SortFunc(at, func(a, b int) int { return cmp.Compare(columns[a], columns[b]) })
	return at
}

// taken returns some rows of a width.
func taken(all []float64, at []int, width int) []float64 {
	some := make([]float64, 0, len(all))
	for _, i := range at {
		some = append(some, all[i*width:][:width]...)
	}
	return some
}
