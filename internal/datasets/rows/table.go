// Package rows reads files of rows: CSV, JSON lines and Parquet.
//
// A cell is a number, a date, a name or another kind (meaning.go, the one place that tells them apart). A [Scan] says
// what the columns of a file hold, by all of their cells. A [Form] says what becomes of a column. A [Layout] reads a
// file with known columns and forms into groups of points.
package rows

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/acqnp/acqnp/internal/files"
	"github.com/acqnp/acqnp/internal/files/tabular"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/invalid/warning"
)

// A table reads a CSV file, or a table of another form of package tabular, row by row. The first line
// names the columns, every row has a field for each, and numbers must be finite. An error is an
// *invalid.Input with line, or row, and column.
type table struct {
	path      string
	text      *rowLimit         // nil if the file is no text
	rows      tabular.Rows      // a *csv.Reader or those of another form
	refused   map[string]string // columns without cells, and their types
	delimiter rune              // of a CSV file: a comma, a semicolon or a tab; 0 for other forms
	decimals  decimals
	marks     *marks          // between semicolons, while points are read
	warnings  *warning.Record // takes the line about them
	line      int             // of the current row; 0 before the header
	header    []string
	heading   heading
	fields    []string // of the current row
	checked   int64    // bytes read at the last check of the memory
	stride    int64    // bytes between two checks
	room      func() (held, left float64)
}

// headerBuffer is how much of a header is searched for the delimiter.
const headerBuffer = 64 << 10

// openTable opens the file and reads the header. The caller closes the file.
func openTable(path string) (*table, io.Closer, error) {
	f, err := tabular.Open(path, readable)
	if err != nil {
		return nil, nil, err
	}
	var t *table
	if f.Rows != nil {
		t, err = (&table{path: path, rows: f.Rows}).start()
	} else {
		t, err = newTable(path, f.Text)
	}
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return t, f, nil
}

// readable is what errors about unreadable files expect.
const readable = "a readable file"

func unreadable(path string, err error) error { return files.Unreadable(path, readable, err) }

// newTable reads the header from a text, CSV or JSON.
func newTable(path string, r io.Reader) (*table, error) {
	text := &rowLimit{from: r}
	buffered := bufio.NewReaderSize(text, headerBuffer)
	if mark, err := buffered.Peek(3); err == nil && string(mark) == "\ufeff" {
		buffered.Discard(3) // the byte order mark that spreadsheets write
	}
	if tabular.IsJSON(buffered) {
		return (&table{path: path, text: text, rows: tabular.NewJSON(path, buffered)}).start()
	}
	rest := io.Reader(buffered)
	comma := separator(buffered)
	if comma == 0 {
		comma = delimiterOf(buffered)
	} else {
		rest = io.MultiReader(strings.NewReader("\n"), buffered) // so that lines keep their numbers
	}
	c := csv.NewReader(rest)
	c.Comma = comma
	c.ReuseRecord, c.FieldsPerRecord = true, -1
	c.TrimLeadingSpace = c.Comma != '\t' // a tab is a space too
	return (&table{path: path, text: text, rows: c, delimiter: c.Comma}).start()
}

// start reads the header.
func (t *table) start() (*table, error) {
	t.stride, t.room = bytesBetweenChecks, room
	if err := t.read(); err == io.EOF {
		return nil, &invalid.Input{File: t.path, Found: "an empty file", Expected: "a header line and rows"}
	} else if err != nil {
		return nil, err
	}
	if r, ok := t.rows.(tabular.Refuser); ok {
		t.refused = r.Refused()
	}
	err := t.readHeader()
	if err == nil {
		err = t.checkNames()
	}
	if err != nil {
		return nil, err
	}
	if t.delimiter != 0 {
		t.compare() // reads on
	}
	return t, nil
}

