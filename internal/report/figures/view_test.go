package figures_test

import (
	"slices"
	"testing"

	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/report/figures"
	"github.com/acqnp/acqnp/internal/test/must"
)

// fixed returns the subject with one number in a column of x.
func fixed(s figures.Subject, dx, column int, number float64) figures.Subject {
	s.Known.X, s.Targets.X = slices.Clone(s.Known.X), slices.Clone(s.Targets.X)
	for _, x := range [][]float64{s.Known.X, s.Targets.X} {
		for i := column; i < len(x); i += dx {
			x[i] = number
		}
	}
	s.Held.X = s.Targets.X
	return s
}

// A column that is the same at all points of a group, such as the sex of a patient, has no axis. Its
// number is in the title, and the model is asked with it.
func TestColumnsThatAreFixedHaveNoAxis(t *testing.T) {
	o, s := columns(t, 3, false)
	s = fixed(s, 3, 1, 7)
	subjects := []figures.Subject{fixed(s, 3, 2, 0.12345), fixed(s, 3, 2, -2)}
	figure, err := figures.NewPrediction(t.Context(), o, subjects, figures.Options{Levels: []float64{0.5}})
	fit, ok := figure.(figures.FitPlot)
	if err != nil || !ok {
		t.Fatalf("error %v, a %T", err, figure)
	}
	if fit.X.Name != "a" || fit.Panels[0].Title != "field, b 7, c 0.1235" || fit.Panels[1].Title != "field, b 7, c -2" {
		t.Errorf("%q: panels %q and %q", fit.X.Name, fit.Panels[0].Title, fit.Panels[1].Title)
	}
	for i, p := range fit.Panels {
		if p.Context[1].X != s.Known.X[3] || p.Context[1].Y != 2 || p.Targets[5].X != s.Targets.X[15] {
			t.Errorf("panel %d has the context %v", i, p.Context)
		}
		f, last := subjects[i].Question, p.Grid[len(p.Grid)-1]
		f.Targets.X = []float64{last.X, 7, f.Known.X[2]}
		o.Levels = predict.GridLevels
		for target, err := range o.Predict(t.Context(), []points.Question{f}) {
			if want := target.Channels[0].Quantile(0.5); err != nil || last.X != 2 || last.Density.Quantile(0.5) != want {
				t.Errorf("error %v, median %v at %v, want %v at 2", err, last.Density.Quantile(0.5), last.X, want)
			}
		}
	}
}

