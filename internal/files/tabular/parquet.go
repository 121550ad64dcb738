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
	columns []*parquetColumn  // those of names
	groups  []parquet.RowGroup
	left    int64 // rows of the current group
	row     int   // −1 before the names
	text    []byte
	ends    []int // of the cells in text
	fields  []string
	offset  int64
}

// A parquetColumn reads one column.
type parquetColumn struct {
	index  int // of the leaf
	text   func(dst []byte, v parquet.Value) []byte
	pages  parquet.Pages
	page   parquet.Page
	values parquet.ValueReader
	buffer [256]parquet.Value
	at, n  int
}

// openParquet opens a file. It reads a pipe into the memory first, up to the limit of pipes. raw is what r
// reads from.
func openParquet(path string, raw, r io.Reader) (_ Rows, err error) {
	rows := &parquetRows{path: path, row: -1, refused: map[string]string{}}
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
	r.groups = f.RowGroups()
	for _, column := range f.Root().Columns() {
		if text := parquetText(column); text != nil {
			r.names = append(r.names, column.Name())
			r.columns = append(r.columns, &parquetColumn{index: column.Index(), text: text})
		} else {
			r.refused[column.Name()] = parquetType(column)
		}
	}
	r.ends, r.fields = make([]int, len(r.names)), make([]string, len(r.names))
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
	r.text = r.text[:0]
	for i, c := range r.columns {
		if v := c.buffer[c.at]; !v.IsNull() {
			r.text = c.text(r.text, v)
		}
		r.ends[i] = len(r.text)
	}
	text, start := string(r.text), 0
	for i, end := range r.ends {
		r.fields[i], start = text[start:end], end
	}
	r.offset += int64(len(text))
	return r.fields, nil
}

// next moves to the next row. It returns io.EOF after the last.
func (r *parquetRows) next() error {
	for ; r.left == 0; r.groups = r.groups[1:] {
		if len(r.groups) == 0 {
			return io.EOF
		}
		r.left = r.groups[0].NumRows()
		chunks := r.groups[0].ColumnChunks()
		for _, column := range r.columns {
			column.open(chunks[column.index])
		}
	}
	r.left--
	for _, column := range r.columns {
		if err := column.next(); err != nil {
			return err
		}
	}
	return nil
}

func (r *parquetRows) FieldPos(int) (line, column int) { return r.row, 0 }

func (r *parquetRows) InputOffset() int64 { return r.offset }

func (r *parquetRows) Refused() map[string]string { return r.refused }

// open starts a row group.
func (c *parquetColumn) open(chunk parquet.ColumnChunk) {
	if c.pages != nil {
		c.pages.Close()
	}
	c.pages, c.page, c.values, c.at, c.n = chunk.Pages(), nil, nil, 0, 0
}

// next moves to the next value of the row group. There must be one.
func (c *parquetColumn) next() error {
	c.at++
	for c.at >= c.n {
		n, err := 0, io.EOF
		if c.values != nil {
			n, err = c.values.ReadValues(c.buffer[:])
		}
		if c.at, c.n = 0, n; n > 0 {
			return nil
		}
		if err != nil && err != io.EOF {
			return err
		}
		if err := c.turn(); err == io.EOF {
			return io.ErrUnexpectedEOF
		} else if err != nil {
			return err
		}
	}
	return nil
}

// turn turns to the next page.
func (c *parquetColumn) turn() (err error) {
	if c.page != nil {
		parquet.Release(c.page)
		c.page = nil
	}
	if c.page, err = c.pages.ReadPage(); err == nil {
		c.values = c.page.Values()
	}
	return err
}
