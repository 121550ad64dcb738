package rows

import (
	"math"
	"slices"
	"strings"
)

// A reading puts the rows of tables into groups: those of one file by a Layout, and those of the files of
// the training.
type reading struct {
	x, y      []*reader
	xAt, yAt  []int // the columns of x and y
	by, split int   // the columns of the group and of the row's part; −1 if there is none
	drops     bool  // leaves out rows with a missing cell
	partialY  bool  // takes rows with one y of several; the others are NaN
	training  bool  // reads training files: without a column of groups, each is one
	others    *Company
	carried   []int // the columns of others

	groups []Group // in the order of their first rows
	names  grouping
	left   leftOut
}

// add adds the rest of the rows of a table. It returns their number, with those that are left out, and io.EOF or the
// first error.
func (r *reading) add(t *table) (rows int, err error) {
	for err = t.next(); err == nil; err = t.next() {
		rows++
		if r.skips(t) {
			continue
		}
		g, err := r.group(t)
		if err != nil {
			return rows, err
		}
		if r.others != nil {
			r.carryRow(g, t)
		}
		if err = r.point(g, t); err == nil && r.training {
			err = r.trainingRow(g, t)
		}
		if err != nil {
			return rows, err
		}
	}
	return rows, err
}

// skips reports whether the current row is left out because a cell is missing.
func (r *reading) skips(t *table) bool {
	r.left.rows++
	if !r.drops {
		return false
	}
	y := t.missing(r.yAt)
	if r.partialY && len(y) < len(r.yAt) {
		for _, column := range y {
			r.left.notePartial(column)
		}
		y = nil
	}
	missing := slices.Concat(t.missing([]int{r.by, r.split}), t.missing(r.xAt), y)
	for _, column := range missing {
		r.left.note(column, t.cell(column))
	}
	if len(missing) > 0 {
		r.left.dropped++
	}
	return len(missing) > 0
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

// group returns the group of the current row.
func (r *reading) group(t *table) (*Group, error) {
	key := ""
	if r.by >= 0 {
		if key = t.cell(r.by); key == "" {
			return nil, t.refuse(r.by, "the name of a group")
		}
	} else if r.training {
		key = t.path
	}
	i, fresh := r.names.of(key)
	if fresh {
		r.groups = append(r.groups, Group{Name: r.names.names[i]})
	}
	return &r.groups[i], nil
}

// point appends the current row to g.
func (r *reading) point(g *Group, t *table) error {
	for i, column := range r.xAt {
		v, err := r.x[i].read(t, column)
		if err != nil {
			return err
		}
		g.X = append(g.X, v)
	}
	for i, column := range r.yAt {
		v := math.NaN()
		if !r.partialY || !isMissing(t.cell(column)) {
			var err error
			if v, err = r.y[i].read(t, column); err != nil {
				return err
			}
		}
		g.Y = append(g.Y, v)
	}
	g.N++
	return nil
}

// A grouping numbers the names of groups in the order of their first rows.
type grouping struct {
	index map[string]int
	names []string
}

// of returns the number of a group, and whether its name is new.
func (g *grouping) of(name string) (i int, fresh bool) {
	i, known := g.index[name]
	if known {
		return i, false
	}
	if g.index == nil {
		g.index = map[string]int{}
	}
	name = strings.Clone(name) // so that the rest of the row can be freed
	g.index[name] = len(g.names)
	g.names = append(g.names, name)
	return len(g.names) - 1, true
}