func TestAxesAreTheColumnsThatVary(t *testing.T) {
	three, s := columns(t, 3, false)
	names, n := columns(t, 2, true)
	for name, c := range map[string]struct {
		o        predict.Trained
		subjects []figures.Subject
		want     string
	}{
		"the first is fixed":   {three, []figures.Subject{fixed(s, 3, 0, 1)}, "map of b, c: field, a 1"},
		"fixed in one alone":   {three, []figures.Subject{fixed(s, 3, 0, 1), fixed(s, 3, 1, 1)}, "curves of a: field"},
		"a fixed name":         {names, []figures.Subject{fixed(n, 2, 1, 2)}, "curves of a: field, b c"},
		"an unknown name":      {names, []figures.Subject{fixed(n, 2, 1, 3)}, "curves of a: field, b 3"},
		"names alone":          {names, []figures.Subject{fixed(n, 2, 0, 0.5)}, "curves of b: field, a 0.5"},
		"nothing varies":       {three, []figures.Subject{fixed(fixed(fixed(s, 3, 0, 1), 3, 1, 1), 3, 2, 1)}, "curves of a: field, b 1, c 1"},
		"a rest of float32":    {three, []figures.Subject{fixed(fixed(s, 3, 0, 1), 3, 1, 3e-7)}, "curves of c: field, a 1, b 0"},
		"no name, first fixed": {three, []figures.Subject{unnamed(fixed(s, 3, 0, 1))}, "map of b, c: a 1"},
	} {
		figure, err := figures.NewPrediction(t.Context(), c.o, c.subjects, figures.Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		must.Same(t, c.want, described(figure), name)
		save(t, figure, "axes.png")
	}
}

func unnamed(s figures.Subject) figures.Subject {
	s.Name = ""
	return s
}

// described returns the kind of a figure, its axes and the title of its first panel.
func described(figure figures.Figure) string {
	switch f := figure.(type) {
	case figures.FitPlot:
		return "curves of " + f.X.Name + ": " + f.Panels[0].Title
	case figures.MapPlot:
		return "map of " + f.X.Name + ", " + f.Y.Name + ": " + f.Rows[0].Title
	}
	return ""
}

// Where more than two columns vary, no curve goes through the known points: bars over the first column that varies among
// the targets are the predictions at some of them, and nothing is fixed.
func TestMoreColumnsHaveBarsAtTheTargets(t *testing.T) {
	o, s := columns(t, 4, true) // the last column has names
	s.Known.X, s.Known.Y = []float64{1, 0, 7, 2, 5, 2, 9, 1, 6, 1, 8, 2}, []float64{1, 2, 3}
	s = fixed(s, 4, 0, 1)
	figure := must.Get(figures.NewPrediction(t.Context(), o, []figures.Subject{s}, figures.Options{Levels: []float64{0.5}}))(t)
	if got := described(figure); got != "curves of b: field" { // b of the targets is 0, 1 or 2
		t.Error(got)
	}
	p := figure.(figures.FitPlot).Panels[0]
	if len(p.Grid) > 0 || len(p.Bars) < 40 || len(p.Bars) > 100 {
		t.Fatalf("a grid of %d, %d bars of 400 targets", len(p.Grid), len(p.Bars))
	}
	f := s.Question
	f.Targets.X = s.Targets.X[:4] // the first target
	o.Levels = predict.GridLevels
	for target, err := range o.Predict(t.Context(), []points.Question{f}) {
		if err != nil {
			t.Fatal(err)
		}
		d, b := target.Channels[0], p.Bars[0]
		if want := [5]float64{d.Quantile(0.05), d.Quantile(0.25), d.Quantile(0.5), d.Quantile(0.75), d.Quantile(0.95)}; b.X != s.Targets.X[1] || b.Quantiles != want {
			t.Errorf("a bar %+v, want %v at %v", b, want, s.Targets.X[1])
		}
	}
	save(t, figure, "more.png")
}

// A group of which nothing is asked is drawn around its known points; around one, over the x of all groups. Bars are at
// the known points.
func TestGroupsWithoutTargetsAreDrawn(t *testing.T) {
	for _, dx := range []int{1, 2, 3} {
		o, s := columns(t, dx, false)
		alone, one := s, s
		alone.Targets, alone.Held = points.Points{}, points.Points{}
		alone.Known.X = slices.Clone(s.Targets.X[:3*dx])
		alone.Known.X[0], alone.Known.X[dx] = -5, 12
		one.Targets, one.Held = points.Points{}, points.Points{}
		one.Known.X, one.Known.Y = s.Targets.X[:dx], []float64{1}
		figure := must.Get(figures.NewPrediction(t.Context(), o, []figures.Subject{s, alone, one}, figures.Options{}))(t)
		if dx == 3 {
			for i, want := range [][]float64{nil, alone.Known.Column(0), one.Known.Column(0)} {
				var got []float64
				for _, b := range figure.(figures.FitPlot).Panels[i].Bars {
					got = append(got, b.X)
				}
				if i > 0 && !slices.Equal(got, want) || len(got) == 0 {
					t.Errorf("group %d: bars at %v, want %v", i, got, want)
				}
			}
			continue
		}
		ends := func(i int) [2]float64 {
			if m, ok := figure.(figures.MapPlot); ok {
				at := m.Rows[i].Columns
				return [2]float64{at[0], at[len(at)-1]}
			}
			at := figure.(figures.FitPlot).Panels[i].Grid
			return [2]float64{at[0].X, at[len(at)-1].X}
		}
		if ends(0) != [2]float64{0, 2} || ends(1) != [2]float64{-5, 12} || ends(2) != [2]float64{-5, 12} {
			t.Errorf("%d columns: x from %v, %v and %v", dx, ends(0), ends(1), ends(2))
		}
		save(t, figure, "without.png")
	}
}
