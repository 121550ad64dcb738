package rows

import (
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/invalid/warning"
	"github.com/acqnp/acqnp/internal/points"
)

// A Layout says which columns of tables of points are read, and what their cells are. Points are in raw units: names
// are their indices, and NaN is a cell that is missing and may be, see Form.
type Layout struct {
	// X and Y are names of columns. An x of the name "" is no column of files: it is 0 in every row.
	X, Y           []string
	XForms, YForms []Form // nil: numbers
	// Groups are columns that may hold the name of a row's group. The first one that a file has does;
	// without one, all rows are one group. A file with a column of nearly that name is refused.
	Groups []string
	// Outer is a column of groups that those of Groups are in; "" without. Then a group's name is that of both, joined
	// by a slash, as OuterOf takes it apart. A file has both columns, or one of joined names under the joined name
	// of the columns.
	Outer string
	// DropMissing leaves out the rows with a missing cell in one of these columns. Otherwise Read
	// refuses them.
	DropMissing bool
	Split       string // a column that says what a row is for, with a value of PartNames; "" for none
	ByFile      bool   // without a column of groups, each file is a group, named after the file
	// PartialY takes rows with a value in one column of y and none in another, which is NaN.
	PartialY bool
	// LimitsOfY takes cells of y such as <50, as points.Points.Censored has them.
	LimitsOfY bool
	// Censored is a column of words of sideWords, of the files that have it; "" for none.
	Censored string
	// Weights is a column of row weights; "" for none. Rows of weight 0 are left out. Those of points have a mean of 1 over
	// the rows of a file: only their ratios say something.
	Weights  string
	Weight   float64         // the sum of the weights that the last file states
	Warnings *warning.Record // takes a line on the rows that are left out; may be nil

	x       []*reader // with the names of files that were read
	trained []kind    // of the columns of x and y in the files of a training; nil of others
}

// A Company are the columns of a file that a Layout does not read, of the rows that a Layout takes.
type Company struct {
	Names []string
	Rows  [][]string // the cells of each row, in the order of the file
	Group string     // the column that names groups; "" if the file has none
}

// Read reads a table of points, a CSV file or another form. Its header names the columns as l does, or x1, x2, … and y1, y2,
// …, or, for a single column, x and y. Columns are separated by commas, semicolons or tabs; with
// semicolons, numbers may have decimal commas. The result has the groups in the order of their first
// rows; it is empty if the file has no rows. Other columns are not read. An error is an *invalid.Input
// with line and column.
func (l *Layout) Read(path string) ([]points.Group, error) { return l.read(path, l.Y, nil) }

// ReadX reads x alone, as Read does. It refuses a file without rows.
func (l *Layout) ReadX(path string) ([]points.Group, error) { return l.read(path, nil, nil) }

// ReadTargets reads x, and y if scored says so, with the other columns of the file, whose rows Points.Rows numbers. It
// refuses a file without rows.
func (l *Layout) ReadTargets(path string, scored bool) (groups []points.Group, others Company, err error) {
	var y []string
	if scored {
		y = l.Y
	}
	groups, err = l.read(path, y, &others)
	if err == nil && len(groups) == 0 {
		err = noRows(path)
	}
	return groups, others, err
}

// ReadBoth reads known points, which have a y, and targets, the rows without any. others are those of the targets.
func (l *Layout) ReadBoth(path string) (known, targets []points.Group, others Company, err error) {
	t, file, err := openTable(path)
	if err != nil {
		return nil, nil, others, err
	}
	defer file.Close()
	r, err := l.place(t, l.Y)
	if err != nil {
		return nil, nil, others, err
	}
	r.carry(t, &others)
	asked := *r
	asked.y, asked.yAt = nil, nil
	r.asked, r.others, r.carried = &asked, nil, nil
	if _, err = t.each(r.row); err != nil {
		return nil, nil, others, err
	}
	if len(asked.Groups) == 0 {
		return nil, nil, others, &invalid.Input{File: path, Found: "no complete row without a value of " + strings.Join(l.Y, ", "),
			Expected: "rows to predict: without one, or of other targets (--targets or --grid)"}
	}
	r.warn(t.path, t.header, l.Warnings)
	return r.Groups, asked.Groups, others, nil
}