// checkNames refuses a header that is a row: numbers alone, and not whole ones, which may be years.
func (t *table) checkNames() error {
	defer func() { t.decimals = decimals{} }()
	names, fractions := false, false
	for i := range t.header {
		if isMissing(t.cell(i)) {
			continue
		}
		m := t.meaning(i)
		names = names || slices.Contains([]kind{nameKind, boolKind, wrongKind}, m.kind)
		fractions = fractions || m.kind == numberKind && (m.value < 0 || m.value != math.Floor(m.value))
	}
	if t.delimiter == 0 || names || !fractions {
		return nil
	}
	return &invalid.Input{File: t.path, Line: t.heading.line, Found: "the numbers " + quote(strings.Join(t.header, ", "), 200), Expected: "a first line that names the columns"}
}

// where returns the place of a field of the current row for messages: the file and a line, or, in a table
// without lines, the file with the number of the row and 0.
func (t *table) where(field int) (file string, line int) {
	line, _ = t.rows.FieldPos(field)
	switch {
	case t.text != nil:
		return t.path, line
	case line == 0: // the names of the columns
		return t.path, 0
	}
	return fmt.Sprintf("%s, row %d", t.path, line), 0
}

// place names the cell of the current row: FILE:line, or FILE, row N.
func (t *table) place(column int) string {
	file, line := t.where(column)
	if line == 0 {
		return file
	}
	return fmt.Sprintf("%s:%d", file, line)
}

// next moves to the next row. It returns io.EOF after the last row.
func (t *table) next() (err error) {
	if t.heading.ahead {
		t.heading.ahead, err = false, t.heading.err
	} else {
		err = t.read()
	}
	if err != nil {
		return err
	}
	return t.checkRow()
}

// read reads a row into fields. It returns io.EOF after the last row.
func (t *table) read() error {
	if t.text != nil {
		t.text.read = 0
	}
	fields, err := t.rows.Read()
	if err == io.EOF {
		return io.EOF
	}
	var bad *csv.ParseError
	switch {
	case t.text != nil && t.text.read > longestRow: // whatever else is wrong with the row
		return &invalid.Input{File: t.path, Line: t.line + 1, Found: "a row of more than 16 MiB",
			Expected: "a shorter row, and every quote closed"}
	case errors.As(err, &bad) && t.header == nil:
		return &invalid.Input{File: t.path, Line: bad.Line, Found: bad.Err.Error(), Expected: "names of columns between commas, semicolons or tabs"}
	case errors.As(err, &bad):
		return &invalid.Input{File: t.path, Line: bad.Line, Found: bad.Err.Error(), Expected: "a CSV file"}
	case err != nil:
		return unreadable(t.path, err)
	}
	t.fields = fields
	t.line, _ = t.rows.FieldPos(len(fields) - 1)
	if at := t.rows.InputOffset(); at-t.checked >= t.stride {
		t.checked = at
		return t.checkRoom()
	}
	return nil
}

