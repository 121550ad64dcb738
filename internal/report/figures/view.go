package figures

import (
	"fmt"
	"slices"
	"strings"

	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/run"
)

// A kind is what a figure of predictions looks like.
type kind int

const (
	curves    kind = iota // the density over x
	maps                  // its median and width over two columns of x
	intervals             // intervals by their medians
)

// A view says which columns of x a figure of predictions shows.
type view struct {
	kind
	axes    []int // the columns of x along the axes, if the kind has them; the others are fixed for a subject
	trained predict.Trained
	units   run.Units // of trained
}

// viewOf returns the view of subjects. A column that is the same at all points of each subject needs no
// axis.
func viewOf(t predict.Trained, subjects []Subject) view {
	u := t.Units
	v := view{intervals, nil, t, u}
	for c := range u.XNames {
		if slices.ContainsFunc(subjects, func(s Subject) bool { lo, hi := extremes(v.column(s.all(), c)); return lo < hi }) {
			v.axes = append(v.axes, c)
		}
	}
	if len(v.axes) == 0 { // as where nothing is known but one target
		for c := range u.XNames {
			v.axes = append(v.axes, c)
		}
	}
	named := slices.ContainsFunc(v.axes, func(c int) bool { return v.form(c).Categories != nil })
	switch n := len(v.axes); {
	case n == 1:
		v.kind = curves
	case n == 2 && !named:
		v.kind = maps
	}
	return v
}

// axis returns the axis of a number: 0 is the horizontal one.
func (v view) axis(i int) Axis { return axisOf(v.trained, v.axes[i]) }

// form returns what the numbers of column c of x stand for.
func (v view) form(c int) datasets.Form { return datasets.FormAt(v.units.Scaling.XForms, c) }

// all returns the x [N, columns of x] of the context and of the targets.
func (s Subject) all() []float64 { return slices.Concat(s.ContextX, s.TargetX) }

// first returns the x [columns of x] of the subject's first point, or nil if it has none.
func (v view) first(s Subject) []float64 {
	x := s.ContextX
	if len(x) == 0 {
		x = s.TargetX
	}
	return x[:min(len(v.units.XNames), len(x))]
}

// column returns column c of x [N, columns of x].
func (v view) column(x []float64, c int) []float64 {
	dx := len(v.units.XNames)
	column := make([]float64, len(x)/dx)
	for i := range column {
		column[i] = x[i*dx+c]
	}
	return column
}

// along returns the numbers along axis i of x [N, columns of x].
func (v view) along(x []float64, i int) []float64 { return v.column(x, v.axes[i]) }

// point appends the subject's first point to x, moved to the given numbers along the axes.
func (v view) point(x []float64, s Subject, at ...float64) []float64 {
	first := v.first(s)
	x = append(x, first...)
	for i, a := range at {
		x[len(x)-len(first)+v.axes[i]] = a
	}
	return x
}

// title returns a subject's name and its numbers in the columns that have no axis.
func (v view) title(s Subject) string {
	var parts []string
	if s.Name != "" {
		parts = append(parts, s.Name)
	}
	for c, number := range v.first(s) {
		if !slices.Contains(v.axes, c) {
			parts = append(parts, v.units.XNames[c]+" "+v.text(c, number))
		}
	}
	return strings.Join(parts, ", ")
}

// text returns a number of a column of x as a title has it.
func (v view) text(c int, number float64) string {
	if f := v.form(c); f.Categories != nil || f.Origin != "" {
		return f.Text(number)
	}
	return fmt.Sprintf("%.4g", number)
}
