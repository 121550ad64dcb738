package figures

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/plot/plotter"

	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/predict"
)

// gridPoints is the number of x of a Task.
const gridPoints = 240

// A Task is a function to predict and to show: one channel of y along x, which has one dimension,
// in raw units.
type Task struct {
	predict.Function             // its targets are gridPoints evenly spaced x
	Data             plotter.XYs // its points that are not context
	Context          plotter.XYs
	channel          int
}

// NewTask returns function i of a batch, in the raw units of a scaling.
func NewTask(b *datasets.Batch, i, channel int, s datasets.Scaling) Task {
	first, split, end := i*b.Points, b.Context, (i+1)*b.Points
	x, y := s.Raw(b.X[first*b.DX:end*b.DX], b.Y[first*b.DY:end*b.DY])
	lo, hi := extremes(x)
	return Task{
		Function: predict.Function{
			ContextX: x[:split], ContextY: y[:split*b.DY],
			TargetX: floats.Span(make([]float64, gridPoints), lo, hi),
		},
		Data:    points(x[split:], y[split*b.DY:], b.DY, channel),
		Context: points(x[:split], y[:split*b.DY], b.DY, channel),
		channel: channel,
	}
}

// A View is the part of a predictive distribution that a Cell shows.
type View int

const (
	MeanView     View = iota
	LevelsView        // μ of a quantile model's levels
	TauView           // τ of a quantile model's levels
	QuantileView      // quantiles of the distribution at given levels
	MemberView        // the mean of each bootstrap
)

// Cells returns a cell with the prediction and the context of each task, without its data.
func Cells(ctx context.Context, o predict.Trained, tasks []Task, view View, levels []float64) ([]Cell, error) {
	cells := make([]Cell, len(tasks))
	functions := make([]predict.Function, len(tasks))
	for i, t := range tasks {
		functions[i] = t.Function
		if view == TauView {
			cells[i].YRange = []float64{-0.02, 1.02}
		} else {
			cells[i].Context = t.Context
		}
	}
	for t, err := range o.Predict(ctx, functions) {
		if err != nil {
			return nil, err
		}
		task := tasks[t.Function]
		cells[t.Function].add(task.TargetX[t.Target], t.Channels[task.channel], view, levels)
	}
	return cells, nil
}

// add adds the next point along x to the cell.
func (c *Cell) add(x float64, d predict.Distribution, view View, levels []float64) {
	switch view {
	case MeanView:
		c.extend(0, MeanCurve, 0, x, d.Mean())
	case QuantileView:
		for k, p := range levels {
			c.extend(k, QuantileCurve, p, x, d.Quantile(p))
		}
	case MemberView:
		for k, m := range d.Components() {
			c.extend(k, MemberCurve, 0, x, d.Value(m.Mu))
		}
	default:
		q := predictedPoint(x, d, componentsOf(d), nil)
		if view == TauView { // equal weights: the view is of the levels alone
			for k := range q.Components {
				q.Components[k].Mu, q.Components[k].Weight = q.Components[k].Tau, 1
			}
		}
		c.Grid = append(c.Grid, q)
	}
}

// extend adds a point to the k-th curve.
func (c *Cell) extend(k int, kind CurveKind, level, x, y float64) {
	if k == len(c.Curves) {
		c.Curves = append(c.Curves, Curve{Kind: kind, Level: level, Points: slices.Grow(plotter.XYs(nil), gridPoints)})
	}
	c.Curves[k].Points = append(c.Curves[k].Points, plotter.XY{X: x, Y: y})
}