// each calls row for every row of some files. They have the header of the first, and a row or more. start finds the
// columns of a file.
func each(paths []string, start, row func(t *table) error) error {
	var first *table
	for _, path := range paths {
		t, file, err := openTable(path)
		if err != nil {
			return err
		}
		if first == nil {
			first = t
		}
		if err = t.checkHeader(first.header, first.path); err == nil {
			err = start(t)
		}
		rows := 0
		if err == nil {
			rows, err = t.each(row)
		}
		_ = file.Close() // nothing was written
		if err == nil && rows == 0 {
			err = noRows(path)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// each calls row for every row that is left, and returns their number.
func (t *table) each(row func(t *table) error) (rows int, err error) {
	for {
		if err := t.next(); err == io.EOF {
			return rows, t.settleMarks()
		} else if err != nil {
			return rows, err
		}
		rows++
		if t.marks != nil {
			t.prove()
		}
		if err := row(t); err != nil {
			return rows, err
		}
	}
}

func noRows(path string) error {
	return &invalid.Input{File: path, Found: "a header without rows", Expected: "a header line and rows"}
}

// checkHeader returns an error unless the table has the header of an earlier file.
func (t *table) checkHeader(first []string, file string) error {
	if slices.Equal(t.header, first) {
		return nil
	}
	return &invalid.Input{File: t.path, Line: t.heading.line, Found: "the columns " + quote(strings.Join(t.header, ", "), 200),
		Expected: quote(strings.Join(first, ", "), 200) + ", as in " + file}
}

// flat says in messages how JSON holds rows.
const flat = " (an object for each row, as pandas writes with to_json(FILE, orient=\"records\"))"

// isJSON reports whether the table is JSON.
func (t *table) isJSON() bool { return t.text != nil && t.delimiter == 0 }

// columns returns the indices of the named columns. ways are alternatives: it takes the first one
// whose names the header all has.
func (t *table) columns(ways ...[]string) ([]int, error) {
	var expected []string
	for _, names := range ways {
		var columns []int
		for _, name := range names {
			columns = append(columns, slices.Index(t.header, name))
		}
		if !slices.Contains(columns, -1) {
			return columns, nil
		}
		if e := strings.Join(names, ", "); !slices.Contains(expected, e) {
			expected = append(expected, e)
		}
	}
	for _, names := range ways {
		for _, name := range names {
			if kind, ok := t.refused[name]; ok && t.isJSON() {
				return nil, &invalid.Input{File: t.path, Key: name, Found: "a nested " + kind, Expected: "a number, a text, true, false or null" + flat}
			} else if ok {
				return nil, &invalid.Input{File: t.path, Key: name, Found: "the type " + kind, Expected: "a column of numbers, dates, texts or booleans"}
			}
		}
	}
	return nil, &invalid.Input{File: t.path, Line: t.heading.line, Found: "the columns " + quote(strings.Join(t.header, ", "), 200),
		Expected: "a header with " + strings.Join(expected, ", or with ") + t.meant(ways[0])}
}

// optional returns the column of this name, or −1 if the name is "".
func (t *table) optional(name string) (int, error) {
	if name == "" {
		return -1, nil
	}
	columns, err := t.columns([]string{name})
	if err != nil {
		return -1, err
	}
	return columns[0], nil
}

// meant asks whether another column was meant by the first of some names that the header lacks.
func (t *table) meant(names []string) string {
	if t.delimiter != 0 && len(t.header) == 1 && strings.ContainsAny(t.header[0], " |:/") {
		return " (columns are separated by commas, semicolons or tabs)"
	}
	if t.isJSON() && len(t.header) == 0 {
		return flat
	}
	for _, name := range names {
		if near := invalid.Nearest(name, t.header); near != "" && !slices.Contains(t.header, name) && !slices.Contains(names, near) {
			return " (no " + name + ": did you mean " + near + "?)"
		}
	}
	if t.isJSON() {
		return " (the keys of the first object name the columns: it needs them all, with null where there is no value)"
	}
	if slices.ContainsFunc(t.header, isNumber) {
		return " (is the first line a row? It names the columns)"
	}
	return ""
}

// refuse returns an error about a cell of the current row.
func (t *table) refuse(column int, expected string) error {
	file, line := t.where(column)
	found := "nothing"
	if cell := t.fields[column]; cell != "" {
		found = quote(cell, 40)
	}
	return &invalid.Input{File: file, Line: line, Key: t.header[column], Found: found, Expected: expected}
}

// written returns a cell of the current row without the spaces around it.
func (t *table) written(column int) string { return strings.TrimSpace(t.fields[column]) }

// cell returns what is written in a cell, "" if it is missing. In a typed form only null is: a text there is a name, whatever it
// says.
func (t *table) cell(column int) string {
	if cell := t.written(column); t.isTyped() || !saysMissing(cell) {
		return cell
	}
	return ""
}

// isTyped reports whether the file tells texts from missing cells, as JSON and Parquet do.
func (t *table) isTyped() bool { return t.delimiter == 0 }

// name returns a cell of the current row as a name. Between semicolons, a number may have a decimal comma.
func (t *table) name(column int) string {
	cell := t.cell(column)
	if t.delimiter == ';' && strings.Count(cell, ",") == 1 {
		if point := strings.Replace(cell, ",", ".", 1); isNumber(point) {
			cell = point
		}
	}
	return Name(cell)
}

// quote quotes at most the first bytes of a piece of a file, for a message.
func quote(s string, most int) string {
	if len(s) > most {
		return strconv.Quote(s[:most]) + "…"
	}
	return strconv.Quote(s)
}
