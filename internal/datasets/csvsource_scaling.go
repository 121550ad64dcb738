package datasets

import (
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/invalid"
)

// csvScaling learns the scaling that data.scale asks for, and the names of categories. column(c)
// returns the training part of column c of [x, y]. It changes the indices of names in the functions
// to those of the scaling, and dates to the days since its origins.
func csvScaling(d config.Data, functions []csvFunction, read *cells, column func(c int) []float64) (Scaling, error) {
	dx, readers := len(read.x), slices.Concat(read.x, read.y)
	forms := make([]Form, len(readers))
	offset, scale := make([]float64, len(readers)), make([]float64, len(readers))
	for i, r := range readers {
		training := column(i)
		// Rounding of the mean can give a constant column a tiny deviation, so compare the values.
		if d.Scale != "none" && floats.Min(training) == floats.Max(training) {
			return Scaling{}, constant(functions[0].path, r, training[0])
		}
		forms[i] = r.settle(functions, i, dx, training)
		v := column(i) // settle may have changed it
		for k := range v {
			v[k] = forms[i].transform(v[k])
		}
		if offset[i], scale[i] = learned(d.Scale, forms[i], v); !(scale[i] > 0) {
			return Scaling{}, constant(functions[0].path, r, training[0])
		}
	}
	s := Scaling{XOffset: offset[:dx:dx], XScale: scale[:dx:dx], YOffset: offset[dx:], YScale: scale[dx:]}
	if !SameForms(forms, nil) {
		s.XForms, s.YForms = forms[:dx:dx], forms[dx:]
	}
	return s, nil
}

// learned returns the offset and the scale of a column of the training part.
func learned(how string, f Form, v []float64) (offset, scale float64) {
	switch {
	case f.Categories != nil || how == "none":
		return 0, 1
	case how == "range":
		return floats.Min(v), floats.Max(v) - floats.Min(v)
	}
	return stat.PopMeanStdDev(v, nil)
}

// constant returns the error about a column with one value v.
func constant(path string, r *cellReader, v float64) error {
	found := r.form(unixEpoch).Text(v)
	return &invalid.Input{File: path, Key: r.name, Found: found + " in every row of the training part",
		Expected: "values that differ (leave the column out, or set data.scale: none)"}
}

// unixEpoch is the origin of dates while the training file is read.
const unixEpoch = "1970-01-01"

// settle changes the numbers of column i of [x, y] to their final meaning and returns its form.
// Names get the indices of the sorted names of the training part; names that it lacks follow. Dates
// count from the first day of the file. A logarithm of numbers with a 0 gets its shift.
func (r *cellReader) settle(functions []csvFunction, i, dx int, training []float64) Form {
	switch r.kind {
	case nameKind:
		format := ""
		if !slices.ContainsFunc(r.names, func(name string) bool { return !isBool(name) }) {
			format, r.names = Boolean, mapped(r.names, strings.ToLower)
		}
		names, number := r.sorted(training)
		change(functions, i, dx, func(v float64) float64 { return float64(number[int(v)]) })
		return Form{Categories: names, Format: format}
	case dateKind:
		first := math.Inf(1)
		change(functions, i, dx, func(v float64) float64 { first = min(first, v); return v })
		first = math.Floor(first)
		change(functions, i, dx, func(v float64) float64 { return v - first })
		return Form{Origin: dateText(0, first), Format: r.format}
	}
	f, zero := r.form(""), false
	if r.log && r.zero {
		change(functions, i, dx, func(v float64) float64 { zero = zero || v == 0; return v })
	}
	if zero {
		f.Shift = leastPositive(training)
	}
	return f
}

// leastPositive returns the least number above 0, or 1 if there is none.
func leastPositive(v []float64) float64 {
	least := math.Inf(1)
	for _, v := range v {
		if v > 0 {
			least = min(least, v)
		}
	}
	if math.IsInf(least, 1) {
		return 1
	}
	return least
}

// sorted returns the sorted names of the training part, and the number of each name that was read.
func (r *cellReader) sorted(training []float64) (names []string, number []int) {
	seen := make([]bool, len(r.names))
	for _, v := range training {
		seen[int(v)] = true
	}
	for i, name := range r.names {
		if seen[i] {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	number = make([]int, len(r.names))
	for i, name := range r.names {
		var known bool
		if number[i], known = slices.BinarySearch(names, name); !known {
			number[i] = len(names)
		}
	}
	return names, number
}

// change replaces column i of [x, y] of all functions by f of it. dx is the number of columns of x.
func change(functions []csvFunction, i, dx int, f func(v float64) float64) {
	for _, g := range functions {
		values, width, at := g.X, dx, i
		if i >= dx {
			values, width, at = g.Y, len(g.Y)/g.N, i-dx
		}
		for k := at; k < len(values); k += width {
			values[k] = f(values[k])
		}
	}
}

// tooFar returns the first raw number of p that the scaling has made infinite in the model's x or y,
// and whether there is one.
func (s Scaling) tooFar(p Points, x, y []float32) (raw float64, found bool) {
	infinite := func(v float32) bool { return math.IsInf(float64(v), 0) }
	if !slices.ContainsFunc(x, infinite) && !slices.ContainsFunc(y, infinite) {
		return 0, false
	}
	for i, v := range p.X {
		c := i % len(s.XScale)
		if slices.ContainsFunc(FormAt(s.XForms, c).appendModel(nil, v, s.XOffset[c], s.XScale[c]), infinite) {
			return v, true
		}
	}
	for i, v := range s.ModelY(p.Y) {
		if infinite(v) {
			return p.Y[i], true
		}
	}
	return 0, false
}
