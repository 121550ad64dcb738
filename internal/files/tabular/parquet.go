package tabular

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"runtime"

	"github.com/parquet-go/parquet-go"
)

// parquetRows are the rows of a Parquet file. It holds one page of each column at a time. A panic of the
// library becomes an error.
type parquetRows struct {
	path    string
	names   []string
	refused map[string]string // types of the columns that have no cells
	columns map[int]column    // those of names, by the index of their leaf
	groups  []parquet.RowGroup
	rows    parquet.Rows // of the current group
	left    int64        // rows of it
	buffer  []parquet.Row
	at, n   int // in buffer
	row     int // −1 before the names
	fields  []string
	text    []byte
	offset  int64
}

// A column is a place in the rows, and what appends its values.
type column struct {
	field int
	text  func(dst []byte, v parquet.Value) []byte
}

// openParquet opens a file. It reads a pipe into the memory first, up to the limit of pipes. raw is what r
// reads from, and r has what was peeked of it.
func openParquet(path string, raw, r io.Reader) (_ Rows, err error) {
	rows := &parquetRows{path: path, row: -1, refused: map[string]string{}, columns: map[int]column{}, buffer: make([]parquet.Row, 64)}
	defer rows.guard(&err)
	var from io.ReaderAt
	var size int64
	if file, ok := raw.(*os.File); ok {
		info, err := file.Stat()
		if err != nil {
			return nil, err
		}
		from, size = file, info.Size()
	} else {
		content, err := io.ReadAll(r)
		if err != nil {
			return nil, err
		}
		from, size = bytes.NewReader(content), int64(len(content))
	}
	if err = rows.open(from, size); err == io.EOF { // before the names of the columns
		err = io.ErrUnexpectedEOF
	}
	return rows, err
}

// open reads the columns of a file of size bytes.
func (r *parquetRows) open(from io.ReaderAt, size int64) error {
	var end [8]byte
	if _, err := from.ReadAt(end[:], size-int64(len(end))); err != nil || size < 12 {
		return io.ErrUnexpectedEOF
	}
	if footer := int64(binary.LittleEndian.Uint32(end[:])); string(end[4:]) != "PAR1" || footer > size-12 {
		return io.ErrUnexpectedEOF
	}
	f, err := parquet.OpenFile(from, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true), parquet.ReadBufferSize(64<<10))
	if err != nil {
		return err
	}
	if err := checkUnpacked(from, size, f.Metadata().RowGroups); err != nil {
		return err
	}
	r.groups = f.RowGroups()
	for _, c := range f.Root().Columns() {
		if text := parquetText(c); text != nil {
			r.columns[c.Index()] = column{len(r.names), text}
			r.names = append(r.names, c.Name())
		} else {
			r.refused[c.Name()] = parquetType(c)
		}
	}
	r.fields = make([]string, len(r.names))
	return nil
}

// guard turns a panic or an error into the error for a damaged file.
func (r *parquetRows) guard(err *error) {
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
		*err = damaged(r.path, "Parquet", *err)
	}
}

func (r *parquetRows) Read() (fields []string, err error) {
	defer r.guard(&err)
	if r.row++; r.row == 0 {
		return r.names, nil
	}
	if err := r.next(); err != nil {
		r.row--
		return nil, err
	}
	clear(r.fields)
	for _, v := range r.buffer[r.at] {
		if c, ok := r.columns[v.Column()]; ok && !v.IsNull() {
			r.text = c.text(r.text[:0], v)
			r.fields[c.field] = string(r.text)
			r.offset += int64(len(r.text))
		}
	}
	return r.fields, nil
}

// next moves to the next row. It returns io.EOF after the last.
func (r *parquetRows) next() (err error) {
	for r.at++; r.at >= r.n; {
		if r.rows == nil && len(r.groups) == 0 {
			return io.EOF
		}
		if r.rows == nil {
			r.rows, r.left, r.groups = r.groups[0].Rows(), r.groups[0].NumRows(), r.groups[1:]
		}
		r.at = 0
		r.n, err = r.rows.ReadRows(r.buffer)
		r.left -= int64(r.n)
		switch {
		case err != nil && err != io.EOF:
			return err
		case err == io.EOF && r.left > 0:
			return io.ErrUnexpectedEOF
		case err == io.EOF || r.left <= 0:
			err = r.rows.Close()
			r.rows = nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *parquetRows) FieldPos(int) (line, column int) { return r.row, 0 }

func (r *parquetRows) InputOffset() int64 { return r.offset }

func (r *parquetRows) Refused() map[string]string { return r.refused }
