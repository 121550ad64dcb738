package fit

import (
	"context"
	"fmt"
	"iter"
	"math"

	"github.com/acqnp/acqnp/internal/fit/stack"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/predict"
)

// targetsAtOnce bounds the targets whose predictions are in memory.
const targetsAtOnce = 512

// Predict implements [predict.Predictor].
func (f Fitted) Predict(ctx context.Context, functions []predict.Function) iter.Seq2[predict.Target, error] {
	return func(yield func(predict.Target, error) bool) {
		for i, fn := range functions {
			if !f.predictPiece(ctx, fn, predict.Piece{Function: i, Number: len(fn.TargetX) / len(f.X)}, yield) {
				return
			}
		}
	}
}

// predictPiece yields the targets of a piece of a function. It returns false if the sequence ends.
func (f Fitted) predictPiece(ctx context.Context, fn predict.Function, piece predict.Piece, yield func(predict.Target, error) bool) bool {
	columns, last := len(f.X), piece.First+piece.Number
	for first := piece.First; first < last; first += targetsAtOnce {
		if err := ctx.Err(); err != nil {
			yield(predict.Target{}, err)
			return false
		}
		end := min(first+targetsAtOnce, last)
		for t, channels := range f.distributions(fn, fn.TargetX[first*columns:end*columns]) {
			if err := checkFinite(channels); err != nil {
				yield(predict.Target{}, fmt.Errorf("function %d, target %d: %w", piece.Function, first+t, err))
				return false
			}
			if !yield(predict.Target{Function: piece.Function, Target: first + t, Known: len(fn.ContextY) / len(f.Y), Channels: channels}, nil) {
				return false
			}
		}
	}
	return true
}

// checkFinite refuses a distribution of which nothing can be stated.
func checkFinite(channels []predict.Distribution) error {
	for _, d := range channels {
		for _, c := range d.Distribution.Components() {
			if !isFinite(c.Mu) || !isFinite(c.Sigma) {
				return &invalid.Input{File: File, Found: fmt.Sprintf("a prediction of mean %v and scale %v", c.Mu, c.Sigma),
					Expected: "finite numbers: the file was edited, or a point is too large"}
			}
		}
	}
	return nil
}

// MostComponents implements [predict.Predictor].
func (f Fitted) MostComponents(context int) int {
	models := 0
	for _, s := range f.Stacks {
		for _, c := range s.Candidates {
			models += len(c.Models)
		}
	}
	return models * (min(context, 1000) + 20)
}

// DrawWork implements [predict.Predictor]. Most of the work goes into the factors of matrices of the points,
// of which models take a thousand at most.
func (f Fitted) DrawWork(points int) float64 {
	n := float64(min(points, 1000))
	return float64(len(f.Stacks)) * (25_000 + 30*n*n)
}

// distributions returns the distributions of each channel at targets x of a function.
func (f Fitted) distributions(fn predict.Function, x []float64) [][]predict.Distribution {
	out := make([][]predict.Distribution, len(x)/len(f.X))
	for _, some := range f.alike(fn.ContextX, x) {
		for c, s := range f.Stacks {
			cases := make([]stack.Case, len(some.contexts))
			for i := range cases {
				cases[i] = stack.Case{Known: f.known(c, f.ModelX(some.contexts[i]), fn.ContextY), X: f.ModelX(some.targets[i])}
			}
			for t, d := range s.PredictAny(cases) {
				out[some.places[t]] = append(out[some.places[t]], predict.Distribution{Distribution: d})
			}
		}
	}
	return out
}

func isFinite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// A session is the predict.Session of a fit, which compiles no program.
type session struct{ Fitted }

// Session implements [predict.Predictor].
func (f Fitted) Session(int, int) (predict.Session, error) { return session{f}, nil }

// Piece implements [predict.Session].
func (s session) Piece(ctx context.Context, functions []predict.Function, piece predict.Piece) iter.Seq2[predict.Target, error] {
	return func(yield func(predict.Target, error) bool) {
		s.predictPiece(ctx, functions[piece.Function], piece, yield)
	}
}

// Shrink implements [predict.Session].
func (session) Shrink() {}

// ProgramBytes implements [predict.Predictor].
func (Fitted) ProgramBytes(int) (float64, error) { return 0, nil }

// Limited implements [predict.Predictor]. A fit has no levels and no bootstraps.
func (f Fitted) Limited(int, bool) predict.Predictor { return f }
