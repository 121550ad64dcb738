package figures

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/acqnp/acqnp/internal/datasets/rows"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/run"
)

// A view says which columns of x a figure of predictions shows. Over one column it shows the density or bars, over two
// maps of its median and width.
type view struct {
	axes   []int // the columns of x along the axes
	barred bool  // points of a subject differ in columns without an axis
	about  predict.About
	units  run.Units // of about
	log    []bool    // columns of x with a log axis
}

// viewOf returns the view of subjects. A column that is the same at all points of each subject needs no
// axis. Two columns of numbers make a map. Of more columns, and of names among two, the first column of
// numbers that varies among targets has the axis.
func viewOf(a predict.About, subjects []Subject, log []bool) view {
	v := view{about: a, units: a.Units, log: log}
	vary := v.varying(subjects, Subject.all)
	several := len(vary) > 1
	if len(vary) == 0 { // as where nothing is known but one target
		for c := range a.Units.XNames {
			vary = append(vary, c)
		}
	}
	named := func(c int) bool { return v.form(c).Categories != nil }
	if len(vary) == 2 && !slices.ContainsFunc(vary, named) {
		v.axes = vary
		return v
	}
	v.barred = several
	along := slices.Concat(v.varying(subjects, func(s Subject) points.Points { return s.Targets }), vary)
	along = slices.Concat(slices.DeleteFunc(slices.Clone(along), named), along)
	v.axes = along[:1]
	return v
}

// maps reports whether the figure has maps.
func (v view) maps() bool { return len(v.axes) == 2 }

// varying returns the columns of x that differ among the points of a subject.
func (v view) varying(subjects []Subject, of func(Subject) points.Points) (columns []int) {
	for c := range v.units.XNames {
		if slices.ContainsFunc(subjects, func(s Subject) bool { lo, hi := extremes(of(s).Column(c)); return lo < hi }) {
			columns = append(columns, c)
		}
	}
	return columns
}

// axis returns the axis of a number: 0 is the horizontal one.
func (v view) axis(i int) Axis {
	a, c := AxisOf(v.about, v.axes[i]), v.axes[i]
	a.Log = a.Log || c < len(v.log) && v.log[c]
	return a
}

// form returns what the numbers of column c of x stand for.
func (v view) form(c int) rows.Form { return rows.FormAt(v.units.Scaling.XForms, c) }

// all returns the x of the context and of the targets.
func (s Subject) all() points.Points {
	return points.New(max(s.Known.DX, s.Targets.DX), 0, slices.Concat(s.Known.X, s.Targets.X), nil)
}

// shown returns the numbers along axis i that a picture of a subject covers: those of its points, or of
// all subjects' points where its own do not differ, as of a single known point.
func (v view) shown(s Subject, subjects []Subject, i int) []float64 {
	own := v.along(s.all(), i)
	if lo, hi := extremes(own); lo == hi {
		for _, other := range subjects {
			own = append(own, v.along(other.all(), i)...)
		}
	}
	return own
}

// fixed returns the x [columns of x] of one of the subject's points: where the columns without an axis are fixed. It is
// nil without points.
func (s Subject) fixed() []float64 {
	if all := s.all(); all.Len() > 0 {
		return all.Row(0)
	}
	return nil
}

// along returns the numbers along axis i of points.
func (v view) along(p points.Points, i int) (places []float64) {
	for k := range p.Len() {
		places = append(places, v.place(p.Row(k), i))
	}
	return places
}

// place returns the number along axis i of an x, NaN if it has no place on a log axis.
func (v view) place(x []float64, i int) float64 {
	if v.axis(i).Log && x[v.axes[i]] <= 0 {
		return math.NaN()
	}
	return x[v.axes[i]]
}

// at appends to x [N, columns of x] the point fixed, moved to the given numbers along the axes.
func (v view) at(x, fixed []float64, along ...float64) []float64 {
	x = append(x, fixed...)
	for i, a := range along {
		x[len(x)-len(fixed)+v.axes[i]] = a
	}
	return x
}

// title returns a subject's name and the numbers at which columns without an axis are fixed.
func (v view) title(s Subject) string {
	var parts []string
	if s.Name != "" {
		parts = append(parts, s.Name)
	}
	for c, number := range s.fixed() {
		if !v.barred && !slices.Contains(v.axes, c) {
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
	if scale := v.units.Scaling.XScale; c < len(scale) && math.Abs(number) < 1e-6*math.Abs(scale[c]) {
		number = 0 // of which batches in float32 leave such a rest
	}
	return fmt.Sprintf("%.4g", number)
}
