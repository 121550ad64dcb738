package datasets

import (
	"fmt"
	"io"
	"strings"

	"github.com/acqnp/acqnp/internal/config/catalogue"
)

// Points are the points of one function in raw units, as read from a file.
type Points struct {
	Function string    // its name; "" if no column has names
	N        int       // number of points
	X        []float64 // [N, columns of x]; names as their indices, see Form
	Y        []float64 // [N, dy]; nil if no y was asked for
}

// A Layout says which columns of CSV files of points are read, and what their cells are.
type Layout struct {
	X, Y           []string // names of the columns
	XForms, YForms []Form   // nil: numbers
	// Functions are columns that may hold the name of a row's function. The first one that a file
	// has does; without one, all rows are one function.
	Functions []string
	// DropMissing leaves out the rows with a missing cell in one of these columns. Otherwise Read
	// refuses them.
	DropMissing bool

	names []*cellReader // of x: with the names that XForms lacks
}

// Read reads a CSV file of points. The header names the columns as l does, or x1, x2, … and y1, y2,
// …, or, for a single column, x and y. Columns are separated by commas, semicolons or tabs; with
// semicolons, numbers may have decimal commas. The result has the functions in the order of their
// first rows; it is empty if the file has no rows. Other columns are not read. An error is an
// *invalid.Input with line and column.
func (l *Layout) Read(path string) ([]Points, error) { return l.read(path, l.Y, l.DropMissing) }

// ReadX reads x alone, as Read does. It refuses missing cells and a file without rows.
func (l *Layout) ReadX(path string) ([]Points, error) { return l.read(path, nil, false) }

func (l *Layout) read(path string, y []string, dropMissing bool) ([]Points, error) {
	t, file, err := openTable(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	c, err := l.cells(t, y)
	if err != nil {
		return nil, err
	}
	c.dropsMissing = dropMissing
	return t.points(c)
}

// XText returns the text of a raw number of column c of x, as it stood in a file that l has read.
func (l *Layout) XText(c int, v float64) string {
	f := FormAt(l.XForms, c)
	if f.Categories != nil && c < len(l.names) {
		f.Categories = l.names[c].names
	}
	return f.Text(v)
}

// XIsText reports whether column c of x has texts in files, names or dates.
func (l *Layout) XIsText(c int) bool {
	f := FormAt(l.XForms, c)
	return f.Categories != nil || f.Origin != ""
}

// cells returns the readers of x and y and their columns in t. Those of x remember the names of
// earlier files.
func (l *Layout) cells(t *table, y []string) (*cells, error) {
	if l.names == nil {
		for i, name := range l.X {
			l.names = append(l.names, newCellReader(name, FormAt(l.XForms, i)))
		}
	}
	c := &cells{x: l.names, by: -1, split: -1}
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
	for _, name := range l.Functions {
		if i, ok := t.find([]string{name}); ok && name != "" {
			c.by = i[0]
			break
		}
	}
	return c, nil
}

// points reads the rest of the table; see Layout.Read.
func (t *table) points(c *cells) ([]Points, error) {
	var err error
	var all []Points
	index := map[string]int{}
	for err = t.next(); err == nil; err = t.next() {
		if c.skips(t) {
			continue
		}
		name := ""
		if c.by >= 0 {
			if name = t.cell(c.by); name == "" {
				return nil, t.refuse(c.by, "the name of a function")
			}
		}
		i, known := index[name]
		if !known {
			name = strings.Clone(name) // so that the rest of the row can be freed
			i, index[name] = len(all), len(all)
			all = append(all, Points{Function: name})
		}
		if err := c.addTo(&all[i], t); err != nil {
			return nil, err
		}
	}
	if err == io.EOF && len(all)+c.dropped == 0 && len(c.y) > 0 {
		return nil, nil
	}
	if err := t.end(err, len(all)+c.dropped); err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, c.noRows(t.path)
	}
	return all, nil
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
