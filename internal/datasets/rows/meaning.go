package rows

import (
	"math"
	"regexp"
	"strings"

	"github.com/acqnp/acqnp/internal/files/tabular"
)

// isMissing reports whether a table's cell is missing.
func isMissing(cell string) bool { return cell == "" }

// saysMissing reports whether a text of a CSV file stands for a missing value.
func saysMissing(text string) bool {
	switch text {
	case "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "null", "NULL", "None", ".":
		return true
	}
	return false
}

// missingCells says in messages which cells are missing.
const missingCells = "empty cells and null are missing; in CSV also NA, N/A, NaN, None and a lone point"

// A kind says what a cell is.
type kind int

const (
	unknownKind kind = iota // of a column before its first cell
	numberKind
	percentKind // 12%
	clockKind   // 13:00
	dateKind
	slashKind // a date such as 3/14/2026, whose column says which number is the day
	boolKind  // true, false, yes or no
	nameKind
	wrongKind // looks like a number or a date, and is none
	kinds
)

// kindWords name what cells of a kind are, in messages.
var kindWords = [kinds]string{numberKind: "numbers", percentKind: "percentages", clockKind: "times of day", dateKind: "dates",
	slashKind: "dates", boolKind: "names", nameKind: "names"}

// The formats of columns, see [Form].
const (
	Percent    = "percent"
	Clock      = "time of day"
	MonthFirst = "month/day/year"
	DayFirst   = "day/month/year"
	Boolean    = "yes/no"
)

// A meaning is what a cell says.
type meaning struct {
	kind  kind
	value float64 // a number, a share of 100, hours since midnight, or days since 1970-01-01
	wants string  // what a cell of wrongKind should be
}

// thousands are numbers with commas between thousands.
var thousands = regexp.MustCompile(`^[-+]?[1-9]\d{0,2}(,\d{3})+(\.\d+)?$`)

// Finite is what is expected of a number that float32, the precision of networks, does not hold.
const Finite = "a finite number of at most 3.4e38, which float32 holds"

// meaning returns what a cell of the current row says. It must not be missing. This is the one place that
// tells numbers, dates and names apart.
func (t *table) meaning(column int) meaning {
	cell := t.cell(column)
	v, conflict, is := t.number(cell, column)
	switch {
	case conflict != "":
		return meaning{kind: wrongKind, wants: conflict}
	case is && math.Abs(v) <= math.MaxFloat32:
		return meaning{kind: numberKind, value: v}
	case is, isInfinite(cell):
		return meaning{kind: wrongKind, wants: Finite}
	}
	if share, ok := strings.CutSuffix(cell, "%"); ok {
		if v, is := tabular.ParseNumber(strings.TrimSpace(share)); is && math.Abs(v) <= math.MaxFloat32 {
			return meaning{kind: percentKind, value: v}
		}
	}
	if cell == "" || !isDigit(cell[0]) && !isLetter(cell[0]) && !strings.ContainsAny(cell[:1], "+-") {
		return meaning{kind: nameKind}
	}
	if days, ok := dateOf(cell); ok {
		return meaning{kind: dateKind, value: days}
	}
	if hours, ok := clockOf(cell); ok {
		return meaning{kind: clockKind, value: hours}
	}
	if slashed.MatchString(cell) {
		_, month := slashDate(cell, MonthFirst)
		_, day := slashDate(cell, DayFirst)
		if month || day {
			return meaning{kind: slashKind}
		}
	}
	if hint := t.hint(cell); hint != "" {
		return meaning{kind: wrongKind, wants: hint}
	}
	if isBool(cell) {
		return meaning{kind: boolKind}
	}
	return meaning{kind: nameKind}
}

// number reads a number in a column of the current row. conflict is what a number should be whose decimal mark is not that
// of the file.
func (t *table) number(text string, column int) (v float64, conflict string, is bool) {
	if t.delimiter == ';' {
		line, _ := t.rows.FieldPos(column)
		if v, conflict, is = t.decimals.number(text, line); is {
			t.marks.note(text, v, column, line)
		}
		return v, conflict, is
	}
	if v, is = tabular.ParseNumber(text); !is && thousands.MatchString(text) {
		v, is = tabular.ParseNumber(strings.ReplaceAll(text, ",", ""))
	}
	return v, "", is
}

// isBool reports whether a cell is true, false, yes or no, in any spelling.
func isBool(cell string) bool {
	switch strings.ToLower(cell) {
	case "true", "false", "yes", "no":
		return true
	}
	return false
}

// hint returns what should be instead of a cell that is a number only with a decimal comma, or a date with an unclear
// day or year, or "".
func (t *table) hint(cell string) string {
	if t.delimiter != ';' && strings.Count(cell, ",") == 1 && isNumber(strings.Replace(cell, ",", ".", 1)) {
		return "a number with a decimal point (decimal commas need semicolons between the columns)"
	}
	if parts := slashed.FindStringSubmatch(cell); parts != nil && len(parts[2]) == 2 {
		return "a date with four digits of the year, such as 2024-03-01"
	}
	if slashed.MatchString(cell) {
		return "a date (which number is the day is not clear: write 2024-03-01 or 1.3.2024)"
	}
	return ""
}
