// Package tabular reads and writes tables in the forms that programs exchange. Besides CSV, which its
// users parse, these are JSON lines and Parquet; CSV and JSON may be compressed by gzip or
// zstd.
//
// Typed columns become the cells that a CSV file would have: the shortest text of a number, a date as
// 2024-03-01, a text as it is, and nothing for a missing value. So whatever reads CSV cells reads those
// of all forms, to the last bit.
package tabular

import (
	"path/filepath"
	"slices"
	"strings"
)

// Endings are the endings of the files that hold tables, without a dot.
var Endings = []string{"csv", "jsonl", "ndjson", "parquet"}

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
