package answer

import (
	"context"

	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/predict"
)

// A sequence is the predict.Sequence of a fit. Where models see log y, a y that joins a context is at least a
// thousandth of the 0.99 quantile.
type sequence struct {
	Predictor
	question points.Question
	known    []points.Points // of each draw: those of the question and the targets before
}

// Sequence implements [predict.Predictor].
func (f Predictor) Sequence(questions []points.Question, draws int) (predict.Sequence, error) {
	for _, q := range questions {
		targets := q.Targets.Len()
		if err := predict.CheckJoint(draws, targets, draws*(q.Known.Len()+targets)*(f.Width()+len(f.Y))); err != nil {
			return nil, err
		}
	}
	return &sequence{Predictor: f, known: make([]points.Points, draws)}, nil
}

// Begin implements [predict.Sequence].
func (s *sequence) Begin(_ int, q points.Question) {
	s.question = q
	for n := range s.known {
		s.known[n] = q.Known.Cut(0, q.Known.Len())
	}
}

// Next implements [predict.Sequence].
func (s *sequence) Next(ctx context.Context, i int, choose func(draw int, t predict.Target) []float64) error {
	target := s.question.Targets.Cut(i, i+1)
	for n := range s.known {
		known := &s.known[n]
		q := oneWay(s.question, n)
		q.Known, q.Targets = *known, target
		predicted, err := s.Distributions(ctx, q)
		if err != nil {
			return err
		}
		channels := predicted[0]
		y := choose(n, predict.Target{Known: known.Len(), Values: s.ValuesOf(known.Y), Channels: channels, Copula: s.Copula(known.Len())})
		for c, one := range s.Stacks {
			if one.SeesLog() {
				y[c] = max(y[c], channels[c].Quantile(0.99)/1000)
			}
		}
		known.Append(points.New(len(s.X), len(s.Y), target.X, y))
	}
	return nil
}

// Close implements [predict.Sequence] and [predict.Session].
func (Predictor) Close() {}
