package datasets

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/invalid/warning"
)

// A cellReader turns the cells of one column into raw numbers: numbers, days since an origin, or
// indices of names. All numbers are those of a Form, which form returns.
type cellReader struct {
	name   string
	key    string // of the configuration, for messages: data.x or data.y
	log    bool
	zero   bool // a logarithm may have a 0, which is shifted
	kind   kind
	format string
	origin float64 // of dates, in days since 1970-01-01
	names  []string
	index  map[string]int // of a name in names
	learns bool           // reads the training file: data.missing and data.categories are remedies
	since  string         // FILE:line of the cell that decided the kind
	days   func() string  // returns the format of dates such as 3/14/2026 in the training file, "" if it is not clear
}

// newCellReader returns the reader of a column whose form is known, as when predicting.
func newCellReader(name string, f Form) *cellReader {
	c := &cellReader{name: name, log: f.Log, zero: f.Shift > 0, kind: numberKind, format: f.Format}
	switch {
	case f.Categories != nil:
		c.setNames(f.Categories)
	case f.Origin != "":
		c.kind = dateKind
		c.origin, _ = dateOf(f.Origin)
	case f.Format == Percent:
		c.kind = percentKind
	case f.Format == Clock:
		c.kind = clockKind
	}
	return c
}

// learnCells returns the reader of a column of the training file. Its first cell decides between
// numbers and dates. Dates are read as days since 1970-01-01.
func learnCells(name, key string, d config.Data, days func() string) *cellReader {
	c := &cellReader{name: name, key: key, learns: true, log: slices.Contains(d.Log, name), zero: key == "data.x", days: days}
	if slices.Contains(d.Categories, name) {
		c.setNames(nil)
	}
	return c
}

func (c *cellReader) setNames(names []string) {
	c.kind, c.names, c.index = nameKind, slices.Clone(names), map[string]int{}
	for i, name := range names {
		c.index[name] = i
	}
}

// maxNames is the largest number of names in a column of categories.
const maxNames = 1000

// read returns the raw number of a cell of the current row.
func (c *cellReader) read(t *table, column int) (float64, error) {
	if c.kind == nameKind {
		return c.readName(t, column)
	}
	m := meaning{kind: unknownKind}
	if !isMissing(t.cell(column)) {
		m = t.meaning(column)
	}
	if c.kind == unknownKind {
		c.learn(m.kind, t, column)
	}
	v := m.value
	switch {
	case m.kind == slashKind && c.kind == dateKind:
		var ok bool
		if v, ok = slashDate(t.cell(column), c.format); !ok {
			return 0, t.refuse(column, c.expected(t, t.cell(column)))
		}
		v -= c.origin
	case m.kind == wrongKind:
		return 0, t.refuse(column, m.wants)
	case m.kind != c.kind || c.kind == unknownKind:
		return 0, t.refuse(column, c.expected(t, t.cell(column)))
	case c.kind == dateKind:
		v -= c.origin
	}
	switch {
	case !c.log || c.kind == numberKind && (v > 0 || v == 0 && c.zero):
		return v, nil
	case c.zero:
		return 0, t.refuse(column, "a number above 0, or 0, whose logarithm is taken"+c.whoTakes())
	}
	return 0, t.refuse(column, "a number above 0, whose logarithm is taken"+c.whoTakes())
}

// learn decides what the column holds from the kind of its first cell.
func (c *cellReader) learn(first kind, t *table, column int) {
	switch first {
	case numberKind, dateKind:
		c.kind = first
	case percentKind:
		c.kind, c.format = first, Percent
	case clockKind:
		c.kind, c.format = first, Clock
	case slashKind:
		if c.format = c.days(); c.format == "" {
			return
		}
		c.kind = dateKind
	default:
		return
	}
	c.since = t.place(column)
}

// whoTakes says who takes the logarithm of a column.
func (c *cellReader) whoTakes() string {
	if c.learns {
		return " (data.log)"
	}
	return ": so the model was trained"
}

// readName returns the index of a name. A new name gets the next index.
func (c *cellReader) readName(t *table, column int) (float64, error) {
	name := t.cell(column)
	if isMissing(name) {
		return 0, t.refuse(column, c.expected(t, name))
	}
	if c.format == Boolean && isBool(name) {
		name = strings.ToLower(name)
	}
	i, known := c.index[name]
	if !known {
		if i = len(c.names); c.learns && i == maxNames {
			return 0, t.refuse(column, fmt.Sprintf("one of the first %d names of the column, the most that a category may have", maxNames))
		}
		name = strings.Clone(name) // so that the rest of the row can be freed
		c.names, c.index[name] = append(c.names, name), i
	}
	return float64(i), nil
}

// expected says what a cell that cannot be read should be, and the remedy.
func (c *cellReader) expected(t *table, cell string) string {
	what := map[kind]string{unknownKind: "a finite number or a date such as 2024-03-01", numberKind: "a finite number",
		dateKind: "a date such as 2024-03-01 or 2024-03-01 12:30", nameKind: "a name",
		percentKind: "a percentage such as 12%", clockKind: "a time of day such as 13:00"}[c.kind]
	if c.format == MonthFirst || c.format == DayFirst {
		what += ", or " + c.format
	}
	if c.since != "" && !isMissing(cell) {
		what += ", as in " + c.since
	}
	switch {
	case isMissing(cell) && c.learns:
		return what + " (data.missing: drop leaves out rows with missing cells)"
	case t.hint(cell) != "":
		return t.hint(cell)
	case c.learns && c.key == "data.x":
		return what + " (list a column of names in data.categories)"
	}
	return what
}

