package rows

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/acqnp/acqnp/internal/invalid"
)

// Many files have -9999, 999 or 1e20 where a value is missing. A number that looks like such a code and lies far from
// all others is said, and stays a number: who made the file knows what it means.

// mostCodes bounds the codes at each end of a column.
const mostCodes = 3

// How far a code lies from the other values, in spans of these, and how many different ones there are at least. Numbers
// of nines are codes more often than other round or repeated ones, which therefore have to lie further off, also on the
// scale of logarithms: the largest of incomes or of counts is round and far from the others too.
const (
	farOfNines  = 3
	farOfOthers = 20
	farOfLogs   = 2
	leastOthers = 3
)

// An end holds the different values at one end of a column, the farthest first: codes, and then one other value.
type end []extreme

// An extreme is a value, with its first cell.
type extreme struct {
	value       float64
	count       int
	place, cell string
}

// add adds the cell of a column in the current row, whose number is v. side is 1 for the greatest values, and −1 for the
// least.
func (e *end) add(t *table, column int, v, side float64) {
	all, i := *e, 0
	for i < len(all) && side*all[i].value > side*v {
		i++
	}
	switch {
	case i < len(all) && all[i].value == v:
		all[i].count++
	case i <= mostCodes:
		all = slices.Insert(all, i, extreme{v, 1, t.place(column), strings.Clone(t.cell(column))})
		*e = all[:min(len(all), mostCodes+1)]
	}
}

// codesOf says which values of a column of so many numbers, of which the different ones are counted, look like codes for
// a missing value. It returns "" if none does.
func codesOf(name string, low, high end, numbers, different int) string {
	var codes []extreme
	least, most := 0.0, 0.0
	for i := range low {
		for j := range high {
			in := extent{least: low[i].value, most: high[j].value}
			found := slices.Concat(low[:i], high[:j])
			if len(found) > len(codes) && in.least < in.most && different-len(found) >= leastOthers && 2*rowsOf(found) < numbers && low.far(i, in) && high.far(j, in) {
				codes, least, most = found, low[i].value, high[j].value
			}
		}
	}
	if codes == nil {
		return ""
	}
	var texts []string
	for _, c := range codes {
		texts = append(texts, c.cell)
	}
	return fmt.Sprintf("%s: %s has %s (%s), far from all other values, %s to %s, and takes it for a number: leave a cell empty whose value is missing",
		codes[0].place, name, strings.Join(texts, " and "), invalid.Plural(rowsOf(codes), "row", "rows"), numberText(least), numberText(most))
}

func rowsOf(codes []extreme) (rows int) {
	for _, c := range codes {
		rows += c.count
	}
	return rows
}

// far reports whether the first n values look like codes, and the last of these is far from others.
func (e end) far(n int, others extent) bool {
	for _, c := range e[:n] {
		if !c.looks(e[n-1].value, others) {
			return false
		}
	}
	return true
}

// looks reports whether a value looks like a code where the nearest of its side is so far from others.
func (x extreme) looks(nearest float64, others extent) bool {
	gap, span := max(others.least-nearest, nearest-others.most), others.most-others.least
	if nines(x.value) && gap > farOfNines*span {
		return true
	}
	if x.value != math.Trunc(x.value) || x.count < 2 && !round(x.value) || gap <= farOfOthers*span {
		return false
	}
	return others.least < 0 || nearest < others.least || math.Log1p(nearest)-math.Log1p(others.most) > farOfLogs*(math.Log1p(others.most)-math.Log1p(others.least))
}

// digitsOf returns the digits of a number, without its sign and its point.
func digitsOf(v float64) string {
	return strings.Replace(strconv.FormatFloat(math.Abs(v), 'f', -1, 64), ".", "", 1)
}

// nines reports whether a number is 99, 999.9, 998 and the like.
func nines(v float64) bool {
	digits := digitsOf(v)
	last := len(digits) - 1
	return digits == "99" || last >= 2 && strings.Trim(digits[:last], "9") == "" && digits[last] >= '6'
}

// round reports whether a number is 1000, 1e20, 888, 32767 or the like, which files hold for a missing value.
func round(v float64) bool {
	digits := digitsOf(v)
	same := len(digits) > 2 && strings.Trim(digits, digits[:1]) == ""
	return same || len(digits) > 3 && digits[0] == '1' && strings.Trim(digits[1:], "0") == "" || math.Abs(v) > 1e30 ||
		slices.Contains([]float64{32767, 32768, 65535, math.MaxInt32, math.MaxInt32 + 1, math.MaxUint32}, math.Abs(v))
}

// IsCode reports whether a number looks like a code for a missing value, far from others between least and most.
func IsCode(v, least, most float64) bool {
	return extreme{value: v}.looks(v, extent{least: least, most: most})
}
