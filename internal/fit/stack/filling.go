package stack

import (
	"errors"
	"math"
	"slices"

	"github.com/acqnp/acqnp/internal/points"
)

// A Filling fills the missing cells of x, which are NaN: with the median of the known points of the group or, if all of
// them miss it, of the data. Columns that are missing in the same rows of the data have marks, further columns of x: the
// first is 1 where the cell is missing, the second where the data fill it, and 0 elsewhere. So models can tell what is
// known from what is likely and from what is not known, and learn what it means that a cell is missing.
//
// A target's cells are filled from the known points alone, in questions as in predictions. Of the groups that models
// are fitted to, the data fill every other one, though its own points could: models learn what each means.
type Filling struct {
	Medians []float64 `json:"medians"` // of each column of x
	Marks   []mark    `json:"marks,omitempty"`
}

// A mark says of columns that they are missing.
type mark struct {
	Columns []int `json:"columns"`
	Two     bool  `json:"two"` // some groups miss the columns in some rows and not in all, so that there are two marks
}

// columns returns the number of columns that the mark adds.
func (m mark) columns() int {
	if m.Two {
		return 2
	}
	return 1
}

// fillingOf returns the filling for the groups, whose x may have NaN.
func fillingOf(groups []points.Group) *Filling {
	f := &Filling{}
	dx := groups[0].DX
	rows := make([][]int, dx) // of all, without the column
	for c := range dx {
		var known []float64
		row, two := 0, false
		for _, g := range groups {
			before := len(known)
			for _, v := range g.Column(c) {
				if math.IsNaN(v) {
					rows[c] = append(rows[c], row)
				} else {
					known = append(known, v)
				}
				row++
			}
			two = two || len(known) > before && len(known) < before+g.Len()
		}
		middle := 0.0
		if len(known) > 0 {
			middle = median(known)
		}
		f.Medians = append(f.Medians, middle)
		if rows[c] == nil {
			continue
		}
		same := func(m mark) bool { return slices.Equal(rows[m.Columns[0]], rows[c]) }
		if i := slices.IndexFunc(f.Marks, same); i >= 0 {
			f.Marks[i].Columns = append(f.Marks[i].Columns, c)
		} else {
			f.Marks = append(f.Marks, mark{[]int{c}, two})
		}
	}
	return f
}

// width returns the number of columns of x with the marks, of dx without.
func (f *Filling) width(dx int) int {
	if f == nil {
		return dx
	}
	for _, m := range f.Marks {
		dx += m.columns()
	}
	return dx
}

// training returns the groups as models are fitted to them.
func (f *Filling) training(all []points.Group) []points.Group {
	filled := make([]points.Group, len(all))
	for i, g := range all {
		filled[i] = g
		own := g.Points
		if i%2 == 1 {
			own = own.Cut(0, 0)
		}
		_, filled[i].Points = f.fill(own, g.Points)
	}
	return filled
}

// none reports whether there is nothing to fill or to mark in x.
func (f *Filling) none(x []float64) bool {
	return f == nil || len(f.Marks) == 0 && !slices.ContainsFunc(x, math.IsNaN)
}

// fill returns known points and targets with their cells filled and the marks.
func (f *Filling) fill(known, targets points.Points) (_, _ points.Points) {
	if f.none(known.X) && f.none(targets.X) {
		return known, targets
	}
	own, rows := slices.Repeat([]float64{math.NaN()}, known.DX), known.OfGroup()
	for c := range own {
		if values := slices.DeleteFunc(rows.Column(c), math.IsNaN); len(values) > 0 {
			own[c] = median(values)
		}
	}
	known.X, targets.X = f.filled(known.X, own), f.filled(targets.X, own)
	known.DX, targets.DX = f.width(known.DX), f.width(targets.DX)
	return known, targets
}

// filled returns rows with the values of a group, or those of the data where it has none, for missing cells, and the
// marks.
func (f *Filling) filled(x, own []float64) (all []float64) {
	for dx := len(own); len(x) > 0; x = x[dx:] {
		for c, v := range x[:dx] {
			if math.IsNaN(v) {
				v = own[c]
			}
			if math.IsNaN(v) {
				v = f.Medians[c]
			}
			all = append(all, v)
		}
		for _, m := range f.Marks {
			var is, byData float64
			for _, c := range m.Columns {
				if math.IsNaN(x[c]) {
					is = 1
					if math.IsNaN(own[c]) {
						byData = 1
					}
				}
			}
			all = append(all, []float64{is, byData}[:m.columns()]...)
		}
	}
	return all
}

// check returns an error unless the numbers make a filling of dx columns.
func (f *Filling) check(dx int) error {
	if f == nil {
		return nil
	}
	bad := len(f.Medians) != dx || slices.ContainsFunc(f.Medians, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
	for _, m := range f.Marks {
		bad = bad || len(m.Columns) == 0 || slices.ContainsFunc(m.Columns, func(c int) bool { return c < 0 || c >= dx })
	}
	if bad {
		return errors.New("a damaged filling of missing cells")
	}
	return nil
}
