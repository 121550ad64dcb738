package own

import (
	"iter"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/datasets/rows"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/points"
)

// learn returns the scaling that data.scale asks for, learned from the training part. It gives the numbers of all groups
// their meaning: names of the training part, days since the first, shifted logarithms.
func (s *source) learn(read rows.Table) (datasets.Scaling, error) {
	how, dx := s.e.Data.Scale, len(s.e.Data.XColumns)
	offset, scale := make([]float64, len(read.Forms)), make([]float64, len(read.Forms))
	for c := range read.Forms {
		form, training := &read.Forms[c], s.trainingColumn(read, c)
		constant := &invalid.Input{File: read.File(), Key: slices.Concat(s.e.Data.XColumns, s.e.Data.YColumns)[c],
			Found: form.Text(training[0]) + " in every row of the training part", Expected: "values that differ (leave the column out, or set data.scale: none)"}
		// Rounding of the mean can give a constant column a tiny deviation, so compare the values.
		if how != "none" && floats.Min(training) == floats.Max(training) {
			return datasets.Scaling{}, constant
		}
		settle(form, training, column(read, c), c < dx)
		training = s.trainingColumn(read, c)
		for k := range training {
			training[k] = form.Transform(training[k])
		}
		if offset[c], scale[c] = learned(how, *form, training); !(scale[c] > 0) {
			return datasets.Scaling{}, constant
		}
	}
	of := datasets.Scaling{XOffset: offset[:dx:dx], XScale: scale[:dx:dx], YOffset: offset[dx:], YScale: scale[dx:]}
	if !rows.SameForms(read.Forms, nil) {
		of.XForms, of.YForms = read.Forms[:dx:dx], read.Forms[dx:]
	}
	return of, nil
}

// column goes through the numbers of column c of [x, y], of all groups.
func column(read rows.Table, c int) iter.Seq[*float64] {
	return func(yield func(*float64) bool) {
		for _, g := range read.Groups {
			for k := range g.Len() {
				if !yield(at(g, k, c)) {
					return
				}
			}
		}
	}
}

// at returns the number of column c of [x, y] of a point.
func at(g points.Group, k, c int) *float64 {
	if c < g.DX {
		return &g.Row(k)[c]
	}
	return &g.RowY(k)[c-g.DX]
}

// trainingColumn returns the training part of column c of [x, y].
func (s *source) trainingColumn(read rows.Table, c int) (column []float64) {
	for i, g := range read.Groups {
		for k := range s.spans[i].train {
			if s.order[i] != nil {
				k = s.order[i][k]
			}
			column = append(column, *at(g, k, c))
		}
	}
	return column
}

// settle changes all numbers of a column, and its form, to what they are for the model. A name that the training part
// lacks is an unknown one. Dates count from the first day of all. The logarithm of an x with a 0 gets a shift.
func settle(f *rows.Form, training []float64, all iter.Seq[*float64], isX bool) {
	least := math.Inf(1)
	for v := range all {
		least = min(least, *v)
	}
	switch {
	case f.Categories != nil:
		var numbers []float64
		*f, numbers = f.Used(training)
		for v := range all {
			*v = numbers[int(*v)]
		}
	case f.Origin != "":
		first := math.Floor(least)
		f.Origin = f.Text(first)
		for v := range all {
			*v -= first
		}
	case f.Log && isX && least == 0:
		f.Shift = 1 // if no number is above 0
		if positive := slices.DeleteFunc(training, func(v float64) bool { return v <= 0 }); len(positive) > 0 {
			f.Shift = slices.Min(positive)
		}
	}
}

// learned returns the offset and the scale of a column of the training part.
func learned(how string, f rows.Form, v []float64) (offset, scale float64) {
	switch {
	case f.Categories != nil || how == "none":
		return 0, 1
	case how == "range":
		return floats.Min(v), floats.Max(v) - floats.Min(v)
	}
	return stat.PopMeanStdDev(v, nil)
}

// tooFar returns the first raw number of p that the scaling has made infinite in the model's x or y,
// and whether there is one.
func tooFar(s datasets.Scaling, p points.Points, x, y []float32) (raw float64, found bool) {
	infinite := func(v float32) bool { return math.IsInf(float64(v), 0) }
	if !slices.ContainsFunc(x, infinite) && !slices.ContainsFunc(y, infinite) {
		return 0, false
	}
	for i, v := range p.X {
		c := i % len(s.XScale)
		if slices.ContainsFunc(rows.FormAt(s.XForms, c).AppendModel(nil, v, s.XOffset[c], s.XScale[c]), infinite) {
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
