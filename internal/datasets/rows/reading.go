package rows

import (
	"math"
	"slices"
	"strings"

	"github.com/acqnp/acqnp/internal/files/tabular"
	"github.com/acqnp/acqnp/internal/invalid/warning"
	"github.com/acqnp/acqnp/internal/points"
)

// A reading puts the rows of files into groups, by a Layout.
type reading struct {
	Table
	x, y     []*reader
	xAt, yAt []int // the columns of x and y; −1 for an x that is no column
	split    int   // the column of the row's part; −1 if there is none
	weights  int   // the column of row weights; −1 if there is none
	sides    int   // the column that says which y are limits; −1 if there is none
	drops    bool  // leaves out rows with a missing cell
	nested   bool  // groups are in outer groups
	partialY bool  // takes rows with one y of several; the others are NaN
	others   *Company
	carried  []int // the columns of others

	names grouping
	left  *leftOut

	asked *reading // takes the rows without any y, as targets; nil: they are left out or refused
}

// row adds the current row of a table, unless it is left out.
func (r *reading) row(t *table) error {
	if r.asked != nil && len(t.missing(r.yAt)) == len(r.yAt) {
		return r.asked.row(t)
	}
	weight, err := r.weight(t)
	if err != nil || weight == 0 || r.skips(t) {
		return err
	}
	for _, by := range []int{r.names.outer, r.names.by} {
		if by >= 0 && t.cell(by) == "" {
			return t.refuse(by, "the name of a group")
		}
	}
	if outer := r.names.outer; outer >= 0 && strings.Contains(t.cell(outer), "/") {
		return t.refuse(outer, "a name without '/', which stands between it and the name of a group in it")
	}
	i, fresh := r.names.row(t)
	if fresh {
		g := points.Group{Name: r.names.names[i], Points: points.New(len(r.xAt), len(r.yAt), nil, nil)}
		if r.nested {
			g.Outer = OuterOf(g.Name)
		}
		r.begin(g, t)
	}
	g := &r.Groups[i]
	if r.others != nil {
		r.carryRow(g, t)
	}
	if r.split >= 0 {
		if err := r.part(i, r.split, t); err != nil {
			return err
		}
	}
	if r.weights >= 0 {
		g.Weights = append(g.Weights, weight)
	}
	return r.point(&g.Points, t)
}

// warn adds lines about rows that are left out and names that are spelled in two ways, of files with a header.
func (r *reading) warn(path string, header []string, w *warning.Record) {
	r.left.warn(path, header, w)
	all := make([]points.Points, len(r.Groups))
	for i, g := range r.Groups {
		all[i] = g.Points
	}
	for c, column := range r.yAt {
		WarnOfLimits(path, header[column], all, c, w)
	}
	r.names.spellings.warn(path, r.names.column(header), w)
	for _, x := range r.x {
		x.spellings.warn(path, x.name, w)
	}
}

// weight returns the weight of the current row, 1 without a column of weights. It refuses one that is not a number of 0
// or more, and counts rows of weight 0.
func (r *reading) weight(t *table) (float64, error) {
	if r.weights < 0 {
		return 1, nil
	}
	m := meaning{}
	if !isMissing(t.cell(r.weights)) {
		m = t.meaning(r.weights)
	}
	if m.kind != numberKind || m.value < 0 {
		return 0, t.refuse(r.weights, "a row weight: a number of 0 or more, 0 for a row that is not used")
	}
	if m.value == 0 {
		r.left.weightless++
	}
	return m.value, nil
}

// skips counts the current row, and reports whether it is left out because a cell is missing.
func (r *reading) skips(t *table) bool {
	r.left.rows++
	if !r.drops {
		return false
	}
	y := t.missing(r.yAt)
	if r.partialY && len(y) < len(r.yAt) {
		for _, column := range y {
			r.left.partial[column]++
		}
		y = nil
	}
	missing := slices.Concat(t.missing([]int{r.names.outer, r.names.by, r.split}), t.missing(r.needed()), y)
	for _, column := range missing {
		r.left.note(column, t.written(column))
	}
	if len(missing) > 0 {
		r.left.dropped++
	}
	return len(missing) > 0
}

// needed returns the columns of x that need a value in every row.
func (r *reading) needed() (columns []int) {
	for i, column := range r.xAt {
		if !r.x[i].Gaps {
			columns = append(columns, column)
		}
	}
	return columns
}

// missing returns those of some columns whose cell in the current row is missing.
func (t *table) missing(columns []int) (missing []int) {
	for _, column := range columns {
		if column >= 0 && isMissing(t.cell(column)) {
			missing = append(missing, column)
		}
	}
	return missing
}

// point appends the current row to g.
func (r *reading) point(g *points.Points, t *table) error {
	for i, column := range r.xAt {
		if column < 0 {
			g.X = append(g.X, 0)
			continue
		}
		v, err := r.x[i].read(t, column)
		if err != nil {
			return err
		}
		g.X = append(g.X, v)
	}
	for i, column := range r.yAt {
		v, side := math.NaN(), int8(0)
		if !r.partialY || !isMissing(t.cell(column)) {
			var err error
			if r.y[i].limits {
				v, side = t.limit(column)
			}
			if side == 0 {
				v, err = r.y[i].read(t, column)
			}
			if err == nil && r.sides >= 0 {
				side, err = t.sideIn(r.sides, side)
			}
			if err != nil {
				return err
			}
		}
		g.AppendY(v, side)
	}
	return nil
}

// A grouping numbers groups in the order of their first rows.
type grouping struct {
	by     int  // the column that names them; −1 if there is none
	outer  int  // the column of the groups that they are in; −1 if there is none
	byFile bool // without one, each file is a group, not all rows
	index  map[string]int
	names  []string

	spellings *spellings // known rows and targets of a file share them; nil of a scan
}

// column returns the name of the column of groups, "" without one.
func (g *grouping) column(header []string) string {
	switch {
	case g.by < 0:
		return ""
	case g.outer < 0:
		return header[g.by]
	}
	return header[g.outer] + "/" + header[g.by]
}

// row returns the number of the current row's group, and whether it is new.
func (g *grouping) row(t *table) (i int, fresh bool) {
	cell, name := "", ""
	switch {
	case g.by >= 0 && g.outer >= 0:
		cell, name = t.cell(g.outer)+"/"+t.cell(g.by), t.name(g.outer)+"/"+t.name(g.by)
	case g.by >= 0:
		cell, name = t.cell(g.by), t.name(g.by)
	case g.byFile:
		name = tabular.Stem(t.path) // no two files have the same
		cell = name
	}
	i, known := g.index[name]
	if !known {
		if g.index == nil {
			g.index = map[string]int{}
		}
		i, name = len(g.names), strings.Clone(name) // so that the rest of the row can be freed
		g.index[name] = i
		g.names = append(g.names, name)
	}
	if g.spellings != nil {
		g.spellings.note(g.names[i], cell)
	}
	return i, !known
}
