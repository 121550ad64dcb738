package fit

import (
	"context"
	"slices"

	"github.com/acqnp/acqnp/internal/predict"
)

// A sequence is the predict.Sequence of a fit. Where models see log y, a y that joins a context is at least a
// thousandth of the 0.99 quantile.
type sequence struct {
	Fitted
	function predict.Function
	known    []predict.Function // of each draw: its context is the function's own and the targets before
}

// Sequence implements [predict.Predictor].
func (f Fitted) Sequence(functions []predict.Function, draws int) (predict.Sequence, error) {
	for _, one := range functions {
		context, targets := len(one.ContextX)/len(f.X), len(one.TargetX)/len(f.X)
		if err := predict.CheckJoint(draws, targets, draws*(context+targets)*(f.width()+len(f.Y))); err != nil {
			return nil, err
		}
	}
	return &sequence{Fitted: f, known: make([]predict.Function, draws)}, nil
}

// Begin implements [predict.Sequence].
func (s *sequence) Begin(_ int, f predict.Function) {
	s.function = f
	for n := range s.known {
		s.known[n] = predict.Function{ContextX: slices.Clone(f.ContextX), ContextY: slices.Clone(f.ContextY), Beside: f.Beside}
	}
}

// Next implements [predict.Sequence].
func (s *sequence) Next(ctx context.Context, i int, choose func(draw int, t predict.Target) []float64) error {
	x := s.function.TargetX[i*len(s.X):][:len(s.X)]
	for n := range s.known {
		known := &s.known[n]
		predicted, err := s.distributions(ctx, *known, x)
		if err != nil {
			return err
		}
		channels := predicted[0]
		points := len(known.ContextY) / len(s.Y)
		y := choose(n, predict.Target{Known: points, Values: s.valuesOf(known.ContextY), Channels: channels, Copula: s.copula(points)})
		for c, stack := range s.Stacks {
			if stack.SeesLog() {
				y[c] = max(y[c], channels[c].Quantile(0.99)/1000)
			}
		}
		known.ContextX, known.ContextY = append(known.ContextX, x...), append(known.ContextY, y...)
	}
	return nil
}

// Close implements [predict.Sequence] and [predict.Session].
func (Fitted) Close() {}
