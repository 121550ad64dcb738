package figures_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/report/figures"
)

// fixed returns the subject with one number in a column of x.
func fixed(s figures.Subject, dx, column int, number float64) figures.Subject {
	s.ContextX, s.TargetX = slices.Clone(s.ContextX), slices.Clone(s.TargetX)
	for _, x := range [][]float64{s.ContextX, s.TargetX} {
		for i := column; i < len(x); i += dx {
			x[i] = number
		}
	}
	s.HeldX = s.TargetX
	return s
}

// A column that is the same at all points of a function, such as the sex of a patient, has no axis. Its
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
		if p.Context[1].X != s.ContextX[3] || p.Context[1].Y != 2 || p.Targets[5].X != s.TargetX[15] {
			t.Errorf("panel %d has the context %v", i, p.Context)
		}
		f, last := subjects[i].Function, p.Grid[len(p.Grid)-1]
		f.TargetX = []float64{last.X, 7, f.ContextX[2]}
		o.Levels = predict.GridLevels
		for target, err := range o.Predict(t.Context(), []predict.Function{f}) {
			if want := target.Channels[0].Quantile(0.5); err != nil || last.X != 2 || last.Quantiles[0] != want {
				t.Errorf("error %v, median %v at %v, want %v at 2", err, last.Quantiles[0], last.X, want)
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
		"fixed in one alone":   {three, []figures.Subject{fixed(s, 3, 0, 1), fixed(s, 3, 1, 1)}, "intervals: field"},
		"a fixed name":         {names, []figures.Subject{fixed(n, 2, 1, 2)}, "curves of a: field, b c"},
		"an unknown name":      {names, []figures.Subject{fixed(n, 2, 1, 3)}, "curves of a: field, b 3"},
		"names alone":          {names, []figures.Subject{fixed(n, 2, 0, 0.5)}, "curves of b: field, a 0.5"},
		"nothing varies":       {three, []figures.Subject{fixed(fixed(fixed(s, 3, 0, 1), 3, 1, 1), 3, 2, 1)}, "intervals: field"},
		"no name, first fixed": {three, []figures.Subject{unnamed(fixed(s, 3, 0, 1))}, "map of b, c: a 1"},
	} {
		figure, err := figures.NewPrediction(t.Context(), c.o, c.subjects, figures.Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(c.want, described(figure)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		saved(t, figure, "axes.png")
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
	case figures.IntervalPlot:
		return "intervals: " + f.Panels[0].Title
	}
	return ""
}