// place names the cell of the current row: FILE:line, or FILE, row N.
func (t *table) place(column int) string {
	file, line := t.where(column)
	if line == 0 {
		return file
	}
	return fmt.Sprintf("%s:%d", file, line)
}

// form returns the form of the cells read so far. Dates count from the given origin.
func (c *cellReader) form(origin string) Form {
	f := Form{Log: c.log, Format: c.format}
	switch c.kind {
	case nameKind:
		f.Categories = slices.Clone(c.names)
	case dateKind:
		f.Origin = origin
	}
	return f
}

// cells are the readers of the columns of x and y, and their places in a table.
type cells struct {
	x, y         []*cellReader
	xAt, yAt     []int
	by, split    int  // the columns with the name of the function and with its part; −1 if there is none
	dropsMissing bool // leaves out rows with a missing cell
	partialY     bool // takes rows with one y of several; the others are NaN
	left         leftOut
}

// each reads the rest of a table. add gets the name of the group of each row that is not left out, "" without a
// column of names. each returns the number of all rows, and io.EOF or the first error.
func (t *table) each(c *cells, add func(group string) error) (rows int, err error) {
	for err = t.next(); err == nil; err = t.next() {
		rows++
		if c.skips(t) {
			continue
		}
		group := ""
		if c.by >= 0 {
			if group = t.cell(c.by); group == "" {
				return rows, t.refuse(c.by, "the name of a group")
			}
		}
		if err := add(group); err != nil {
			return rows, err
		}
	}
	return rows, err
}

// leftOut counts rows that are left out, and their missing cells by column.
type leftOut struct {
	rows, dropped int
	columns       []int // with missing cells, in the order in which they were found
	missing       map[int]int
	texts         map[int][]string // of missing cells that are not empty
	partial       map[int]int      // by column of y: rows that are used without it
}

// mostTexts is how many texts of missing cells of a column a line shows.
const mostTexts = 3

// note counts a missing cell of a row that is left out.
func (l *leftOut) note(column int, cell string) {
	if l.missing == nil {
		l.missing, l.texts = map[int]int{}, map[int][]string{}
	}
	if l.missing[column]++; l.missing[column] == 1 {
		l.columns = append(l.columns, column)
	}
	if texts := l.texts[column]; cell != "" && len(texts) < mostTexts && !slices.Contains(texts, cell) {
		l.texts[column] = append(texts, strings.Clone(cell))
	}
}

// skips reports whether the current row is left out because a cell is missing.
func (c *cells) skips(t *table) bool {
	c.left.rows++
	if !c.dropsMissing {
		return false
	}
	y := c.missingOf(t, c.yAt)
	if c.partialY && len(y) < len(c.yAt) {
		for _, column := range y {
			if c.left.partial == nil {
				c.left.partial = map[int]int{}
			}
			c.left.partial[column]++
		}
		y = nil
	}
	missing := slices.Concat(c.missingOf(t, []int{c.by, c.split}), c.missingOf(t, c.xAt), y)
	for _, column := range missing {
		c.left.note(column, t.cell(column))
	}
	if len(missing) > 0 {
		c.left.dropped++
	}
	return len(missing) > 0
}

// missingOf returns those of some columns whose cell in the current row is missing.
func (c *cells) missingOf(t *table, columns []int) (missing []int) {
	for _, column := range columns {
		if column >= 0 && isMissing(t.cell(column)) {
			missing = append(missing, column)
		}
	}
	return missing
}

// warn adds the lines about what is left out of files with a header.
func (l *leftOut) warn(path string, header []string, w *warning.Record) {
	if l.dropped > 0 {
		w.Add("%s: left out %d of %s, without a value of %s", path, l.dropped, invalid.Plural(l.rows, "row", "rows"), l.where(header))
	}
	for column, name := range header {
		if n := l.partial[column]; n > 0 {
			w.Add("%s: %s without a value of %s, used for the other columns of y", path, invalid.Plural(n, "row", "rows"), name)
		}
	}
}

// where lists the columns with missing cells, with the number and the texts of these.
func (l *leftOut) where(header []string) string {
	parts := make([]string, len(l.columns))
	for i, column := range l.columns {
		parts[i] = fmt.Sprintf("%s (%d", header[column], l.missing[column])
		if texts := l.texts[column]; texts != nil {
			parts[i] += ": " + strings.Join(texts, ", ")
		}
		parts[i] += ")"
	}
	return strings.Join(parts, ", ")
}

// addTo appends the current row to p.
func (c *cells) addTo(p *Points, t *table) error {
	for i, column := range c.xAt {
		v, err := c.x[i].read(t, column)
		if err != nil {
			return err
		}
		p.X = append(p.X, v)
	}
	for i, column := range c.yAt {
		v := math.NaN()
		if !c.partialY || !isMissing(t.cell(column)) {
			var err error
			if v, err = c.y[i].read(t, column); err != nil {
				return err
			}
		}
		p.Y = append(p.Y, v)
	}
	p.N++
	return nil
}

// noRows returns the error for files all of whose rows are left out. The last has a header.
func (c *cells) noRows(path string, header []string) error {
	return &invalid.Input{File: path, Found: fmt.Sprintf("a missing cell in each of %d rows: of %s", c.left.dropped, c.left.where(header)),
		Expected: "rows with a value in every column that is used"}
}
