package figures

import (
	"context"
	"fmt"

	"gonum.org/v1/plot/plotter"

	"github.com/acqnp/acqnp/internal/config/catalogue"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/invalid/warning"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/predict"
)

// A Figure can be drawn into a file, whose extension states the format.
type Figure interface {
	Save(path string, w *warning.Record) error
}

const (
	curvePoints   = 400 // evenly spaced x at which a density is predicted
	pictureLevels = 400 // the largest number of levels or bootstraps
	maxMaps       = 3   // rows of a MapPlot, for one run
)

// NewPrediction returns a figure of the predictive densities of the first few subjects, for each
// channel of y. If two columns of numbers vary within subjects, it is a MapPlot; otherwise a FitPlot over one
// column of x. If it alone varies, there is a density at x of the figure's own, which cover the subjects' context and
// targets, with lines for the quantiles at Options.Levels. If others vary too, no curve goes through the points, and
// Bars show the predictions at some targets. Time and memory do not depend on the number of targets. Quantile levels
// are evenly spaced.
func NewPrediction(ctx context.Context, p predict.Predictor, subjects []Subject, o Options) (Figure, error) {
	title := func(shown string) string {
		if o.Calibrated != nil {
			return shown + ", calibrated"
		}
		return shown
	}
	v := viewOf(p.About(), subjects[:min(len(subjects), MaxPanels)], o.Log)
	if v.maps() {
		name, subjects := firstOf(subjects, v.about, maxMaps)
		rows, err := mapRows(ctx, p, v, subjects, o)
		return MapPlot{Title: title(name), X: v.axis(0), Y: v.axis(1), Rows: rows[:min(len(rows), maxMaps)]}, err
	}
	name, subjects := firstOf(subjects, v.about, MaxPanels)
	panels, err := panelsOf(ctx, p, v, subjects, o)
	return FitPlot{Title: title(name), X: v.axis(0), Panels: panels[:min(len(panels), MaxPanels)]}, err
}

// CheckPlottable returns an *invalid.Input if a benchmark's predictions are not for NewPrediction: those of
// images, and of a network that reads groups, which predicts in fits.
func CheckPlottable(name string) error {
	switch b, _ := catalogue.Find(name); b.Kind {
	case catalogue.Images:
		return &invalid.Input{Key: "plot", Found: "images of " + name, Expected: "another benchmark"}
	case catalogue.Groups:
		return &invalid.Input{Key: "plot", Found: "data sets of groups", Expected: "another benchmark (acqnp fit draws groups)"}
	}
	return nil
}

// firstOf returns the first subjects whose channels fit into a number of panels, at least one of them,
// and a title that says what is left out.
func firstOf(subjects []Subject, a predict.About, panels int) (title string, shown []Subject) {
	title = a.Question
	dy := len(a.Units.YNames)
	if n := max(panels/dy, 1); len(subjects) > n {
		title, subjects = fmt.Sprintf("%s (first %d of %d groups)", title, n, len(subjects)), subjects[:n]
	}
	if dy > panels {
		title = fmt.Sprintf("%s (first %d of %d columns of y)", title, panels, dy)
	}
	return title, subjects
}

// panelsOf returns panels of predictions of subjects along one column of x, one for each subject and channel.
func panelsOf(ctx context.Context, from predict.Predictor, v view, subjects []Subject, o Options) ([]Panel, error) {
	corrections := o.corrections(subjects, len(v.units.YNames))
	questions, dy := make([]points.Question, len(subjects)), len(v.units.YNames)
	panels := make([]Panel, len(subjects)*dy)
	for i, s := range subjects {
		questions[i] = s.Question
		questions[i].Targets = points.Points{DX: len(v.units.XNames), X: v.asked(s, subjects)}
		for c := range dy {
			panels[i*dy+c] = Panel{Title: v.title(s), YLabel: LabelOf(v.about, c), Quantiles: o.Levels, masses: corrections[i*dy+c].masses,
				Context: v.pairs(s.Known, c), Targets: v.pairs(s.Held, c)}
		}
	}
	for target, err := range predict.Sketch(ctx, from, pictureLevels, questions) {
		if err != nil {
			return nil, err
		}
		x := v.place(questions[target.Group].Targets.Row(target.Target), 0)
		for c, d := range target.Channels {
			p, corrects := &panels[target.Group*dy+c], corrections[target.Group*dy+c]
			if v.barred {
				p.Bars = append(p.Bars, barOf(x, d, corrects))
			} else {
				p.Grid = append(p.Grid, PredictedPoint{X: x, Density: corrected{d, corrects.bars}})
			}
		}
	}
	return panels, nil
}

// asked returns the x [N, columns of x] at which a panel of a subject predicts: those of its bars, or of a curve.
func (v view) asked(s Subject, subjects []Subject) (x []float64) {
	if v.barred {
		return barX(s)
	}
	fixed := s.fixed()
	for _, at := range v.axis(0).curve(v.shown(s, subjects, 0)) {
		x = v.at(x, fixed, at)
	}
	return x
}

// curve returns the numbers at which a picture shows a subject along an axis: each name of a
// column of names, or evenly spaced ones that cover those of context and targets.
func (a Axis) curve(known []float64) []float64 {
	if a.Form.Categories != nil && len(known) > 0 {
		var names []float64
		for i := range min(len(a.Form.Categories), curvePoints) {
			names = append(names, float64(i))
		}
		return names
	}
	return a.covering(known, curvePoints)
}

// pairs returns points along the first axis with one channel of y. A point whose x is missing has no place.
func (v view) pairs(p points.Points, channel int) plotter.XYs {
	xys := make(plotter.XYs, 0, p.Len())
	for i, at := range v.along(p, 0) {
		if finite(at) {
			xys = append(xys, plotter.XY{X: at, Y: p.RowY(i)[channel]})
		}
	}
	return xys
}
