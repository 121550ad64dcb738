package fit

import (
	"cmp"
	"math"
	"slices"

	"github.com/acqnp/acqnp/internal/datasets/rows"
)

// order puts groups in the order of their names, and the rows of each in the order of their numbers, so that folds, questions
// and samples follow from the data and not from where a row stands in a file. Columns are compared in the order of
// their names, names and offsets after numbers, and each from the end from which it is skewed: other units of a column, also
// with another sign, or names that are spelt in another way change no order.
func (f Fitted) order(points []rows.Group) {
	slices.SortStableFunc(points, func(a, b rows.Group) int { return cmp.Compare(a.Name, b.Name) })
	var keys, last []key
	for _, c := range byName(f.X) {
		k := key{at: c, width: len(f.X), of: func(g rows.Group) []float64 { return g.X }}.directed(points)
		if f.XForms[c].OffsetOnly || f.XForms[c].Categories != nil {
			last = append(last, k)
		} else {
			keys = append(keys, k)
		}
	}
	for _, c := range byName(f.Y) {
		keys = append(keys, key{at: c, width: len(f.Y), of: func(g rows.Group) []float64 { return g.Y }}.directed(points))
	}
	keys = append(keys, last...)
	if points[0].Weights != nil {
		keys = append(keys, key{width: 1, sign: 1, of: func(g rows.Group) []float64 { return g.Weights }})
	}
	for i := range points {
		orderRows(&points[i], keys)
	}
}

// A key is a column by which rows are compared.
type key struct {
	at, width int
	sign      float64 // 1 for the least first, −1 for the greatest
	of        func(g rows.Group) []float64
}

// directed returns the key with the sign of the column's skewness, 1 if it has none.
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
	const none = 1e-6 // of a column that is symmetric but for rounding
	if k.sign = 1; cubes/n < -none*math.Pow(squares/n, 1.5) {
		k.sign = -1
	}
	return k
}

// orderRows puts the rows of a group in order.
func orderRows(g *rows.Group, keys []key) {
	at := make([]int, g.N)
	for i := range at {
		at[i] = i
	}
	slices.SortStableFunc(at, func(a, b int) int {
		for _, k := range keys {
			all := k.of(*g)
			if order := cmp.Compare(k.sign*all[a*k.width+k.at], k.sign*all[b*k.width+k.at]); order != 0 {
				return order
			}
		}
		return 0
	})
	dx, dy := len(g.X)/max(1, g.N), len(g.Y)/max(1, g.N)
	g.X, g.Y = taken(g.X, at, dx), taken(g.Y, at, dy)
	if g.Weights != nil {
		g.Weights = taken(g.Weights, at, 1)
	}
}

// byName returns the places of columns in the order of their names.
func byName(columns []string) []int {
	at := make([]int, len(columns))
	for i := range at {
		at[i] = i
	}
	slices.SortFunc(at, func(a, b int) int { return cmp.Compare(columns[a], columns[b]) })
	return at
}

// taken returns some rows of a width.
func taken(all []float64, at []int, width int) []float64 {
	some := make([]float64, 0, len(all))
	for _, i := range at {
		some = append(some, all[i*width:][:width]...)
	}
	return some
}
