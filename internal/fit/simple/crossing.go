package simple

import (
	"cmp"
	"slices"

	"github.com/acqnp/acqnp/internal/points"
)

// A crossing is two columns of names that act together, such as treatment and sex: each pair of a name of one and a name
// of the other, a cell of their table, has a deviation of its own from the sum of what the two say. The deviations are
// independent and have one variance, which the data choose. So the covariance of two points is a product of two kernels,
// each of which is 1 for points of the same name and 0 for others.
type crossing [2]factor

// A factor is a column of names as models see it: columns of x of which one is 1 and the others are 0, standardised. A
// column of numbers that is 0 or 1 is a factor too: of two names, of which the other is where it is 0.
type factor struct {
	Columns []int     `json:"columns"`
	Zeros   []float64 `json:"zeros"` // what 0 is in each
}

// mostCells bounds the cells of all crossings together: those with fewer cells come first.
const mostCells = 100

// crossingsOf returns the pairs of columns of names in standardised groups that could act together: more of their cells
// have points than names of the two alone tell apart.
func crossingsOf(groups []points.Group) (all []crossing) {
	factors := namesOf(groups)
	for i, a := range factors {
		for _, b := range factors[:i] {
			if c := (crossing{b, a}); c.seen(groups) >= a.names()+b.names() {
				all = append(all, c)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b crossing) int { return cmp.Compare(a.size(), b.size()) })
	cells := 0
	for i, c := range all {
		if cells += c.size(); cells > mostCells {
			return all[:i]
		}
	}
	return all
}

// names returns the number of names.
func (f factor) names() int { return max(len(f.Columns), 2) }

// namesOf returns the columns of names of groups, and those of two numbers.
func namesOf(groups []points.Group) (all []factor) {
	columns := make([][]float64, groups[0].DX)
	for _, g := range groups {
		for c := range columns {
			columns[c] = append(columns[c], g.Column(c)...)
		}
	}
	for c := 0; c < len(columns); c++ {
		if f, last, ok := factorAt(columns, c); ok {
			all, c = append(all, f), last
		} else if low, _, two := twoValues(columns[c]); two {
			all = append(all, factor{Columns: []int{c}, Zeros: []float64{low}})
		}
	}
	return all
}

// factorAt returns the column of names that begins at column c, and its last column: neighbours with two values, of which
// each point has the larger one in exactly one. Those of names that the groups lack may stand between them.
func factorAt(columns [][]float64, c int) (f factor, last int, ok bool) {
	named, left := make([]bool, len(columns[c])), len(columns[c])
	for last = c; last < len(columns); last++ {
		low, high, two := twoValues(columns[last])
		if !two && (last == c || low < high) {
			return f, last, false
		}
		if !two {
			continue
		}
		f.Columns, f.Zeros = append(f.Columns, last), append(f.Zeros, low)
		for i, v := range columns[last] {
			if v < high {
				continue
			}
			if named[i] {
				return f, last, false
			}
			named[i] = true
			left--
		}
		if left == 0 {
			return f, last, true
		}
	}
	return f, last, false
}

// size returns the number of cells.
func (c crossing) size() int { return c[0].names() * c[1].names() }

// cellsOf returns the number of cells of crossings.
func cellsOf(all []crossing) (n int) {
	for _, c := range all {
		n += c.size()
	}
	return n
}

// seen returns how many cells have points.
func (c crossing) seen(groups []points.Group) (n int) {
	sums, cells := make([]float64, c.size()), make([]float64, 0, c.size())
	for _, g := range groups {
		for i := range g.Len() {
			cells = c.appendCells(cells[:0], g.Row(i))
			for k, v := range cells {
				sums[k] += v
			}
		}
	}
	for _, v := range sums {
		if v > 0 {
			n++
		}
	}
	return n
}

// appendCells appends a number for each cell: 1 for that of a standardised x [DX], 0 for others. A name that may be one of
// several has shares of them.
func (c crossing) appendCells(dst, x []float64) []float64 {
	for i := range c[0].names() {
		for k, v := 0, c[0].share(i, x); k < c[1].names(); k++ {
			dst = append(dst, v*c[1].share(k, x))
		}
	}
	return dst
}

// share returns 1 if x has name i, and 0 if it has another.
func (f factor) share(i int, x []float64) float64 {
	if i == len(f.Columns) {
		return 1 - f.share(0, x)
	}
	return min(max((x[f.Columns[i]]-f.Zeros[i])/2, 0), 1) // unitsOf puts two values 2 apart
}

// checkCrossings returns errDamaged unless the crossings are of dx columns.
func checkCrossings(all []crossing, dx int) error {
	for _, c := range all {
		for _, f := range c {
			bad := func(c int) bool { return c < 0 || c >= dx }
			if slices.ContainsFunc(f.Columns, bad) || sound(lengthOf{f.Zeros, len(f.Columns)}) != nil {
				return errDamaged
			}
		}
	}
	return nil
}
