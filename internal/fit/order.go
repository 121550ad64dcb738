package fit

import (
	"cmp"
	"math"
	"slices"

	"github.com/acqnp/acqnp/internal/points"
)

// order puts columns, groups and the rows of each in an order that follows from their numbers, so that folds, questions and
// samples do not depend on where a row or a column stands in a file or a formula, on the names of columns and groups, or on
// units: columns by their skewness, names and offsets after numbers, and values from the end from which their column is
// skewed. It numbers the rows.
func (f *fitting) order() {
	groups := f.groups
	x, y := keysOf(f.X, groups, points.Points.Row), f.keysOfY()
	f.Order = places(x)
	if at := slices.Index(f.Order, f.CrossedAt()); at >= 0 { // it is the last, where models see its codes
		f.Order = append(slices.Delete(f.Order, at, at+1), f.CrossedAt())
	}
	isLast := func(k key) bool { return f.XForms[k.at].OffsetOnly || f.XForms[k.at].Categories != nil }
	var keys, last []key
	for _, k := range x {
		if isLast(k) {
			last = append(last, k)
		} else {
			keys = append(keys, k)
		}
	}
	keys = slices.Concat(keys, y, last)
	if slices.ContainsFunc(groups, func(g points.Group) bool { return g.Censored != nil }) {
		for _, k := range y {
			keys = append(keys, key{sign: k.sign, of: func(p points.Points, i int) []float64 { return []float64{float64(p.Limit(i, k.at))} }})
		}
	}
	if groups[0].Weights != nil {
		keys = append(keys, key{sign: 1, of: func(p points.Points, i int) []float64 { return p.Weights[i:] }})
	}
	for i := range groups {
		g := &groups[i].Points
		at := points.Spread(g.Len(), g.Len())
		slices.SortStableFunc(at, func(a, b int) int { return compareRows(keys, *g, a, *g, b) })
		*g = g.Take(at)
	}
	slices.SortStableFunc(groups, func(a, b points.Group) int {
		for i := range min(a.Len(), b.Len()) {
			if order := compareRows(keys, a.Points, i, b.Points, i); order != 0 {
				return order
			}
		}
		return cmp.Or(cmp.Compare(a.Len(), b.Len()), cmp.Compare(a.Name, b.Name))
	})
	row := 0
	for i := range groups {
		for range groups[i].Len() {
			groups[i].Rows = append(groups[i].Rows, row)
			row++
		}
	}
}

// A key is a column by which rows are compared.
type key struct {
	at       int // of the row that of returns
	name     string
	sign     float64 // 1 for the least first, −1 for the greatest
	skewness float64 // without its sign, to six digits behind the point
	of       func(p points.Points, i int) []float64
}

// keysOfY returns the columns of y as keys, in order.
func (f *fitting) keysOfY() []key {
	return keysOf(f.Y, f.groups, points.Points.RowY)
}

// keysOf returns the columns as keys, in order.
func keysOf(names []string, groups []points.Group, of func(p points.Points, i int) []float64) []key {
	keys := make([]key, len(names))
	for c, name := range names {
		keys[c] = key{at: c, name: name, of: of}.directed(groups)
	}
	slices.SortFunc(keys, func(a, b key) int { return cmp.Or(cmp.Compare(b.skewness, a.skewness), cmp.Compare(a.name, b.name)) })
	return keys
}

// places returns the columns of keys.
func places(keys []key) (all []int) {
	for _, k := range keys {
		all = append(all, k.at)
	}
	return all
}

// directed returns the key with the skewness of its column.
func (k key) directed(groups []points.Group) key {
	var sum, n, cubes, squares float64
	each := func(do func(v float64)) {
		for _, p := range groups {
			for i := range p.Len() {
				if v := k.of(p.Points, i)[k.at]; !math.IsNaN(v) {
					do(v)
				}
			}
		}
	}
	each(func(v float64) { sum, n = sum+v, n+1 })
	each(func(v float64) {
		d := v - sum/n
		squares, cubes = squares+d*d, cubes+d*d*d
	})
	const digits = 1e6
	skewness := math.Round(digits*(cubes/n)/math.Pow(squares/n, 1.5)) / digits
	if math.IsNaN(skewness) || math.IsInf(skewness, 0) {
		skewness = 0 // of a constant
	}
	k.skewness, k.sign = math.Abs(skewness), 1
	if skewness < 0 {
		k.sign = -1
	}
	return k
}

// compareRows compares row i of a with row j of b.
func compareRows(keys []key, a points.Points, i int, b points.Points, j int) int {
	for _, k := range keys {
		if order := cmp.Compare(k.sign*k.of(a, i)[k.at], k.sign*k.of(b, j)[k.at]); order != 0 {
			return order
		}
	}
	return 0
}
