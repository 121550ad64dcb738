package rows

import (
	"fmt"
	"slices"
	"strings"

	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/invalid/warning"
)

// leftOut counts rows that are left out, and their missing cells by column.
type leftOut struct {
	rows, dropped int
	columns       []int // with missing cells, in the order in which they were found
	missing       map[int]int
	texts         map[int][]string // of missing cells that are not empty
	partial       map[int]int      // by column of y: rows that are used without it
	weightless    int              // rows of weight 0
}

// mostTexts is how many texts of missing cells of a column a line shows.
const mostTexts = 3

func newLeftOut() *leftOut {
	return &leftOut{missing: map[int]int{}, texts: map[int][]string{}, partial: map[int]int{}}
}

// note counts a missing cell of a row that is left out.
func (l *leftOut) note(column int, cell string) {
	if l.missing[column]++; l.missing[column] == 1 {
		l.columns = append(l.columns, column)
	}
	if texts := l.texts[column]; cell != "" && len(texts) < mostTexts && !slices.Contains(texts, cell) {
		l.texts[column] = append(texts, strings.Clone(cell))
	}
}

// warn adds the lines about what is left out of files with a header.
func (l *leftOut) warn(path string, header []string, w *warning.Record) {
	if l.dropped > 0 {
		w.Add("%s: left out %d of %s, without a value of %s", path, l.dropped, invalid.Plural(l.rows, "row", "rows"), l.where(header))
	}
	if l.weightless > 0 {
		w.Add("%s: left out %s of weight 0", path, invalid.Plural(l.weightless, "row", "rows"))
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

// all returns the error for files all of whose rows are left out. The last has a header.
func (l *leftOut) all(path string, header []string) error {
	return &invalid.Input{File: path, Found: fmt.Sprintf("a missing cell in each of %d rows: of %s", l.dropped, l.where(header)),
		Expected: "rows with a value in every column that is used"}
}
