package fit

import (
	"context"
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/acqnp/acqnp/internal/fit/stack"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/predict"
)

// Predict implements [predict.Predictor].
func (f Fitted) Predict(ctx context.Context, functions []predict.Function) iter.Seq2[predict.Target, error] {
	return func(yield func(predict.Target, error) bool) {
		for i, fn := range functions {
			if !f.piece(ctx, fn, predict.Piece{Function: i, Number: len(fn.TargetX) / len(f.X)}, yield) {
				return
			}
		}
	}
}

// piece yields the targets of a piece of a function. It returns false if the sequence ends.
func (f Fitted) piece(ctx context.Context, fn predict.Function, piece predict.Piece, yield func(predict.Target, error) bool) bool {
	var channels [][]predict.Distribution
	run := func(first, n int) (err error) {
		channels, err = f.distributions(ctx, fn, fn.TargetX[first*len(f.X):][:n*len(f.X)])
		return err
	}
	at := func(i int) ([]predict.Distribution, error) { return channels[i], checkFinite(channels[i]) }
	known := len(fn.ContextY) / len(f.Y)
	copula, values := f.copula(known), f.valuesOf(fn.ContextY)
	return piece.Targets(ctx, known, run, at, func(t predict.Target, err error) bool {
		t.Copula, t.Values = copula, values
		return yield(t, err)
	})
}

// valuesOf returns how many values of each column of y are known.
func (f Fitted) valuesOf(y []float64) []int {
	values := make([]int, len(f.Y))
	for i, v := range y {
		if !math.IsNaN(v) {
			values[i%len(f.Y)]++
		}
	}
	return values
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
func (f Fitted) MostComponents(fn predict.Function) int {
	models := 0
	for _, s := range f.Stacks {
		for _, c := range s.Candidates {
			models += len(c.Models)
		}
	}
	return f.Readings(fn) * models * (min(f.knownPoints(fn), 1000) + 20)
}

// knownPoints returns the number of known points of a function, and of those beside them.
func (f Fitted) knownPoints(fn predict.Function) int {
	return len(fn.ContextY)/len(f.Y) + fn.PointsBeside(len(f.Y))
}

// DrawWork implements [predict.Predictor]. Of several columns of y, a batch of quantiles comes on top.
func (f Fitted) DrawWork(points int) (all float64) {
	for _, s := range f.Stacks {
		if all += s.Work(points, 1); f.Together != nil {
			all += 13_000
		}
	}
	return all
}

// Work implements [predict.Predictor].
func (f Fitted) Work(fn predict.Function, targets int) (all float64) {
	ways, entries := f.Readings(fn), 1
	if slices.Contains(f.unseenIn(f.knownX(fn)...), true) { // ways take their matrices each
		ways, entries = 1, ways
	}
	runs := (targets*ways + mostRows - 1) / mostRows
	for _, s := range f.Stacks {
		all += float64(entries*runs) * s.Work(f.knownPoints(fn), (targets*ways+runs-1)/runs)
	}
	return all
}

// distributions returns the distributions of each channel at targets x of a function. It returns ctx's error soon
// after ctx ends.
func (f Fitted) distributions(ctx context.Context, fn predict.Function, x []float64) ([][]predict.Distribution, error) {
	out := make([][]predict.Distribution, len(x)/len(f.X))
	for _, some := range f.alike(fn, x) {
		for c, s := range f.Stacks {
			cases := make([]stack.Case, len(some.entries))
			for i, e := range some.entries {
				known := f.known(c, e.context, fn.ContextY).Ordered().Beside(f.beside(c, fn.Beside, e.beside))
				cases[i] = stack.Case{Known: known, X: f.ModelX(e.targets), Ways: e.ways, Units: f.exposures(c, some.x)}
			}
			predicted, err := s.PredictUntil(ctx, cases...)
			if err != nil {
				return nil, err
			}
			for t, d := range predicted {
				out[some.places[t]] = append(out[some.places[t]], predict.Distribution{Distribution: d})
			}
		}
	}
	return out, nil
}

func isFinite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// Session implements [predict.Predictor]. A fit compiles no program.
func (f Fitted) Session(int, int) (predict.Session, error) { return f, nil }

// Piece implements [predict.Session].
func (f Fitted) Piece(ctx context.Context, functions []predict.Function, piece predict.Piece) iter.Seq2[predict.Target, error] {
	return func(yield func(predict.Target, error) bool) { f.piece(ctx, functions[piece.Function], piece, yield) }
}

// Shrink implements [predict.Session].
func (Fitted) Shrink() {}

// ProgramBytes implements [predict.Predictor].
func (Fitted) ProgramBytes(int) (float64, error) { return 0, nil }

// Limited implements [predict.Predictor]. A fit has no levels and no bootstraps.
func (f Fitted) Limited(int) predict.Predictor { return f }
