package fit

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/acqnp/acqnp/internal/fit/stack"
	"github.com/acqnp/acqnp/internal/invalid/warning"
	"github.com/acqnp/acqnp/internal/points"
)

// A keptGroup is the rows of a group of the data. They are known points when the group is asked about.
// Plot effects needs the row weights, and the folds.
type keptGroup struct {
	points.Group
	Folds []int // [n, columns of y]: the fold that held out each y, see stack.FoldsOf
}

// A keptFile is a keptGroup in a file.
type keptFile struct {
	Name  string  `json:"name"`
	X     numbers `json:"x"`
	Y     numbers `json:"y"`
	Times numbers `json:"times,omitempty"`
	Folds []int   `json:"folds"`
}

// MarshalJSON writes the raw numbers of the group.
func (g keptGroup) MarshalJSON() ([]byte, error) {
	return json.Marshal(keptFile{g.Name, g.X, g.Y, g.Weights, g.Folds})
}

// UnmarshalJSON reads what MarshalJSON writes. settle sets the numbers of columns.
func (g *keptGroup) UnmarshalJSON(content []byte) error {
	var f keptFile
	err := json.Unmarshal(content, &f)
	g.Name, g.X, g.Y, g.Weights, g.Folds = f.Name, f.X, f.Y, f.Times, f.Folds
	return err
}

// Bounds of the rows that are kept: of a group, of which predictions take as many at most, and of all, so that a file
// stays far below maxFile. A group keeps one at least.
const (
	mostKeptOfGroup = 1000
	mostKept        = 200_000
)

// keep returns the rows that a file keeps, evenly spread over those of each group. It adds a line if they are not all.
func (f Fitted) keep(groups []points.Group, seed uint64, w *warning.Record) (all []keptGroup) {
	each, kept := max(1, min(mostKeptOfGroup, mostKept/len(groups))), 0
	if f.Rows <= mostKept {
		each = mostKeptOfGroup
	}
	folds := f.foldsOf(groups, seed)
	for i, g := range groups {
		at := points.Spread(g.Len(), each)
		kept += len(at)
		g.Points = g.Take(at)
		all = append(all, keptGroup{g, points.Pick(folds[i], len(f.Y), at)})
	}
	if kept < f.Rows {
		w.Add("%s keeps %d of %d rows, evenly spread: no more are known points when the same groups are asked about", File, kept, f.Rows)
	}
	return all
}

// foldsOf returns the fold that held out each y, [n, columns of y] of each group, 0 for one that is missing.
func (f Fitted) foldsOf(groups []points.Group, seed uint64) [][]int {
	all := make([][]int, len(groups))
	for i, p := range groups {
		all[i] = make([]int, len(p.Y))
	}
	for c := range f.Y {
		of := stack.FoldsOf(groupsOf(f, groups, c), seed)
		for i, p := range groups {
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

// settle makes the rows those of columns as the fit has. It returns an error if they are not.
func (g *keptGroup) settle(f Fitted) error {
	g.Outer, g.DX, g.DY = f.outerOf(g.Name), len(f.X), len(f.Y)
	if n := g.Len(); len(g.X) != n*g.DX || len(g.Y) != n*g.DY || len(g.Folds) != len(g.Y) || g.Weights != nil && len(g.Weights) != n {
		return fmt.Errorf("%d numbers of x and %d of y of %s", len(g.X), len(g.Y), g.Name)
	}
	if slices.ContainsFunc(g.Folds, func(fold int) bool { return fold < 0 || fold >= stack.Folds }) {
		return fmt.Errorf("the folds %v of %s", g.Folds, g.Name)
	}
	for i, v := range g.X {
		if names := f.XForms[i%g.DX].Categories; names != nil && (v < 0 || v >= float64(len(names))) {
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
