package fit

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/acqnp/acqnp/internal/datasets/rows"
	"github.com/acqnp/acqnp/internal/fit/stack"
	"github.com/acqnp/acqnp/internal/invalid/warning"
)

// A keptGroup is the rows of a group of the data. They are known points when the group is asked about.
type keptGroup struct {
	Name string  `json:"name"`
	X    numbers `json:"x"` // [n, columns of x], raw
	Y    numbers `json:"y"` // [n, columns of y]
	// What plot effects needs: the row weights, and the fold that held out each y, see stack.FoldsOf.
	Times numbers `json:"times,omitempty"` // [n]
	Folds []int   `json:"folds"`           // [n, columns of y]
}

// Bounds of the rows that are kept: of a group, of which predictions take as many at most, and of all, so that a file
// stays far below maxFile. A group keeps one at least.
const (
	mostKeptOfGroup = 1000
	mostKept        = 200_000
)

// keep returns the rows that a file keeps, evenly spread over those of each group. It adds a line if they are not all.
func (f Fitted) keep(points []rows.Group, seed uint64, w *warning.Record) (all []keptGroup) {
	each, kept := max(1, min(mostKeptOfGroup, mostKept/len(points))), 0
	if f.Rows <= mostKept {
		each = mostKeptOfGroup
	}
	folds := f.foldsOf(points, seed)
	for i, p := range points {
		g, n := keptGroup{Name: p.Name}, min(p.N, each)
		for k := range n {
			k = k * p.N / n
			g.add(f, p.X, p.Y, k)
			if p.Weights != nil {
				g.Times = append(g.Times, p.Weights[k])
			}
			g.Folds = append(g.Folds, folds[i][k*len(f.Y):][:len(f.Y)]...)
		}
		kept += n
		all = append(all, g)
	}
	if kept < f.Rows {
		w.Add("%s keeps %d of %d rows, evenly spread: no more are known points when the same groups are asked about", File, kept, f.Rows)
	}
	return all
}

// foldsOf returns the fold that held out each y, [n, columns of y] of each group, 0 for one that is missing.
func (f Fitted) foldsOf(points []rows.Group, seed uint64) [][]int {
	all := make([][]int, len(points))
	for i, p := range points {
		all[i] = make([]int, len(p.Y))
	}
	for c := range f.Y {
		of := stack.FoldsOf(groupsOf(f, points, c), seed)
		for i, p := range points {
			var own []int
			for k := c; k < len(p.Y); k += len(f.Y) {
				if math.IsNaN(p.Y[k]) {
					continue
				}
				if own == nil {
					own, of = of[0], of[1:]
				}
				all[i][k], own = own[0], own[1:]
			}
		}
	}
	return all
}

// add adds row k of x and y.
func (g *keptGroup) add(f Fitted, x, y []float64, k int) {
	dx, dy := len(f.X), len(f.Y)
	g.X, g.Y = append(g.X, x[k*dx:][:dx]...), append(g.Y, y[k*dy:][:dy]...)
}

// check returns an error unless the rows are those of columns as the fit has.
func (g keptGroup) check(f Fitted) error {
	if n := len(g.X) / len(f.X); len(g.X) != n*len(f.X) || len(g.Y) != n*len(f.Y) || len(g.Folds) != len(g.Y) || g.Times != nil && len(g.Times) != n {
		return fmt.Errorf("%d numbers of x and %d of y of %s", len(g.X), len(g.Y), g.Name)
	}
	if slices.ContainsFunc(g.Folds, func(fold int) bool { return fold < 0 || fold >= stack.Folds }) {
		return fmt.Errorf("the folds %v of %s", g.Folds, g.Name)
	}
	for i, v := range g.X {
		if names := f.XForms[i%len(f.X)].Categories; names != nil && (v < 0 || v >= float64(len(names))) {
			return fmt.Errorf("the name %g of %d, of %s", v, len(names), g.Name)
		}
	}
	return nil
}

// numbers are numbers that JSON writes as null where they are missing.
type numbers []float64

// MarshalJSON writes null for NaN.
func (n numbers) MarshalJSON() ([]byte, error) {
	b := []byte{'['}
	for i, v := range n {
		if i > 0 {
			b = append(b, ',')
		}
		if math.IsNaN(v) {
			b = append(b, "null"...)
		} else {
			b = strconv.AppendFloat(b, v, 'g', -1, 64)
		}
	}
	return append(b, ']'), nil
}

// UnmarshalJSON reads what MarshalJSON writes.
func (n *numbers) UnmarshalJSON(content []byte) error {
	var all []*float64
	if err := json.Unmarshal(content, &all); err != nil {
		return err
	}
	for _, v := range all {
		if v == nil {
			*n = append(*n, math.NaN())
		} else {
			*n = append(*n, *v)
		}
	}
	return nil
}
