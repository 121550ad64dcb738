package tabular

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"

	"github.com/acqnp/acqnp/internal/files"
	"github.com/acqnp/acqnp/internal/invalid"
)

// Rows are the rows of a table, as texts. The first has the names of the columns. Fields are valid until
// the next Read, which returns io.EOF after the last row. *csv.Reader has these methods too.
type Rows interface {
	Read() (fields []string, err error)
	// FieldPos returns where a field of the current row starts. In a table without lines, line is the
	// number of the row, 0 for the names.
	FieldPos(field int) (line, column int)
	// InputOffset returns how many bytes of text have been read.
	InputOffset() int64
}

// A Refuser is Rows that leave out columns that have no cells, such as lists.
type Refuser interface {
	// Refused returns the types of these columns by their names.
	Refused() map[string]string
}

// A File is an open table.
type File struct {
	Text io.Reader // CSV or JSON, not compressed; nil for other forms
	Rows Rows      // of other forms

	closers []func() error
}

// Close closes the file.
func (f *File) Close() error {
	var errs []error
	for _, c := range f.closers {
		errs = append(errs, c())
	}
	return errors.Join(errs...)
}

// sniffed is how many bytes Open looks at.
const sniffed = 64 << 10

// Open opens a table, a regular file or a pipe. The first bytes of the content say which form it has,
// whatever its name is. An error, also one of reading later, is an *invalid.Input or an interrupt.
func Open(path, expected string) (*File, error) {
	raw, err := files.Stream(path, expected)
	if err != nil {
		return nil, err
	}
	f := &File{closers: []func() error{raw.Close}}
	if err := f.open(path, raw); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// open recognises the form.
func (f *File) open(path string, raw io.Reader) (err error) {
	r := bufio.NewReaderSize(raw, sniffed)
	switch start, _ := r.Peek(6); { // an error comes again when the text is read
	case bytes.HasPrefix(start, []byte("\x1f\x8b")):
		err = f.decompress(path, r, "gzip", func() (io.Reader, error) { return gzip.NewReader(r) })
	case bytes.HasPrefix(start, []byte("\x28\xb5\x2f\xfd")):
		err = f.decompress(path, r, "zstd", func() (io.Reader, error) {
			z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(128<<20))
			if err == nil {
				f.closers = append(f.closers, func() error { z.Close(); return nil })
			}
			return z, err
		})
	case bytes.HasPrefix(start, []byte("PAR1")):
		f.Rows, err = openParquet(path, raw, r)
	default:
		f.Text, err = newText(r, path)
	}
	return err
}

// decompress makes Text of a compressed text.
func (f *File) decompress(path string, r io.Reader, how string, open func() (io.Reader, error)) error {
	z, err := open()
	if err != nil {
		return damaged(path, how, err)
	}
	text := bufio.NewReaderSize(&decompressed{z, path, how}, sniffed)
	start, _ := text.Peek(6)
	for _, magic := range []string{"PAR1", "\x1f\x8b", "\x28\xb5\x2f\xfd"} {
		if bytes.HasPrefix(start, []byte(magic)) {
			return &invalid.Input{File: path, Found: "something other than text in a " + how + " file", Expected: "CSV or JSON lines; Parquet files have their own compression"}
		}
	}
	f.Text, err = newText(text, path)
	return err
}

// decompressed is a compressed text. Its errors say that the file is damaged.
type decompressed struct {
	io.Reader
	path, how string
}

func (d *decompressed) Read(p []byte) (int, error) {
	n, err := d.Reader.Read(p)
	if err != nil && err != io.EOF {
		err = damaged(d.path, d.how, err)
	}
	return n, err
}

// damaged returns the error for a file that cannot be read. It returns an *invalid.Input or an interrupt
// as it is.
func damaged(path, form string, err error) error {
	var own *invalid.Input
	switch {
	case errors.As(err, &own):
		if own.File == "" {
			own.File = path
		}
		return own
	case errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF):
		err = errors.New("it ends too early")
	}
	text := err.Error()
	if len(text) > 200 {
		text = text[:200] + "…"
	}
	return &invalid.Input{File: path, Found: fmt.Sprintf("a damaged %s file (%s)", form, text), Expected: "a whole one", Cause: err}
}
