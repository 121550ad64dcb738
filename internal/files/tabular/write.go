package tabular

import (
	"cmp"
	"compress/gzip"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/acqnp/acqnp/internal/files"
	"github.com/acqnp/acqnp/internal/invalid"
)

// The forms of written tables. JSON has one object a line.
const (
	CSV     = "csv"
	JSON    = "json"
	Parquet = "parquet"
)

// Formats lists them.
func Formats() (names []string) {
	for _, f := range forms {
		names = append(names, f.name)
	}
	return names
}

// written says which endings there are.
const written = "a name that ends in .csv, .json, .jsonl or .ndjson, each also with .gz or .zst, or in .parquet; or one without an ending, for CSV"

// FormatOf returns the form that a file's name asks for, CSV if it names none.
func FormatOf(path string) string { return cmp.Or(endingOf(path), CSV) }

// endingOf returns the form whose ending a file's name has, "" for another ending.
func endingOf(path string) string {
	end := strings.ToLower(filepath.Ext(uncompressed(path)))
	for _, f := range forms {
		if slices.Contains(f.endings, end) {
			return f.name
		}
	}
	return ""
}

// CheckOut refuses a name whose ending is that of no form, which CSV under this name would not be, and a
// compressed file of a form that is not text. format is the form that is asked for by a flag, "" if the
// name says it. flag names the file in messages.
func CheckOut(flag, path, format string) error {
	if format == "" && endingOf(path) == "" && filepath.Ext(uncompressed(path)) != "" && !files.IsStream(path) {
		return &invalid.Input{File: flag, Found: strconv.Quote(path), Expected: written}
	}
	format = cmp.Or(format, FormatOf(path))
	if uncompressed(path) == path || format == CSV || format == JSON {
		return nil
	}
	return &invalid.Input{File: flag, Found: strconv.Quote(path) + " for the format " + format, Expected: "a name without " + filepath.Ext(path) + ": only csv and json are compressed so"}
}

// A Kind says what the cells of a written column are.
type Kind int

// The kinds of columns. A cell is "" if there is no value.
const (
	Text    Kind = iota
	Integer      // int64
	Number       // float64
	Numbers      // a list of numbers, "a;b"
	Pairs        // a list of pairs of numbers, "a:b;c:d"
	Object       // JSON, which the form JSON alone can have
)

// A Column of a written table.
type Column struct {
	Name string
	Kind Kind
}

// A Writer writes rows of cells, which have the texts of CSV files.
type Writer interface {
	Write(row []string) error
	// Close writes what is left.
	Close() error
}

// Write writes a table to a file, whole or not at all, in CSV for the format "". An ending .gz or .zst compresses it.
func Write(path, format string, columns []Column, fill func(Writer) error) error {
	i := slices.IndexFunc(forms, func(f form) bool { return f.name == cmp.Or(format, CSV) })
	if i < 0 {
		return fmt.Errorf("tabular: found the form %q, expected one of %s", format, strings.Join(Formats(), ", "))
	}
	return files.Write(path, func(to io.Writer) error {
		compressor, err := compress(to, path)
		if err != nil {
			return err
		}
		w, err := forms[i].write(compressor, columns)
		if err != nil {
			return err
		}
		if err = fill(w); err == nil {
			err = w.Close()
		}
		return errors.Join(err, compressor.Close())
	})
}

// compress returns a writer that compresses if the ending of a name says so.
func compress(w io.Writer, path string) (io.WriteCloser, error) {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".gz":
		return gzip.NewWriter(w), nil
	case ".zst":
		return zstd.NewWriter(w, zstd.WithEncoderConcurrency(1))
	}
	return plain{w}, nil
}

type plain struct{ io.Writer }

func (plain) Close() error { return nil }

func newCSVWriter(w io.Writer, columns []Column) (Writer, error) {
	c := csvWriter{csv.NewWriter(w)}
	names := make([]string, len(columns))
	for i, column := range columns {
		names[i] = column.Name
	}
	return c, c.Write(names)
}

type csvWriter struct{ *csv.Writer }

func (c csvWriter) Close() error {
	c.Flush()
	return c.Error()
}

// number returns the number of a cell, and false for a cell without one.
func number(cell string) (float64, bool) {
	v, err := strconv.ParseFloat(cell, 64)
	return v, err == nil
}

// parts returns the parts of a cell that is a list.
func parts(cell string) []string {
	if cell == "" {
		return nil
	}
	return strings.Split(cell, ";")
}

// pair returns the numbers of a part of a cell of pairs.
func pair(part string) (low, high float64) {
	l, h, _ := strings.Cut(part, ":")
	low, _ = number(l)
	high, _ = number(h)
	return low, high
}
