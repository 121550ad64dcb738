package rows

import (
	"math"
	"slices"
	"strings"

	"github.com/acqnp/acqnp/internal/files/tabular"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/invalid/warning"
	"github.com/acqnp/acqnp/internal/points"
)

// A value of y that an assay cannot tell is written as its limit: <50 below the detection limit 50, >200 above 200.

// limitSides are the signs before a limit, and what they say of y. Longer ones come first.
var limitSides = []struct {
	sign string
	side int8
}{{"<=", points.AtMost}, {">=", points.AtLeast}, {"≤", points.AtMost}, {"≥", points.AtLeast}, {"<", points.Below}, {">", points.Above}}

// cutLimit returns the side of a text such as <50, and what follows its sign; side 0 for other texts.
func cutLimit(text string) (side int8, number string) {
	for _, s := range limitSides {
		if rest, is := strings.CutPrefix(text, s.sign); is {
			return s.side, strings.TrimSpace(rest)
		}
	}
	return 0, text
}

// Limit returns the limit that a text such as <50 states, and its side. The side of other texts is 0.
func Limit(text string) (v float64, side int8) {
	side, number := cutLimit(strings.TrimSpace(text))
	if v, is := tabular.ParseNumber(number); is && math.Abs(v) <= math.MaxFloat32 {
		return v, side
	}
	return 0, 0
}

// limit returns the limit that a cell of the current row states, and its side; 0 for other cells.
func (t *table) limit(column int) (v float64, side int8) {
	side, number := cutLimit(t.cell(column))
	if side == 0 {
		return 0, 0
	}
	if v, conflict, is := t.number(number, column); is && conflict == "" && math.Abs(v) <= math.MaxFloat32 {
		return v, side
	}
	return 0, 0
}

// sideWords are what a column says of y beside it: y lies at or below the number there, at or above it, or is it.
var sideWords = map[string]int8{"left": points.AtMost, "-1": points.AtMost, "right": points.AtLeast, "1": points.AtLeast, "none": 0, "0": 0}

// sideIn returns the side of y in the current row, of which a column says where it lies, and the cell of y perhaps too.
func (t *table) sideIn(column int, ofCell int8) (int8, error) {
	side, is := sideWords[strings.ToLower(Name(t.written(column)))]
	switch {
	case !is:
		return 0, t.refuse(column, "left (or -1) where y is at most the number, right (1) where it is at least that, or none (0)")
	case ofCell == 0:
		return side, nil
	case side == 0 || side < 0 != (ofCell < 0):
		return 0, t.refuse(column, "what the cell of y says, or a number there")
	}
	return ofCell, nil
}

// limitRemedy follows the limit of a cell that should be a number.
const limitRemedy = ", the limit itself: cells such as <50 are for y of acqnp fit alone, beside numbers"

// WarnOfLimits adds a line about limits in column c of y, of a name, of the points of a file.
func WarnOfLimits(path, name string, all []points.Points, c int, w *warning.Record) {
	below, above, n := 0, 0, 0
	for _, p := range all {
		b, a := p.Limits(c)
		below, above, n = below+b, above+a, n+len(slices.DeleteFunc(p.ColumnY(c), math.IsNaN))
	}
	if below+above > 0 {
		w.Add("%s: limits of %s, such as <50 and >200: %d below and %d above, of %s; of these the side is known, and not y", path, name, below, above, invalid.Plural(n, "value", "values"))
	}
}
