package figures

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/plot/plotter"

	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/predict"
)

// A Figure can be drawn into a file, whose extension states the format.
type Figure interface{ Save(path string) error }

const (
	curvePoints   = 400 // evenly spaced x at which a density is predicted
	pictureLevels = 400 // the largest number of levels or bootstraps of a density
)

// NewPrediction returns a figure of the predictive densities of the first few subjects, with a panel
// for each and each channel of y. It predicts at x of its own, which cover the subjects' context and
// targets, so time and memory do not depend on their number. Quantile levels are evenly spaced. It
// adds lines for the quantiles at the levels.
func NewPrediction(ctx context.Context, t predict.Trained, subjects []Subject, levels []float64) (Figure, error) {
	title, subjects := firstOf(subjects, t, MaxPanels)
	panels, err := DensityPanels(ctx, t, subjects, levels)
	return FitPlot{Title: title, XLabel: t.Units.Label(0), Panels: panels[:min(len(panels), MaxPanels)]}, err
}

// firstOf returns the subjects whose channels fit into so many panels, at least one of them, and a
// title that says what is left out.
func firstOf(subjects []Subject, t predict.Trained, panels int) (title string, shown []Subject) {
	title = t.Title()
	dy := len(t.Units.YNames)
	if n := max(panels/dy, 1); len(subjects) > n {
		title, subjects = fmt.Sprintf("%s (first %d of %d functions)", title, n, len(subjects)), subjects[:n]
	}
	if dy > panels {
		title = fmt.Sprintf("%s (first %d of %d columns of y)", title, panels, dy)
	}
	return title, subjects
}

// DensityPanels returns panels of the predictive densities of subjects whose x has one column, one for
// each subject and channel.
func DensityPanels(ctx context.Context, t predict.Trained, subjects []Subject, levels []float64) ([]Panel, error) {
	functions, dy := make([]predict.Function, len(subjects)), len(t.Units.YNames)
	panels := make([]Panel, len(subjects)*dy)
	for i, s := range subjects {
		functions[i] = s.Function
		functions[i].TargetX = curveX(s, t.Units.Scaling.XForms)
		for c := range dy {
			p := &panels[i*dy+c]
			*p = Panel{Title: s.Name, Levels: levels, YLabel: t.Units.YNames[c],
				Context: points(s.ContextX, s.ContextY, dy, c), Targets: points(s.HeldX, s.HeldY, dy, c)}
		}
	}
	for target, err := range forPicture(t).Predict(ctx, functions) {
		if err != nil {
			return nil, err
		}
		x := functions[target.Function].TargetX[target.Target]
		for c, d := range target.Channels {
			p := &panels[target.Function*dy+c]
			p.Grid = append(p.Grid, densityPoint(x, d, levels))
		}
	}
	return panels, nil
}

// densityPoint returns what is drawn of a density at x.
func densityPoint(x float64, d predict.Distribution, levels []float64) PredictedPoint {
	q := PredictedPoint{X: x, Density: d, Mean: d.Mean()}
	for _, p := range levels {
		q.Quantiles = append(q.Quantiles, d.Quantile(p))
	}
	return q
}

// forPicture returns the model with as many evenly spaced levels, or bootstraps, as a picture needs.
func forPicture(t predict.Trained) predict.Trained {
	t.Levels = predict.GridLevels
	t.NumTau, t.Bootstraps = min(t.NumTau, pictureLevels), min(t.Bootstraps, pictureLevels)
	return t
}

// curveX returns the x [N] at which a picture shows a subject: each name of a column of names, or
// evenly spaced numbers that cover context and targets.
func curveX(s Subject, forms []datasets.Form) []float64 {
	lo, hi := extremes(slices.Concat(s.ContextX, s.TargetX))
	if forms != nil && forms[0].Categories != nil {
		var names []float64
		for i := range min(len(forms[0].Categories), curvePoints) {
			names = append(names, float64(i))
		}
		return names
	}
	switch {
	case lo > hi:
		return nil
	case lo == hi:
		return []float64{lo}
	}
	return between(lo, hi, curvePoints-1)
}

// NewDensitySheet returns a figure of the predictive densities of evaluation functions by runs of one
// benchmark, whose x has one column. It has a row for each function and a column for each run, with
// the first channel of y. All runs predict the functions of the first.
func NewDensitySheet(ctx context.Context, runs []Run, subjects []Subject) (Sheet, error) {
	first := runs[0]
	sheet := Sheet{Title: first.Experiment.Benchmark, XLabel: first.Ask.Units.Label(0), ShareY: true, Cells: make([][]Cell, len(subjects))}
	for _, s := range subjects {
		sheet.Rows = append(sheet.Rows, fmt.Sprintf("%s (%s)", first.Ask.Units.YNames[0], s.Name))
	}
	for _, r := range runs {
		panels, err := DensityPanels(ctx, r.Ask, subjects, nil)
		if err != nil {
			return Sheet{}, err
		}
		var cells []Cell
		for i := range subjects {
			p := panels[i*len(panels)/len(subjects)]
			cells = append(cells, Cell{Data: p.Targets, Context: p.Context, Grid: p.Grid})
		}
		sheet.AddColumn(r.Label, cells)
	}
	return sheet, nil
}

// points pairs x [N] with one channel of y [N,dy].
func points(x, y []float64, dy, channel int) plotter.XYs {
	xys := make(plotter.XYs, len(x))
	for i := range xys {
		xys[i] = plotter.XY{X: x[i], Y: y[i*dy+channel]}
	}
	return xys
}

// float64s converts numbers.
func float64s(v []float32) []float64 {
	wide := make([]float64, len(v))
	for i := range v {
		wide[i] = float64(v[i])
	}
	return wide
}
