package rows

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// A reader turns the cells of one column into raw numbers, which are those of its Form. Names that
// Categories lacks are added to it.
type reader struct {
	Form
	name     string
	kind     kind
	zero     bool           // a logarithm may have a 0, which is shifted
	origin   float64        // of dates, in days since 1970-01-01
	index    map[string]int // of a name in Categories
	training bool           // the training file is read: data.missing and data.categories are remedies
	isX      bool
	limits   bool // of y, whose cells may be limits
	closed   bool // of y: Categories are all names that there are

	spellings spellings
}

// newReader returns the reader of a column.
func newReader(name string, f Form) *reader {
	r := &reader{Form: f, name: name, kind: numberKind, zero: f.Shift > 0}
	switch {
	case f.Categories != nil:
		r.kind, r.Categories, r.index = nameKind, slices.Clone(f.Categories), map[string]int{}
		for i, name := range f.Categories {
			r.index[Name(name)] = i
		}
	case f.Origin != "":
		r.kind = dateKind
		r.origin, _ = dateOf(f.Origin)
	case f.Format == Percent:
		r.kind = percentKind
	case f.Format == Clock:
		r.kind = clockKind
	}
	return r
}

// maxNames is the largest number of names in a column of categories.
const maxNames = 1000

// read returns the raw number of a cell of the current row, NaN if it is missing and may be.
func (r *reader) read(t *table, column int) (float64, error) {
	if r.Gaps && isMissing(t.cell(column)) {
		return math.NaN(), nil
	}
	if r.kind == nameKind {
		return r.readName(t, column)
	}
	cell, m := t.cell(column), meaning{}
	if !isMissing(cell) {
		m = t.meaning(column)
	}
	if m.kind == slashKind && r.kind == dateKind {
		if days, ok := slashDate(cell, r.Format); ok {
			m = meaning{kind: dateKind, value: days}
		}
	}
	v := m.value
	switch {
	case m.kind == wrongKind:
		return 0, t.refuse(column, m.wants)
	case m.kind != r.kind || r.kind == unknownKind:
		return 0, t.refuse(column, r.expected(t, cell))
	case r.kind == dateKind:
		v -= r.origin
	}
	if !r.Log || (r.kind == numberKind || r.kind == percentKind) && (v > 0 || v == 0 && r.zero) {
		return v, nil
	}
	expected, who := "a number above 0, ", ": so the model was trained"
	if r.zero {
		expected += "or 0, "
	}
	if r.training {
		who = " (data.log)"
	}
	return 0, t.refuse(column, expected+"whose logarithm is taken"+who)
}

// readName returns the index of a name. A new name gets the next index.
func (r *reader) readName(t *table, column int) (float64, error) {
	cell := t.cell(column)
	if isMissing(cell) {
		return 0, t.refuse(column, r.expected(t, cell))
	}
	name := t.name(column)
	if r.Format == Boolean && isBool(name) {
		name = strings.ToLower(name)
		cell = name
	}
	i, known := r.index[name]
	if !known && r.closed && (name == "0" || name == "1") {
		return float64(name[0] - '0'), nil
	}
	if !known && r.closed {
		return 0, t.refuse(column, strings.Join(r.Categories, " or ")+", the names of the fit, or 0 or 1 for these")
	}
	if !known {
		if i = len(r.Categories); r.training && i == maxNames {
			return 0, t.refuse(column, fmt.Sprintf("one of the first %d names of the column, the most that a category may have", maxNames))
		}
		name = strings.Clone(name) // so that the rest of the row can be freed
		r.Categories, r.index[name] = append(r.Categories, name), i
	}
	r.spellings.note(r.Categories[i], cell)
	return float64(i), nil
}

// expectedCells says what the cells of each kind of column should be.
var expectedCells = [kinds]string{unknownKind: "a finite number or a date such as 2024-03-01", numberKind: "a finite number",
	dateKind: "a date such as 2024-03-01 or 2024-03-01 12:30", nameKind: "a name", percentKind: "a percentage such as 12%",
	clockKind: "a time of day such as 13:00"}

// expected says what a cell that cannot be read should be, and the remedy.
func (r *reader) expected(t *table, cell string) string {
	what := expectedCells[r.kind]
	if r.Format == MonthFirst || r.Format == DayFirst {
		what += ", or " + r.Format
	}
	switch {
	case isMissing(cell) && r.training:
		return what + " (data.missing: drop leaves out rows with missing cells)"
	case t.hint(cell) != "":
		return t.hint(cell)
	case (r.kind == numberKind || r.kind == clockKind) && nearly(cell) != "":
		return nearly(cell)
	case r.training && r.isX:
		return what + namesRemedy
	}
	return what
}

// namesRemedy is what helps if a column of x holds names.
const namesRemedy = " (list a column of names in data.categories)"
