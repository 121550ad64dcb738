package rows

import (
	"fmt"
	"math"
	"regexp"
	"strings"

	"github.com/acqnp/acqnp/internal/invalid"
)

// Between semicolons, the number 4,164 is read as 4.164, and may be 4164. Any cell of the file with another form, such as
// 3,5 or 0,125, proves that the comma is decimal. So does 4164 in the same column: who writes 4,164 for it would have
// written that again. Without a proof, a column with 674 beside 4,164 is refused: three decimals would have been 674,000,
// and thousands would be read 1000 times too small in some rows alone. In other columns all numbers are read alike, and a
// line says how. The same holds of points.

// grouped are the numbers whose mark may separate thousands.
var grouped = regexp.MustCompile(`^[-+]?[1-9]\d{0,2}[,.]\d{3}$`)

const decimalMarks = ",."

// markNames are the decimal marks in messages.
var markNames = map[byte]string{',': "comma", '.': "point"}

// marks are what the cells of a file between semicolons say about its decimal mark.
type marks struct {
	decimal map[byte]bool // the marks that are proved
	columns []marked      // by the numbers that were read
}

// marked are the first numbers of a column by their marks.
type marked struct {
	grouped placed // such as 4,164
	whole   placed // below 1000, without a mark
	large   bool   // there is one of 1000 or more without a mark
}

// A placed is a number with its line, which is 0 if there is none.
type placed struct {
	line int
	text string
}

func (p *placed) note(text string, line int) {
	if p.line == 0 {
		*p = placed{line, strings.Clone(text)}
	}
}

// note notes a number that was read.
func (m *marks) note(text string, v float64, column, line int) {
	if m == nil {
		return
	}
	c := &m.columns[column]
	switch at := strings.IndexAny(text, decimalMarks); {
	case at >= 0 && (m.decimal[text[at]] || !grouped.MatchString(text)): // decimal
	case at >= 0:
		c.grouped.note(text, line)
	case math.Abs(v) < 1000:
		c.whole.note(text, line)
	default:
		c.large = true
	}
}

// prove looks for proofs in all cells of the current row, whether they are read or not.
func (t *table) prove() {
	for i := range t.header {
		cell := t.written(i)
		at := strings.IndexAny(cell, decimalMarks)
		if at >= 0 && !t.marks.decimal[cell[at]] && !grouped.MatchString(cell) && isNumber(strings.Replace(cell, ",", ".", 1)) {
			t.marks.decimal[cell[at]] = true
		}
	}
}

// settleMarks refuses a column that has numbers such as 4,164 and 674, and adds a line if there are only numbers such as
// 4,164, unless the file proves that the mark is decimal.
func (t *table) settleMarks() error {
	if t.marks == nil || t.marks.decimal[t.decimals.mark] {
		return nil
	}
	var names []string
	var first placed
	var refused error
	for i, c := range t.marks.columns {
		thousand := c.grouped
		switch {
		case thousand.line == 0:
			continue
		case c.large:
			return nil
		case c.whole.line > 0 && refused == nil:
			refused = &invalid.Input{File: t.path, Line: c.whole.line, Key: t.header[i], Found: fmt.Sprintf("%q beside %q in line %d", c.whole.text, thousand.text, thousand.line),
				Expected: fmt.Sprintf("%s there if its %s separates thousands, or %s%c0 here if it is decimal", thousand.plain(), markNames[t.decimals.mark], c.whole.text, t.decimals.mark)}
		}
		if first.line == 0 || thousand.line < first.line {
			first = thousand
		}
		names = append(names, t.header[i])
	}
	if names != nil && refused == nil {
		t.warnings.Add("%s:%d: %s: %s is read as %s, but no cell of the file shows that the %s is decimal: write %s if it separates thousands",
			t.path, first.line, strings.Join(names, ", "), first.text, strings.Replace(first.text, ",", ".", 1), markNames[t.decimals.mark], first.plain())
	}
	return refused
}

// plain returns the number without its mark.
func (p placed) plain() string { return strings.NewReplacer(",", "", ".", "").Replace(p.text) }
