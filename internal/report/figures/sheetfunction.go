package figures

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/plot/plotter"

	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/predict"
)

// gridPoints is the number of x of a sheetFunction.
const gridPoints = 240

// A sheetFunction is a function to predict and to show: one channel of
// y along x, which has one dimension, in raw units.
type sheetFunction struct {
	predict.Function             // its targets are gridPoints evenly spaced x
	Data             plotter.XYs // its points that are not context
	Context          plotter.XYs
	channel          int
}

// newSheetFunction returns function i of a batch, in the raw units of a scaling.
func newSheetFunction(b *datasets.Batch, i, channel int, s datasets.Scaling) sheetFunction {
	first, split, end := i*b.Points, b.Context, (i+1)*b.Points
	x, y := s.Raw(b.X[first*b.DX:end*b.DX], b.Y[first*b.DY:end*b.DY])
	lo, hi := extremes(x)
	return sheetFunction{
		Function: predict.Function{
			ContextX: x[:split], ContextY: y[:split*b.DY],
			TargetX: floats.Span(make([]float64, gridPoints), lo, hi),
		},
		Data:    points(x[split:], y[split*b.DY:], b.DY, channel),
		Context: points(x[:split], y[:split*b.DY], b.DY, channel),
		channel: channel,
	}
}

// A cellView is the part of a predictive distribution that a cell shows.
type cellView int

const (
	meanView     cellView = iota
	levelsView            // μ of a quantile model's levels
	tauView               // τ of a quantile model's levels
	quantileView          // quantiles of the distribution at given levels
	memberView            // the mean of each bootstrap
)

// newCells returns a cell with the prediction and the context of each function, without its data.
func newCells(ctx context.Context, o predict.Trained, shown []sheetFunction, view cellView, levels []float64) ([]sheetCell, error) {
	cells := make([]sheetCell, len(shown))
	functions := make([]predict.Function, len(shown))
	for i, t := range shown {
		functions[i] = t.Function
		if view == tauView {
			cells[i].YRange = []float64{-0.02, 1.02}
		} else {
			cells[i].Context = t.Context
		}
	}
	for t, err := range o.Predict(ctx, functions) {
		if err != nil {
			return nil, err
		}
		function := shown[t.Function]
		cells[t.Function].add(function.TargetX[t.Target], t.Channels[function.channel], view, levels)
	}
	return cells, nil
}

// add adds the next point along x to the cell.
func (c *sheetCell) add(x float64, d predict.Distribution, view cellView, levels []float64) {
	switch view {
	case meanView:
		c.extend(0, meanCurve, 0, x, d.Mean())
	case quantileView:
		for k, p := range levels {
			c.extend(k, quantileCurve, p, x, d.Quantile(p))
		}
	case memberView:
		for k, m := range d.Components() {
			c.extend(k, memberCurve, 0, x, d.Value(m.Mu))
		}
	default:
		q := predictedPoint(x, d, componentsOf(d), nil)
		if view == tauView { // equal weights: the view is of the levels alone
			for k := range q.Components {
				q.Components[k].Mu, q.Components[k].Weight = q.Components[k].Tau, 1
			}
		}
		c.Grid = append(c.Grid, q)
	}
}

// extend adds a point to the k-th curve.
func (c *sheetCell) extend(k int, kind curveKind, level, x, y float64) {
	if k == len(c.Curves) {
		c.Curves = append(c.Curves, sheetCurve{Kind: kind, Level: level, Points: slices.Grow(plotter.XYs(nil), gridPoints)})
	}
	c.Curves[k].Points = append(c.Curves[k].Points, plotter.XY{X: x, Y: y})
}

// componentsOf returns the components of a distribution that have quantile levels, or nil for Gaussians.
func componentsOf(d predict.Distribution) []predict.Component {
	if !d.Mixture() {
		return nil
	}
	return d.Components()[:d.NumLevels()]
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
