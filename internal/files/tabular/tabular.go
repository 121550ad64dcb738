// Package tabular reads and writes tables in the forms that programs exchange. Besides CSV, which its
// users parse, these are JSON lines and Parquet; CSV and JSON may be compressed by gzip or
// zstd.
//
// Typed columns become the cells that a CSV file would have: the shortest text of a number, a date as
// 2024-03-01, a text as it is, and nothing for a missing value. So whatever reads CSV cells reads those
// of all forms, to the last bit.
package tabular

import (
	"io"
	"path/filepath"
	"slices"
	"strings"
)

// A form is what a table is in a file. Open recognises it by the content.
type form struct {
	name    string
	endings []string // with a dot
	write   func(io.Writer, []Column) (Writer, error)
}

// forms are the forms of tables. A new one is a file with its reader and its writer, its line here, and its case in Open.
var forms = []form{
	{name: CSV, endings: []string{".csv"}, write: newCSVWriter},
	{name: JSON, endings: []string{".jsonl", ".ndjson", ".json"}, write: newJSONWriter},
	{name: Parquet, endings: []string{".parquet"}, write: newParquetWriter},
}

// Endings are the endings of the files that hold tables, without a dot. A .json in a folder may be anything.
var Endings = func() (all []string) {
	for _, f := range forms {
		for _, end := range f.endings {
			if end != ".json" {
				all = append(all, end[1:])
			}
		}
	}
	return all
}()

// compressed are the endings that follow that of a text.
var compressed = []string{".gz", ".zst"}

// IsName reports whether a file's name ends as those of tables do.
func IsName(name string) bool {
	return slices.Contains(Endings, strings.ToLower(strings.TrimPrefix(filepath.Ext(uncompressed(name)), ".")))
}

// Stem returns the last element of a path without its ending, and without that of its compression.
func Stem(path string) string {
	name := uncompressed(filepath.Base(filepath.Clean(path)))
	return strings.TrimSuffix(name, filepath.Ext(name))
}

// uncompressed returns a name without the ending of a compression.
func uncompressed(name string) string {
	if end := filepath.Ext(name); slices.Contains(compressed, strings.ToLower(end)) {
		return strings.TrimSuffix(name, end)
	}
	return name
}
