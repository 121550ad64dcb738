// Package answer predicts with what acqnp fit wrote: Predictor is the file as a [predict.Predictor]. A question goes through
// recall.go (what the fit knows of the group), missing.go and unseen.go (ways to read its cells) and predictor.go (the
// stacks' predictions); warn.go says what the models do not know.
package answer

import (
	"context"
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/acqnp/acqnp/internal/fit/file"
	"github.com/acqnp/acqnp/internal/fit/stack"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/predict"
)

// A Predictor predicts from what acqnp fit wrote. It implements [predict.Predictor].
type Predictor struct{ *file.Fit }

// Read reads fit.json in a directory, as [file.Read] does.
func Read(dir string) (Predictor, error) {
	f, err := file.Read(dir)
	return Predictor{f}, err
}

// Predict implements [predict.Predictor].
func (f Predictor) Predict(ctx context.Context, questions []points.Question, pieces ...predict.Piece) iter.Seq2[predict.Target, error] {
	return func(yield func(predict.Target, error) bool) {
		if pieces == nil {
			pieces = predict.Whole(questions)
		}
		for _, piece := range pieces {
			if !f.piece(ctx, questions[piece.Group], piece, yield) {
				return
			}
		}
	}
}

// piece yields the targets of a piece of a question. It returns false if the sequence ends.
func (f Predictor) piece(ctx context.Context, q points.Question, piece predict.Piece, yield func(predict.Target, error) bool) bool {
	var channels [][]predict.Distribution
	run := func(first, n int) (err error) {
		some := q
		some.Targets = q.Targets.Cut(first, first+n)
		channels, err = f.Distributions(ctx, some)
		return err
	}
	at := func(i int) ([]predict.Distribution, error) { return channels[i], checkFinite(channels[i]) }
	known := q.Known.Len()
	copula, values := f.Copula(known), f.ValuesOf(q.Known.Y)
	return piece.Targets(ctx, known, run, at, func(t predict.Target, err error) bool {
		t.Copula, t.Values = copula, values
		return yield(t, err)
	})
}

// ValuesOf returns how many values of each column of y are known.
func (f Predictor) ValuesOf(y []float64) []int {
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
				return &invalid.Input{File: file.Name, Found: fmt.Sprintf("a prediction of mean %v and scale %v", c.Mu, c.Sigma),
					Expected: "finite numbers: the file was edited, or a point is too large"}
			}
		}
	}
	return nil
}

// Cost implements [predict.Predictor].
func (f Predictor) Cost(q points.Question, pieces []predict.Piece) (predict.Cost, error) {
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
func (f Predictor) drawWork(points int) (all float64) {
	for _, s := range f.Stacks {
		if all += s.Work(points, 1); f.Together != nil {
			all += 13_000
		}
	}
	return all
}

// work returns the work of the distributions of a number of targets of a question that is read in several ways.
func (f Predictor) work(q points.Question, ways, targets int) (all float64) {
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

// Distributions returns the distributions of each channel at the targets of a question. It returns ctx's error soon
// after ctx ends.
func (f Predictor) Distributions(ctx context.Context, q points.Question) ([][]predict.Distribution, error) {
	out := make([][]predict.Distribution, q.Targets.Len())
	for _, some := range f.alike(q) {
		for c, s := range f.Stacks {
			seen := make([]stack.Reading, len(some.entries))
			for i, e := range some.entries {
				seen[i].Ways, seen[i].Known = e.Ways, f.Known(c, e.Known).Ordered()
				for _, p := range e.Siblings {
					seen[i].Siblings = append(seen[i].Siblings, f.Known(c, p))
				}
				seen[i].Targets = points.New(f.Width(), 0, f.ModelX(e.Targets.X), nil)
			}
			if q.Codes != nil {
				s = s.WithCodes(q.Codes[c])
			}
			predicted, err := s.Predict(ctx, f.Exposures(c, some.targets.X), seen...)
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
func (f Predictor) Session(predict.Room) (predict.Session, error) { return f, nil }
