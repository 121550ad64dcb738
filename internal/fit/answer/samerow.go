package answer

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/acqnp/acqnp/internal/points"
)

// A row has no name. Whether a known point is a row of the data again or a new one that is equal by chance, the data say:
// where hardly any two rows of a group are equal, equal cells are those of one row. Counts of days without x, for
// instance, are often equal, and then an equal one is a new one.

// fewEqual is how many rows stand against one that is equal to another of its group, where equal cells are those of one
// row.
const fewEqual = 20

// tellsRowsApart reports whether rows of the data are told apart by their cells.
func (f Predictor) tellsRowsApart() bool { return fewEqual*f.EqualRows <= f.Rows }

// EqualRows counts the rows that are equal to another of their group.
func EqualRows(groups []points.Group) (n int) {
	for _, p := range groups {
		times := map[string]int{}
		for k := range p.Len() {
			times[keyOf(p.Row(k), told(p.Points, k))]++
		}
		for _, t := range times {
			if t > 1 {
				n += t
			}
		}
	}
	return n
}

// A matcher finds the rows of a group that others are equal to.
type matcher struct {
	points.Points
	left map[string][]int // rows that none was equal to yet, by x; nil before the first match
}

// match returns a row of the group that is equal to x and y, and none that it has returned before; −1 if none is. A
// missing y is equal to any: rows of several columns of y may be known in parts.
func (m *matcher) match(x, y []float64) int {
	if m.left == nil {
		m.left = map[string][]int{}
		for k := range m.Len() {
			key := keyOf(m.Row(k))
			m.left[key] = append(m.left[key], k)
		}
	}
	key := keyOf(x)
	left := m.left[key]
	for _, alike := range []func(a, b []float64) bool{same, agree} {
		i := slices.IndexFunc(left, func(k int) bool { return alike(told(m.Points, k), y) })
		if i >= 0 {
			row := left[i]
			m.left[key] = slices.Delete(left, i, i+1)
			return row
		}
	}
	return -1
}

// same reports whether two rows of y are the same, missing ones too.
func same(a, b []float64) bool { return keyOf(a) == keyOf(b) }

// agree reports whether two rows of y have a column in which both are known, and are equal in all of these.
func agree(a, b []float64) bool {
	common := false
	for c := range a {
		if math.IsNaN(a[c]) || math.IsNaN(b[c]) {
			continue
		}
		if a[c] != b[c] {
			return false
		}
		common = true
	}
	return common
}

// told returns the y of a point, with limits as the next numbers on their sides: a limit is equal to the same limit alone.
func told(p points.Points, i int) []float64 {
	y := slices.Clone(p.RowY(i))
	for c := range y {
		for side := p.Limit(i, c); side != 0; side -= side / max(side, -side) {
			y[c] = math.Nextafter(y[c], math.Inf(int(side)))
		}
	}
	return y
}

// fill gives a row of y the values that it lacks and another point has.
func fill(known *points.Points, row int, other points.Points) {
	for c, v := range other.Y {
		if y := &known.RowY(row)[c]; math.IsNaN(*y) {
			*y = v
			if side := other.Limit(0, c); side != 0 {
				if known.Censored == nil {
					known.Censored = make([]int8, len(known.Y))
				}
				known.Censored[row*known.DY+c] = side
			}
		}
	}
}

// keyOf returns a text that is the same for equal numbers.
func keyOf(lists ...[]float64) string {
	var b strings.Builder
	for _, v := range slices.Concat(lists...) {
		b.WriteString(strconv.FormatFloat(v, 'g', -1, 64))
		b.WriteByte(' ')
	}
	return b.String()
}
