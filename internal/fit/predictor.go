package fit

import (
	"context"
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/acqnp/acqnp/internal/fit/simple"
	"github.com/acqnp/acqnp/internal/fit/stack"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/predict"
)

// Predict implements [predict.Predictor].
func (f Fitted) Predict(ctx context.Context, questions []points.Question, pieces ...predict.Piece) iter.Seq2[predict.Target, error] {
	return func(yield func(predict.Target, error) bool) {
		if pieces == nil {
			pieces = predict.Whole(questions)
		}
		for _, piece := range pieces {
			if !f.piece(ctx, questions[piece.Function], piece, yield) {
				return
			}
		}
	}
}

// piece yields the targets of a piece of a function. It returns false if the sequence ends.
func (f Fitted) piece(ctx context.Context, q points.Question, piece predict.Piece, yield func(predict.Target, error) bool) bool {
	var channels [][]predict.Distribution
	run := func(first, n int) (err error) {
		some := q
		some.Targets = q.Targets.Cut(first, first+n)
		channels, err = f.distributions(ctx, some)
		return err
	}
	at := func(i int) ([]predict.Distribution, error) { return channels[i], checkFinite(channels[i]) }
	known := q.Known.Len()
	copula, values := f.copula(known), f.valuesOf(q.Known.Y)
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

// Cost implements [predict.Predictor].
func (f Fitted) Cost(q points.Question, pieces []predict.Piece) (predict.Cost, error) {
	models := 0
	for _, s := range f.Stacks {
		for _, c := range s.Candidates {
			models += len(c.Models)
		}
	}
	c := predict.Cost{Readings: f.readingsOf(q), Draw: f.drawWork(q.Known.Len() + q.Targets.Len())}
	c.Components = c.Readings * models * (min(knownPoints(q), 1000) + 20)
	for _, p := range pieces {
		c.Work += f.work(q, c.Readings, p.Number)
	}
	return c, nil
}

// knownPoints returns the number of known points of a group and of its siblings.
func knownPoints(q points.Question) int { return q.Known.Len() + q.KnownOfSiblings() }

// drawWork returns the work of a joint draw. Of several columns of y, a batch of quantiles comes on top.
func (f Fitted) drawWork(points int) (all float64) {
	for _, s := range f.Stacks {
		if all += s.Work(points, 1); f.Together != nil {
			all += 13_000
		}
	}
	return all
}

// work returns the work of the distributions of a number of targets of a question that is read in several ways.
func (f Fitted) work(q points.Question, ways, targets int) (all float64) {
	entries := 1
	if slices.Contains(f.unseenIn(known(f.named(q))...), true) { // ways take their matrices each
		ways, entries = 1, ways
	}
	runs := (targets*ways + mostRows - 1) / mostRows
	for _, s := range f.Stacks {
		all += float64(entries*runs) * s.Work(knownPoints(q), (targets*ways+runs-1)/runs)
	}
	return all
}

// distributions returns the distributions of each channel at the targets of a question. It returns ctx's error soon
// after ctx ends.
func (f Fitted) distributions(ctx context.Context, q points.Question) ([][]predict.Distribution, error) {
	out := make([][]predict.Distribution, q.Targets.Len())
	for _, some := range f.alike(q) {
		for c, s := range f.Stacks {
			cases := make([]stack.Case, len(some.entries))
			for i, e := range some.entries {
				var siblings []points.Points
				for _, p := range e.Siblings {
					siblings = append(siblings, f.known(c, p))
				}
				known := f.known(c, e.Known).Ordered().Beside(siblings, simple.MostOfOuter)
				cases[i] = stack.Case{Known: known, Targets: points.New(f.width(), 0, f.ModelX(e.Targets.X), nil), Ways: e.ways, Units: f.exposures(c, some.targets.X)}
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
func (f Fitted) Session(predict.Room) (predict.Session, error) { return f, nil }