func (l *Layout) read(path string, y []string, others *Company) ([]points.Group, error) {
	t, file, err := openTable(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return l.readTable(t, y, others)
}

func (l *Layout) readTable(t *table, y []string, others *Company) ([]points.Group, error) {
	r, err := l.place(t, y)
	if err != nil {
		return nil, err
	}
	if others != nil {
		r.carry(t, others)
	}
	rows, err := t.each(r.row)
	switch {
	case err != nil:
		return nil, err
	case rows == 0 && len(y) > 0:
		return nil, nil
	case rows == 0:
		return nil, noRows(t.path)
	case len(r.Groups) == 0 && r.left.dropped == 0:
		return nil, &invalid.Input{File: t.path, Key: l.Weights, Found: "0 in every row", Expected: "row weights, some of them above 0"}
	case len(r.Groups) == 0:
		return nil, r.left.all(t.path, t.header)
	}
	r.warn(t.path, t.header, l.Warnings)
	l.Weight = balance(r.Groups)
	return r.Groups, nil
}

// balance divides the row weights of groups by their mean, and returns their sum before.
func balance(groups []points.Group) (sum float64) {
	rows := 0
	for _, g := range groups {
		sum += floats.Sum(g.Weights)
		rows += len(g.Weights)
	}
	for _, g := range groups {
		for i := range g.Weights {
			g.Weights[i] *= float64(rows) / sum
		}
	}
	return sum
}

// place finds the columns of x, y and the groups in t. The readers of x are those of earlier files.
func (l *Layout) place(t *table, y []string) (r *reading, err error) {
	if l.x == nil {
		for i, name := range l.X {
			l.x = append(l.x, newReader(name, FormAt(l.XForms, i)))
		}
	}
	t.warn(l.Warnings)
	r = &reading{x: l.x, weights: -1, left: newLeftOut(), drops: l.DropMissing, partialY: l.PartialY && len(y) > 1}
	for i, name := range y {
		r.y = append(r.y, newReader(name, FormAt(l.YForms, i)))
		r.y[i].limits, r.y[i].closed = l.LimitsOfY && r.y[i].kind == numberKind, len(r.y[i].Categories) == 2
	}
	for i, k := range l.trained {
		c := slices.Concat(r.x, r.y)[i]
		c.kind, c.training, c.isX = k, true, i < len(r.x)
		c.zero = c.isX
	}
	if r.xAt, err = t.columns(ways("x", InFiles(l.X))...); err != nil {
		return nil, err
	}
	taken := slices.Clone(r.xAt)
	for i, name := range l.X {
		if name == "" {
			r.xAt = slices.Insert(r.xAt, i, -1)
		}
	}
	if r.yAt, err = t.columns(ways("y", y)...); err != nil {
		return nil, err
	}
	l.sayTaken(t, slices.Concat(InFiles(l.X), y), slices.Concat(taken, r.yAt))
	if r.weights, err = t.optional(l.Weights); err != nil {
		return nil, err
	}
	if r.sides = -1; l.Censored != "" {
		r.sides = slices.Index(t.header, l.Censored)
	}
	if r.split, err = t.optional(l.Split); err != nil {
		return nil, err
	}
	r.names.outer, r.names.byFile, r.names.spellings = -1, l.ByFile, new(spellings)
	if r.nested = l.Outer != ""; r.nested {
		err = l.placeOuter(t, &r.names)
		return r, err
	}
	r.names.by, err = t.groupColumn(l.Groups, slices.Concat(l.X, l.Y))
	return r, err
}

// sayTaken adds a line about columns of t that are read as others, which t does not have.
func (l *Layout) sayTaken(t *table, names []string, columns []int) {
	var lacks, taken []string
	for i, name := range names {
		if found := t.header[columns[i]]; found != name {
			lacks, taken = append(lacks, name), append(taken, found+" as "+name)
		}
	}
	if lacks != nil {
		l.Warnings.Add("%s: no column %s: read %s", t.path, strings.Join(lacks, ", "), strings.Join(taken, ", "))
	}
}

// InFiles returns names of columns without "", which stands for a column that files do not have.
func InFiles(names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == "" })
}

// XText returns the text of a raw number of column c of x, as it stood in a file that l has read.
func (l *Layout) XText(c int, v float64) string {
	if c < len(l.x) {
		return l.x[c].Text(v)
	}
	return FormAt(l.XForms, c).Text(v)
}

// XNames returns the names of a column of x: those of its form, and those of the files that l has read.
func (l *Layout) XNames(c int) []string { return l.x[c].Categories }

// XIsText reports whether column c of x has texts in files: names, dates, percentages or times of day.
func (l *Layout) XIsText(c int) bool {
	f := FormAt(l.XForms, c)
	return f.Categories != nil || f.Origin != "" || f.Format != ""
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
				return -1, &invalid.Input{File: t.path, Line: t.heading.line, Found: "the column " + quote(found, 40),
					Expected: quote(name, 40) + ", which names the groups (give a column that does not another name)"}
			}
		}
	}
	return -1, nil
}

// ways lists the names that columns may have: the given ones, the letter with numbers, and for a
// single column the letter alone.
func ways(letter string, names []string) [][]string {
	numbered := make([]string, len(names))
	for i := range numbered {
		numbered[i] = fmt.Sprintf("%s%d", letter, i+1)
	}
	if len(names) == 1 {
		return [][]string{names, numbered, {letter}}
	}
	return [][]string{names, numbered}
}

// carry keeps the cells of the columns that r does not read in others.
func (r *reading) carry(t *table, others *Company) {
	r.others = others
	others.Group = r.names.column(t.header)
	for i, name := range t.header {
		if (i != r.names.by || r.names.outer >= 0) && !slices.Contains(r.xAt, i) && !slices.Contains(r.yAt, i) && name != "" {
			r.carried, others.Names = append(r.carried, i), append(others.Names, name)
		}
	}
}

// carryRow keeps those of the current row, which is the next of a group.
func (r *reading) carryRow(g *points.Group, t *table) {
	g.Rows = append(g.Rows, len(r.others.Rows))
	row := make([]string, len(r.carried))
	for k, column := range r.carried {
		row[k] = strings.Clone(t.fields[column])
	}
	r.others.Rows = append(r.others.Rows, row)
}
