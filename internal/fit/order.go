package fit

import (
	"cmp"
	"math"
	"slices"

	"github.com/acqnp/acqnp/internal/datasets/rows"
)

// order puts columns, groups and the rows of each in an order that follows from their numbers, so that folds, questions and
// samples do not depend on where a row or a column stands in a file or a formula, on the names of columns and groups, or on
// units: columns by their skewness, names and offsets after numbers, and values from the end from which their column is
// skewed.
func (f *Fitted) order(points []rows.Group) {
	x, y := keysOf(f.X, points, func(g rows.Group) []float64 { return g.X }), f.keysOfY(points)
	f.Order = places(x)
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
	if points[0].Weights != nil {
		keys = append(keys, key{width: 1, sign: 1, of: func(g rows.Group) []float64 { return g.Weights }})
	}
	for i := range points {
		orderRows(&points[i], keys)
	}
	slices.SortStableFunc(points, func(a, b rows.Group) int {
		for i := range min(a.N, b.N) {
			if order := compareRows(keys, a, i, b, i); order != 0 {
				return order
			}
		}
		return cmp.Or(cmp.Compare(a.N, b.N), cmp.Compare(a.Name, b.Name))
	})
}

// A key is a column by which rows are compared.
type key struct {
	at, width int
	name      string
	sign      float64 // 1 for the least first, −1 for the greatest
	skewness  float64 // without its sign, to six digits behind the point
	of        func(g rows.Group) []float64
}

// keysOfY returns the columns of y as keys, in order.
func (f Fitted) keysOfY(points []rows.Group) []key {
	return keysOf(f.Y, points, func(g rows.Group) []float64 { return g.Y })
}

// keysOf returns the columns as keys, in order.
func keysOf(names []string, points []rows.Group, of func(g rows.Group) []float64) []key {
	keys := make([]key, len(names))
	for c, name := range names {
		keys[c] = key{at: c, width: len(names), name: name, of: of}.directed(points)
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
func (k key) directed(points []rows.Group) key {
	var sum, n, cubes, squares float64
	each := func(do func(v float64)) {
		for _, p := range points {
			all := k.of(p)
			for i := k.at; i < len(all); i += k.width {
				if !math.IsNaN(all[i]) {
					do(all[i])
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
func compareRows(keys []key, a rows.Group, i int, b rows.Group, j int) int {
	for _, k := range keys {
		if order := cmp.Compare(k.sign*k.of(a)[i*k.width+k.at], k.sign*k.of(b)[j*k.width+k.at]); order != 0 {
			return order
		}
	}
	return 0
}

// orderRows puts the rows of a group in order.
func orderRows(g *rows.Group, keys []key) {
	at := make([]int, g.N)
	for i := range at {
		at[i] = i
	}
	slices.SortStableFunc(at, func(a, b int) int { return compareRows(keys, *g, a, *g, b) })
	dx, dy := len(g.X)/max(1, g.N), len(g.Y)/max(1, g.N)
	g.X, g.Y = taken(g.X, at, dx), taken(g.Y, at, dy)
	if g.Weights != nil {
		g.Weights = taken(g.Weights, at, 1)
	}
}

// taken returns some rows of a width.
func taken(all []float64, at []int, width int) []float64 {
	some := make([]float64, 0, len(all))
	for _, i := range at {
		some = append(some, all[i*width:][:width]...)
	}
	return some
}
