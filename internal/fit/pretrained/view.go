package pretrained

import (
	"cmp"
	"math"
	"slices"

	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/points"
)

// A view is how the network sees a data set: which column of x is which of its own, and the units.
type view struct {
	columns []column // of the network
	y       datasets.Standard
}

// A column of the network is a column of x, standardised; none if from is negative.
type column struct {
	from int
	datasets.Standard
}

// viewOf returns the view of siblings, in which x is reflected if sign is −1. Columns that vary within groups have the network's first columns,
// those that are constant in each group the others. If there are more of one sort than it has, they take
// places of the other; of all together, those that go with y most closely remain.
func viewOf(groups []points.Group, sign float64) view {
	v := view{columns: make([]column, datasets.Varying+datasets.Constant)}
	for i := range v.columns {
		v.columns[i].from = -1
	}
	var y []float64
	for _, g := range groups {
		y = append(y, g.Y...)
	}
	v.y = datasets.StandardOf(y)
	kept := closest(groups, y)
	var varying, constant []int
	for _, c := range kept {
		if varies(groups, c) {
			varying = append(varying, c)
		} else {
			constant = append(constant, c)
		}
	}
	if n := len(varying) - datasets.Varying; n > 0 {
		varying, constant = varying[:datasets.Varying], append(constant, varying[datasets.Varying:]...)
	} else if n := len(constant) - datasets.Constant; n > 0 {
		constant, varying = constant[:datasets.Constant], append(varying, constant[datasets.Constant:]...)
	}
	see := func(c int) column {
		s := datasets.StandardOf(valuesOf(groups, c))
		s.Deviation *= sign
		return column{c, s}
	}
	for i, c := range varying {
		v.columns[i] = see(c)
	}
	for i, c := range constant {
		v.columns[datasets.Varying+i] = see(c)
	}
	return v
}

// closest returns the columns of x that the network can take: all, or those that are correlated with y most
// closely, in their order.
func closest(groups []points.Group, y []float64) []int {
	dx := groups[0].DX
	all, of := make([]int, dx), make([]float64, dx)
	my := datasets.StandardOf(y)
	for c := range all {
		all[c] = c
		x := valuesOf(groups, c)
		mx := datasets.StandardOf(x)
		for i, v := range x {
			of[c] += mx.Of(v) * my.Of(y[i])
		}
	}
	if most := datasets.Varying + datasets.Constant; dx > most {
		slices.SortStableFunc(all, func(a, b int) int { return cmp.Compare(math.Abs(of[b]), math.Abs(of[a])) })
		all = all[:most]
		slices.Sort(all)
	}
	return all
}

// valuesOf returns column c of all rows.
func valuesOf(groups []points.Group, c int) (values []float64) {
	for _, g := range groups {
		values = append(values, g.Column(c)...)
	}
	return values
}

// varies reports whether column c differs within a group. In groups of one row each, every column counts as
// one that does.
func varies(groups []points.Group, c int) bool {
	single := true
	for _, g := range groups {
		single = single && g.Len() == 1
		if slices.ContainsFunc(g.Column(c), func(v float64) bool { return v != g.X[c] }) {
			return true
		}
	}
	return single
}

// appendX appends what the network sees of a row of x.
func (v view) appendX(dst []float32, x []float64) []float32 {
	for _, c := range v.columns {
		if c.from < 0 {
			dst = append(dst, 0)
		} else {
			dst = append(dst, c.X(x[c.from]))
		}
	}
	return dst
}

// units returns the units of its predictions.
func (v view) units() likelihood.Units {
	return likelihood.Units{Factor: v.y.Deviation, Offset: v.y.Mean}
}
