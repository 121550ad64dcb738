package rows

import (
	"slices"

	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/invalid/warning"
)

// A Row is the current row of a file whose columns are known only from its header.
type Row struct{ t *table }

// EachRow calls row for every row of a file, CSV or another form of tables, after header has seen the names of its
// columns. It stops at the first error of either. An error of its own is an *invalid.Input with line, or row, and column.
func EachRow(path string, w *warning.Record, header func(names []string) error, row func(r Row) error) error {
	t, file, err := openTable(path)
	if err != nil {
		return err
	}
	defer file.Close()
	t.warn(w)
	if err := header(slices.Clone(t.header)); err != nil {
		return err
	}
	rows, err := t.each(func(t *table) error { return row(Row{t}) })
	if err == nil && rows == 0 {
		err = noRows(path)
	}
	return err
}

// Missing reports whether a cell has no value.
func (r Row) Missing(column int) bool { return isMissing(r.t.cell(column)) }

// Name returns a cell as the name of a group or of another thing, "" if it is missing.
func (r Row) Name(column int) string { return r.t.name(column) }

// Number returns the number in a cell, or an *invalid.Input for one that has none.
func (r Row) Number(column int) (float64, error) {
	return newReader(r.t.header[column], Form{}).read(r.t, column)
}

// Refuse returns an *invalid.Input about a cell.
func (r Row) Refuse(column int, expected string) error { return r.t.refuse(column, expected) }

// RefuseRow returns an *invalid.Input about the row.
func (r Row) RefuseRow(found, expected string) error {
	file, line := r.t.where(0)
	return &invalid.Input{File: file, Line: line, Found: found, Expected: expected}
}
