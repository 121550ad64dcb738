package prior

import (
	"math"

	"github.com/acqnp/acqnp/research/pretrained/dice"
)

// Most rows of a group, and most groups. A table whose groups have one row each, or that is one group
// or two, may have more.
const (
	mostRows   = 500
	mostGroups = 300
)

// sizes draws the rows of each group.
func sizes(d *dice.Dice, rows int) []int {
	switch d.Choose(7, 5, 3, 85) {
	case 0: // a table without groups
		ones := make([]int, rows)
		for i := range ones {
			ones[i] = 1
		}
		return ones
	case 1:
		return []int{rows}
	case 2:
		first := rows/4 + d.Below(rows/2)
		return []int{first, rows - first}
	}
	next := newSize(d, float64(rows))
	var groups []int
	for left := rows; left > 0; {
		least := 1
		if few := mostGroups - len(groups); few > 0 {
			least = (left + few - 1) / few
		}
		n := min(max(next(), least), mostRows, left)
		groups = append(groups, n)
		left -= n
	}
	return groups
}

// newSize draws how many rows the groups have: the same number, nearly, or numbers that differ much.
func newSize(d *dice.Dice, rows float64) func() int {
	var mean float64
	switch d.Choose(5, 3, 2) {
	case 0:
		mean = rows / d.LogUniform(12, 60)
	case 1:
		mean = d.LogUniform(4, 30)
	default:
		mean = d.LogUniform(1, mostRows)
	}
	mean = min(max(mean, rows/mostGroups, 1), mostRows)
	whole := int(mean + 0.5)
	switch d.Choose(7, 2, 4) {
	case 0:
		return func() int { return whole }
	case 1:
		lack := 1 + whole/4
		return func() int { return max(whole-d.Below(lack+1), 1) }
	}
	deviation, single := d.Uniform(0.2, 1.2), 0.0
	if d.Chance(0.2) {
		single = d.Uniform(0.05, 0.4)
	}
	return func() int {
		if d.Chance(single) {
			return 1
		}
		return int(math.Ceil(mean*math.Exp(deviation*d.Normal()-deviation*deviation/2) - 0.5))
	}
}
