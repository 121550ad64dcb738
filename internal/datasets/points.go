package datasets

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/acqnp/acqnp/internal/config/catalogue"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/invalid/warning"
)

// Points are the points of one function in raw units, as read from a file.
type Points struct {
	Function string    // its name; "" if no column has names
	N        int       // number of points
	X        []float64 // [N, columns of x]; names as their indices, see Form
	Y        []float64 // [N, dy]; nil if no y was asked for, NaN where it is missing
	Rows     []int     // [N]: the number of each point among the rows of a [Company]; nil without one
}

// A Layout says which columns of CSV files of points are read, and what their cells are.
type Layout struct {
	X, Y           []string // names of the columns
	XForms, YForms []Form   // nil: numbers
	// Functions are columns that may hold the name of a row's function. The first one that a file
	// has does; without one, all rows are one function. A file with a column of nearly that name is
	// refused.
	Functions []string
	// DropMissing leaves out the rows with a missing cell in one of these columns. Otherwise Read
	// refuses them.
	DropMissing bool
	// PartialY takes rows with a value in one column of y and none in another, which is NaN.
	PartialY bool
	Warnings *warning.Record // takes a line on the rows that are left out; may be nil

	names []*cellReader // of x: with the names that XForms lacks
}

// A Company are the columns of a file that a Layout does not read, of the rows that a Layout takes.
type Company struct {
	Names []string
	Rows  [][]string // the cells of each row, in the order of the file
	Group string     // the column that names groups; "" if the file has none
}

// Read reads a CSV file of points. The header names the columns as l does, or x1, x2, … and y1, y2,
// …, or, for a single column, x and y. Columns are separated by commas, semicolons or tabs; with
// semicolons, numbers may have decimal commas. The result has the functions in the order of their
// first rows; it is empty if the file has no rows. Other columns are not read. An error is an
// *invalid.Input with line and column.
func (l *Layout) Read(path string) ([]Points, error) { return l.read(path, l.Y, nil) }

// ReadX reads x alone, as Read does. It refuses a file without rows.
func (l *Layout) ReadX(path string) ([]Points, error) { return l.read(path, nil, nil) }

// ReadTargets reads x, and y if scored says so, with the other columns of the file. It refuses a file
// without rows.
func (l *Layout) ReadTargets(path string, scored bool) (points []Points, others Company, err error) {
	var y []string
	if scored {
		y = l.Y
	}
	points, err = l.read(path, y, &others)
	if err == nil && len(points) == 0 {
		err = (&table{path: path}).end(io.EOF, 0)
	}
	return points, others, err
}

func (l *Layout) read(path string, y []string, others *Company) ([]Points, error) {
	t, file, err := openTable(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	c, err := l.cells(t, y)
	if err != nil {
		return nil, err
	}
	points, err := t.points(c, others)
	if err == nil {
		c.left.warn(t.path, t.header, l.Warnings)
	}
	return points, err
}

// XText returns the text of a raw number of column c of x, as it stood in a file that l has read.
func (l *Layout) XText(c int, v float64) string {
	f := FormAt(l.XForms, c)
	if f.Categories != nil && c < len(l.names) {
		f.Categories = l.names[c].names
	}
	return f.Text(v)
}

// XIsText reports whether column c of x has texts in files: names, dates, percentages or times of day.
func (l *Layout) XIsText(c int) bool {
	f := FormAt(l.XForms, c)
	return f.Categories != nil || f.Origin != "" || f.Format != ""
}

// cells returns the readers of x and y and their columns in t. Those of x remember the names of
// earlier files.
func (l *Layout) cells(t *table, y []string) (*cells, error) {
	if l.names == nil {
		for i, name := range l.X {
			l.names = append(l.names, newCellReader(name, FormAt(l.XForms, i)))
		}
	}
	c := &cells{x: l.names, by: -1, split: -1, dropsMissing: l.DropMissing, partialY: l.PartialY && len(y) > 1}
	for i, name := range y {
		c.y = append(c.y, newCellReader(name, FormAt(l.YForms, i)))
	}
	var err error
	if c.xAt, err = t.columns(ways("x", l.X)...); err != nil {
		return nil, err
	}
	if c.yAt, err = t.columns(ways("y", y)...); err != nil {
		return nil, err
	}
	c.by, err = t.groupColumn(l.Functions, slices.Concat(l.X, l.Y))
	return c, err
}

// groupColumn returns the column that names groups, the first of names that the header has, −1 without one.
// It refuses a header with nearly one of the names, other than the names of x and y.
func (t *table) groupColumn(names, others []string) (int, error) {
	for _, name := range names {
		if i := slices.Index(t.header, name); i >= 0 && name != "" {
			return i, nil
		}
	}
	for _, name := range names {
		for _, found := range t.header {
			if name != "" && !slices.Contains(others, found) && invalid.Alike(name, found) {
				return -1, &invalid.Input{File: t.path, Line: t.headerLine(), Found: "the column " + quote(found, 40),
					Expected: quote(name, 40) + ", which names the groups (give a column that does not another name)"}
			}
		}
	}
	return -1, nil
}

// points reads the rest of the table; see Layout.Read.
func (t *table) points(c *cells, others *Company) ([]Points, error) {
	var all []Points
	groups := grouping{}
	var company []int // the columns of others
	if others != nil {
		if c.by >= 0 {
			others.Group = t.header[c.by]
		}
		for i, name := range t.header {
			if i != c.by && !slices.Contains(c.xAt, i) && !slices.Contains(c.yAt, i) && name != "" {
				company, others.Names = append(company, i), append(others.Names, name)
			}
		}
	}
	rows, err := t.each(c, func(name string) error {
		i, fresh := groups.of(name)
		if fresh {
			all = append(all, Points{Function: groups.names[i]})
		}
		if others != nil {
			all[i].Rows = append(all[i].Rows, len(others.Rows))
			row := make([]string, len(company))
			for k, column := range company {
				row[k] = strings.Clone(t.fields[column])
			}
			others.Rows = append(others.Rows, row)
		}
		return c.addTo(&all[i], t)
	})
	if err == io.EOF && rows == 0 && len(c.y) > 0 {
		return nil, nil
	}
	if err := t.end(err, rows); err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, c.noRows(t.path, t.header)
	}
	return all, nil
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

// ways lists the names that columns may have: the given ones, the letter with numbers, and for a
// single column the letter alone.
func ways(letter string, names []string) [][]string {
	all := [][]string{names, numbered(letter, len(names))}
	if len(names) == 1 {
		all = append(all, []string{letter})
	}
	return all
}

func numbered(letter string, n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("%s%d", letter, i+1)
	}
	return names
}

// Names returns the names of a benchmark's columns of x and y, for files, plots and messages.
func Names(name string, dx, dy int) (x, y []string) {
	switch b, _ := catalogue.Find(name); b.Kind {
	case catalogue.SpeedFlow:
		return []string{"flow"}, []string{"speed"}
	case catalogue.Images:
		if dy == 3 {
			return []string{"row", "column"}, []string{"red", "green", "blue"}
		}
		return []string{"row", "column"}, []string{"value"}
	}
	letters := func(letter string, n int) []string {
		if n == 1 {
			return []string{letter}
		}
		return numbered(letter, n)
	}
	return letters("x", dx), letters("y", dy)
}
