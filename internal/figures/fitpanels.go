package figures

import (
	"context"
	"fmt"
	"iter"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/plot/plotter"

	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/input"
	"github.com/acqnp/acqnp/internal/predict"
)

// gridPoints is the number of x at which BatchPanels predicts.
const gridPoints = 240

// CheckPlottable returns an *input.Error if x has more than one dimension, which a FitPlot cannot
// show.
func CheckPlottable(dx int) error {
	if dx != 1 {
		return &input.Error{Key: "plot", Found: fmt.Sprintf("x of %d dimensions", dx), Expected: "x of one dimension"}
	}
	return nil
}

// NewPanels returns a panel for each function, with the context of one of its dy channels. x has
// one dimension. Collect adds the predictions, with quantiles at the levels.
func NewPanels(functions []predict.Function, dy, channel int, levels []float64) []Panel {
	panels := make([]Panel, len(functions))
	for i, f := range functions {
		panels[i] = Panel{Title: f.Name, Levels: levels, Context: points(f.ContextX, f.ContextY, dy, channel)}
	}
	return panels
}

// Collect returns the same predictions and, as they are read, adds those of one channel to the
// panel of their function. A panel keeps no more of them than a picture can show.
func Collect(panels []Panel, functions []predict.Function, channel int, predictions iter.Seq2[predict.Target, error]) iter.Seq2[predict.Target, error] {
	return func(yield func(predict.Target, error) bool) {
		var thin thinning // of the function of the last target
		for t, err := range predictions {
			if err == nil && t.Function < maxPanels { // others are not drawn
				p, d, x := &panels[t.Function], t.Channels[channel], functions[t.Function].TargetX
				if t.Target == 0 {
					thin = newThinning(x, len(componentsOf(d)), len(p.Levels))
				}
				if thin.keeps(t.Target) {
					p.Grid = append(p.Grid, predictedPoint(x[t.Target], d, thin.sample(componentsOf(d)), p.Levels))
				}
			}
			if !yield(t, err) {
				return
			}
		}
	}
}

// componentsOf returns the components of a distribution with quantile levels, or nil for Gaussians.
func componentsOf(d predict.Distribution) []predict.Component {
	if !d.Mixture() {
		return nil
	}
	return d.Components()
}

// predictedPoint returns what is drawn of a distribution at x: components, its mean, and its
// quantiles at the levels.
func predictedPoint(x float64, d predict.Distribution, components []predict.Component, levels []float64) PredictedPoint {
	q := PredictedPoint{X: x, Mean: d.Mean()}
	for _, c := range components {
		q.Components = append(q.Components, Component{U: c.U, Tau: c.Tau, Mu: d.Value(c.Mu), Weight: c.Weight})
	}
	for _, p := range levels {
		q.Quantiles = append(q.Quantiles, d.Quantile(p))
	}
	return q
}

// NewFitPlot returns a figure of a model's fits of the first evaluation functions of a source. The
// levels are the same at every x, so that each is a curve.
func NewFitPlot(ctx context.Context, t predict.Trained, source predict.Source) (FitPlot, error) {
	var b datasets.Batch
	if err := source.Eval(0, &b); err != nil {
		return FitPlot{}, err
	}
	t.Levels = predict.GridLevels
	panels, err := BatchPanels(ctx, t, &b, 0, nil)
	return FitPlot{Title: t.Title(), XLabel: t.Units.Label(0), YLabel: t.Units.YNames[0], Panels: panels}, err
}

// BatchPanels returns panels of a model's fits of the first four functions of a batch, whose x has
// one dimension. They show one channel of the context, the true targets and the predictions along
// x.
func BatchPanels(ctx context.Context, o predict.Trained, b *datasets.Batch, channel int, levels []float64) ([]Panel, error) {
	if err := CheckPlottable(b.DX); err != nil {
		return nil, err
	}
	functions := make([]predict.Function, min(b.Functions, maxPanels))
	targets := make([]plotter.XYs, len(functions))
	for i := range functions {
		first, split, end := i*b.Points, i*b.Points+b.Context, (i+1)*b.Points
		x, y := o.Units.Scaling.RawX(float64s(b.X[first:end])), o.Units.Scaling.RawY(float64s(b.Y[first*b.DY:end*b.DY]))
		lo, hi := extremes(x)
		functions[i] = predict.Function{
			ContextX: x[:split-first],
			ContextY: y[:(split-first)*b.DY],
			TargetX:  floats.Span(make([]float64, gridPoints), lo, hi),
		}
		targets[i] = points(x[split-first:], y[(split-first)*b.DY:], b.DY, channel)
	}
	panels := NewPanels(functions, b.DY, channel, levels)
	for _, err := range Collect(panels, functions, channel, o.Predict(ctx, functions)) {
		if err != nil {
			return nil, err
		}
	}
	for i := range panels {
		panels[i].Targets = targets[i]
	}
	return panels, nil
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
