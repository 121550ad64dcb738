package rows

import (
	"bufio"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/invalid/warning"
)

// A heading is how the rows of a table differ from what its header names.
type heading struct {
	line     int   // of the names of the columns, 0 in a table without lines
	nameless []int // columns without a name. The first may have names of rows, others have no values
	rowNames bool  // rows have one cell more than the header, the name of the row, as R writes it
	last     int   // the last of these that was a number
	ahead    bool  // the current row was read to compare it with the header, and next has yet to return it
	err      error // of that row
}

// separatorLine is a first line by which Excel knows the separator of the columns.
var separatorLine = regexp.MustCompile(`^"?(?i:sep)=([^"\r\n])"?\r?\n`)

// separator reads such a line. It returns 0 without one.
func separator(r *bufio.Reader) rune {
	start, _ := r.Peek(len(`"sep=;"`) + 2)
	found := separatorLine.FindSubmatch(start)
	if found == nil || found[1][0] >= utf8.RuneSelf {
		return 0
	}
	_, _ = r.Discard(len(found[0]))
	return rune(found[1][0])
}

// readHeader takes the names of the columns from the current row.
func (t *table) readHeader() error {
	seen := map[string]bool{}
	_, t.heading.line = t.where(0)
	for i, name := range t.fields {
		name = strings.TrimSpace(name)
		file, line := t.where(i)
		switch {
		case !utf8.ValidString(name):
			return &invalid.Input{File: file, Line: line, Found: "a header that is not UTF-8", Expected: "names of columns"}
		case name == "":
			t.heading.nameless = append(t.heading.nameless, i)
		case seen[name]:
			return &invalid.Input{File: file, Line: line, Key: name, Found: "the column twice", Expected: "distinct names"}
		}
		seen[name] = true
		t.header = append(t.header, strings.Clone(name))
	}
	return nil
}

// compare reads the first row of a CSV file. If it has one cell more than the header, that is the name of the row, or
// nothing after the last separator.
func (t *table) compare() {
	h := &t.heading
	if h.err = t.read(); h.err == nil && len(t.fields) == len(t.header)+1 {
		if t.cell(len(t.header)) == "" {
			h.nameless, t.header = append(h.nameless, len(t.header)), append(t.header, "")
		} else {
			h.rowNames, h.last, t.header = true, -1, slices.Insert(t.header, 0, "")
			for k := range h.nameless {
				h.nameless[k]++
			}
		}
	}
	h.ahead = true
}

// checkRow refuses a current row that does not fit the header.
func (t *table) checkRow() error {
	h := &t.heading
	file, line := t.where(0)
	names := len(t.header)
	if h.rowNames {
		names--
	}
	expected := fmt.Sprintf("%d, as in the header", names)
	if len(t.fields) != len(t.header) {
		return &invalid.Input{File: file, Line: line, Found: invalid.Plural(len(t.fields), "field", "fields"), Expected: expected}
	}
	if h.rowNames {
		n, err := strconv.Atoi(t.cell(0))
		if err == nil && n > h.last {
			h.last = n
		} else if isNumber(t.cell(0)) {
			return &invalid.Input{File: file, Line: line, Found: invalid.Plural(len(t.fields), "field", "fields"),
				Expected: expected + " (names of rows, as R writes them in front, would be increasing whole numbers or no numbers)"}
		}
	}
	for _, column := range h.nameless {
		if column > 0 && t.cell(column) != "" {
			file, line := t.where(column)
			return &invalid.Input{File: file, Line: line, Key: fmt.Sprintf("column %d", column+1), Found: quote(t.cell(column), 40), Expected: "a name for the column in the header"}
		}
	}
	return nil
}

// warn adds lines about columns that have no name and, after the last row, about decimal marks.
func (t *table) warn(w *warning.Record) {
	if t.warnings = w; t.delimiter == ';' {
		t.marks = &marks{map[byte]bool{}, make([]marked, len(t.header))}
	}
	h := t.heading
	empty := len(h.nameless)
	if slices.Contains(h.nameless, 0) {
		empty--
		w.Add("%s: the first column has no name and is left out", t.path)
	}
	if h.rowNames {
		w.Add("%s: rows have one cell more than the header, as R writes names of rows; the first cell of each is left out", t.path)
	}
	if empty > 0 {
		w.Add("%s: left out %s without a name and without values, after a separator at the end of lines or between two others", t.path, invalid.Plural(empty, "column", "columns"))
	}
}
