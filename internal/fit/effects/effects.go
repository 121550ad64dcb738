// Package effects says what the columns of a fit do to its predictions, and how much each matters.
package effects

import (
	"context"
	"math"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/acqnp/acqnp/internal/fit/answer"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/random"
)

// An Effect is what predictions of a column of y do along a column of x: their quantiles, averaged over rows of the data
// in which this column alone is changed (partial dependence).
type Effect struct {
	X      int // column
	Points []Point
	Tenths []float64 // between which lie as many rows of the data each; of a column of numbers
}

// A Point has the averaged quantiles at one x.
type Point struct {
	X         float64    // raw; NaN where the cell is missing
	Quantiles [5]float64 // at Levels
}

// Levels are the levels of an effect's quantiles: those of the intervals of 50 and 90%, and of the median.
var Levels = [5]float64{0.05, 0.25, 0.5, 0.75, 0.95}

// Rows is the number of rows that are averaged over. mostPlaces is that of places along a column of numbers.
const (
	Rows       = 32
	mostPlaces = 25
)

// Along returns the effects of Columns on each column of y. They are those of a new group, of which nothing is known
// or, if folds are of points, of a new point of the groups of the data, which are known.
func Along(ctx context.Context, f answer.Predictor, threads int) ([][]Effect, error) {
	columns, over := Columns(f.Fit), averaged(f)
	all := make([][]Effect, len(f.Y))
	for c := range all {
		all[c] = make([]Effect, len(columns))
	}
	var work errgroup.Group
	work.SetLimit(max(1, threads))
	for i, column := range columns {
		work.Go(func() error {
			effects, err := along(ctx, f, column, over)
			if err != nil {
				return err
			}
			for c, e := range effects {
				all[c][i] = e
			}
			return nil
		})
	}
	return all, work.Wait()
}

// averaged returns kept rows chosen at random, over which effects are averaged, as targets: by their groups if folds are
// of points, which are known.
func averaged(f answer.Predictor) []points.Question {
	var groups, places []int
	for k, g := range f.Kept.Groups {
		for i := range g.Len() {
			groups, places = append(groups, k), append(places, i)
		}
	}
	order := make([]int, len(groups))
	random.New(0, random.Evaluation).Perm(math.MaxUint64, order)
	some := make([]points.Question, 1)
	if f.Stacks[0].ByPoint {
		some = make([]points.Question, len(f.Kept.Groups))
	}
	for _, row := range order[:min(len(order), Rows)] {
		g, own := f.Kept.Groups[groups[row]], &some[0]
		if f.Stacks[0].ByPoint {
			own = &some[groups[row]]
			own.Known = g.Points
		}
		own.Targets.Append(g.Cut(places[row], places[row]+1))
	}
	return slices.DeleteFunc(some, func(q points.Question) bool { return q.Targets.Len() == 0 })
}

// along returns the effect of a column of x on each column of y.
func along(ctx context.Context, f answer.Predictor, column int, over []points.Question) ([]Effect, error) {
	at, tenths := placesOf(f, column), tenthsOf(f, column)
	all := make([]Effect, len(f.Y))
	for c := range all {
		all[c] = Effect{X: column, Points: make([]Point, len(at)), Tenths: tenths}
	}
	total := 0.0
	for _, some := range over {
		asked := points.Question{Known: some.Known}
		for _, v := range at {
			moved := points.New(len(f.X), 0, slices.Clone(some.Targets.X), nil)
			for i := range moved.Len() {
				moved.Row(i)[column] = v
			}
			asked.Targets.Append(moved)
		}
		predicted, err := f.Distributions(ctx, asked)
		if err != nil {
			return nil, err
		}
		n := some.Targets.Len()
		for i := range n {
			total += some.Targets.Weight(i)
		}
		for c := range all {
			levels, _ := f.Calibrated().Corrected(c, f.ValuesOf(asked.Known.Y)[c], Levels[:], nil)
			for t, channels := range predicted {
				for q, level := range levels {
					all[c].Points[t/n].Quantiles[q] += some.Targets.Weight(t%n) * channels[c].Quantile(level)
				}
			}
		}
	}
	for _, e := range all {
		for i := range e.Points {
			e.Points[i].X = at[i]
			for q := range e.Points[i].Quantiles {
				e.Points[i].Quantiles[q] /= total
			}
		}
	}
	return all, nil
}

// placesOf returns the raw x at which the effect of a column is shown: each name or the first of crossed ones, the range of numbers or the longest
// period, and NaN if the data miss cells.
func placesOf(f answer.Predictor, column int) (places []float64) {
	form, low, high := f.XForms[column], f.Ranges[column].Low, f.Ranges[column].High
	switch {
	case form.Categories != nil:
		for i := range form.Categories {
			if form.Crossed && i == mostPlaces { // of which Warn tells
				break
			}
			places = append(places, float64(i))
		}
	case form.Periods != nil && !form.Trend:
		places = evenly(periodOf(f, column))
	case low == high:
		places = []float64{low}
	default:
		places = evenly(form.Transform(low), form.Transform(high))
		for i, v := range places {
			places[i] = form.Restore(v)
		}
	}
	if f.Missing[column] > 0 {
		places = append(places, math.NaN())
	}
	return places
}

// periodOf returns the ends of the longest period of a column: from 0 where it holds the data, else from their least.
func periodOf(f answer.Predictor, column int) (low, high float64) {
	period, data := slices.Max(f.XForms[column].Periods), f.Ranges[column]
	if data.Low < 0 || data.High > period {
		return data.Low, data.Low + period
	}
	return 0, period
}

// tenthsOf returns the ends of the tenths of a column of numbers, without the first and the last.
func tenthsOf(f answer.Predictor, column int) (ends []float64) {
	var all []float64
	for _, g := range f.Kept.Groups {
		for _, v := range g.Column(column) {
			form := f.XForms[column]
			if form.Categories != nil {
				return nil
			}
			if form.Periods != nil && !form.Trend {
				low, high := periodOf(f, column)
				v = low + math.Mod(v-low, high-low)
			}
			if !math.IsNaN(v) {
				all = append(all, v)
			}
		}
	}
	slices.Sort(all)
	for k := 1; k < 10 && len(all) > 0; k++ {
		ends = append(ends, all[k*len(all)/10])
	}
	return ends
}

// evenly returns mostPlaces numbers from low to high.
func evenly(low, high float64) []float64 {
	all := make([]float64, mostPlaces)
	for i := range all {
		share := float64(i) / (mostPlaces - 1)
		all[i] = low*(1-share) + high*share
	}
	return all
}
