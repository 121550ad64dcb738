package datasets

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets/rows"
	"github.com/acqnp/acqnp/internal/points"
)

// ownScaling learns the scaling that data.scale asks for, and the names of categories. column(c)
// returns the training part of column c of [x, y]. It settles the columns.
func ownScaling(d config.Data, read *rows.Training, column func(c int) []float64) (Scaling, error) {
	dx, all := len(d.XColumns), len(d.XColumns)+len(d.YColumns)
	forms, offset, scale := make([]rows.Form, all), make([]float64, all), make([]float64, all)
	for i := range all {
		training := column(i)
		// Rounding of the mean can give a constant column a tiny deviation, so compare the values.
		if d.Scale != "none" && floats.Min(training) == floats.Max(training) {
			return Scaling{}, read.Constant(i, training[0])
		}
		forms[i] = read.Settle(i, training)
		v := column(i) // Settle may have changed it
		for k := range v {
			v[k] = forms[i].Transform(v[k])
		}
		if offset[i], scale[i] = learned(d.Scale, forms[i], v); !(scale[i] > 0) {
			return Scaling{}, read.Constant(i, training[0])
		}
	}
	s := Scaling{XOffset: offset[:dx:dx], XScale: scale[:dx:dx], YOffset: offset[dx:], YScale: scale[dx:]}
	if !rows.SameForms(forms, nil) {
		s.XForms, s.YForms = forms[:dx:dx], forms[dx:]
	}
	return s, nil
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
func (s Scaling) tooFar(p points.Points, x, y []float32) (raw float64, found bool) {
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
