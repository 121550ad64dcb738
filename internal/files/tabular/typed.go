package tabular

import (
	"fmt"
	"io"
	"runtime"
	"strconv"
	"time"
)

// cells are the cells of a table with typed columns.
type cells interface {
	// columns returns the names of the columns, and the types of those that have no cells.
	columns() (names []string, refused map[string]string)
	// next moves to the next row. It returns io.EOF after the last.
	next() error
	// appendCell appends the text of a cell of the current row, nothing if it is missing.
	appendCell(dst []byte, column int) []byte
}

// typedRows are the Rows of cells. A panic of the library that reads the file becomes an error.
type typedRows struct {
	path, form string
	cells      cells
	names      []string
	refused    map[string]string
	row        int // −1 before the names
	text       []byte
	ends       []int
	fields     []string
	offset     int64
}

// typed opens cells.
func typed(path, form string, open func() (cells, error)) (rows Rows, err error) {
	r := &typedRows{path: path, form: form, row: -1}
	defer r.guard(&err)
	if r.cells, err = open(); err == io.EOF { // before the names of the columns
		return nil, io.ErrUnexpectedEOF
	} else if err != nil {
		return nil, err
	}
	r.names, r.refused = r.cells.columns()
	r.ends, r.fields = make([]int, len(r.names)), make([]string, len(r.names))
	return r, nil
}

// guard turns a panic or an error into the error for a damaged file.
func (r *typedRows) guard(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("%v", p)
		if wrong, ok := p.(runtime.Error); ok {
			*err = wrong
		}
	}
	if *err != nil && *err != io.EOF {
		if r.row > 0 {
			*err = fmt.Errorf("after row %d: %w", r.row, *err)
		}
		*err = damaged(r.path, r.form, *err)
	}
}

func (r *typedRows) Read() (fields []string, err error) {
	defer r.guard(&err)
	if r.row++; r.row == 0 {
		return r.names, nil
	}
	if err := r.cells.next(); err != nil {
		r.row--
		return nil, err
	}
	r.text = r.text[:0]
	for i := range r.ends {
		r.text = r.cells.appendCell(r.text, i)
		r.ends[i] = len(r.text)
	}
	text, start := string(r.text), 0
	for i, end := range r.ends {
		r.fields[i], start = text[start:end], end
	}
	r.offset += int64(len(text))
	return r.fields, nil
}

func (r *typedRows) FieldPos(int) (line, column int) { return r.row, 0 }

func (r *typedRows) InputOffset() int64 { return r.offset }

func (r *typedRows) Refused() map[string]string { return r.refused }

// Texts of typed values, as CSV files have them.

func appendFloat(dst []byte, v float64) []byte { return strconv.AppendFloat(dst, v, 'g', -1, 64) }

// appendFloat32 appends the shortest text of a float32, so that 0.1 stays 0.1.
func appendFloat32(dst []byte, v float32) []byte {
	return strconv.AppendFloat(dst, float64(v), 'g', -1, 32)
}

const secondsPerDay = 24 * 60 * 60

// appendDay appends the date of a number of days since 1970-01-01.
func appendDay(dst []byte, days int64) []byte {
	return time.Unix(days*secondsPerDay, 0).UTC().AppendFormat(dst, "2006-01-02")
}

// appendTime appends a point in time: in UTC if it is one of the world, else without a zone.
func appendTime(dst []byte, t time.Time, zoned bool) []byte {
	layout := "2006-01-02T15:04:05.999999999"
	if zoned {
		layout += "Z"
	}
	return t.UTC().AppendFormat(dst, layout)
}
