// Package effects says what the columns of a fit do to its predictions, and how much each matters.
package effects

import (
	"context"
	"fmt"
	"math"
	"slices"

	"golang.org/x/sync/errgroup"
	"gonum.org/v1/gonum/floats"

	"github.com/acqnp/acqnp/internal/datasets/rows"
	"github.com/acqnp/acqnp/internal/fit/answer"
	"github.com/acqnp/acqnp/internal/fit/stack"
	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/random"
)

// An Effect is what predictions of a column of y do along a column of x: their quantiles, averaged over rows of the data
// in which this column alone is changed (partial dependence), on the scale on which models see y.
type Effect struct {
	X      int // column
	Scale  likelihood.Scale
	Two    bool // y is one of two whole numbers, so that the centre is a probability and quantiles are its roundings
	Points []Point
	Tenths []float64 // between which lie as many rows of the data each; of a column of numbers
	Change *Change   // nil of names and of a period
}

// A Point has the averaged quantiles at one x, and the centre of the predictions: their mean or, on another scale than y,
// their median. Error is the standard error of how far the centre lies from that of all points, by the models
// without each fold (a jackknife).
type Point struct {
	X             float64    // raw; NaN where the cell is missing
	Quantiles     [5]float64 // at Levels
	Centre, Error float64    // on the scale
}

// A Change is that of the centre between two points, and its standard error, on the scale.
type Change struct {
	From, To      int
	Change, Error float64
}

// Levels are the levels of an effect's quantiles: those of the intervals of 50 and 90%, and of the median.
var Levels = [5]float64{0.05, 0.25, 0.5, 0.75, 0.95}

// Rows is the number of rows that are averaged over, and rowsOfFold that of the models without a fold, whose differences
// alone count. mostPlaces is that of places along a column of numbers.
const (
	Rows       = 32
	rowsOfFold = 8
	mostPlaces = 25
)

// Along returns the effects of Columns on each column of y. They are those of a new group, of which nothing is known
// or, if folds are of points, of a new point of the groups of the data, which are known.
func Along(ctx context.Context, f answer.Predictor, threads int) ([][]Effect, error) {
	var err error
	if f.Fit, _, err = f.Main(); err != nil {
		return nil, err
	}
	var folds []answer.Predictor
	for k := range stack.Folds {
		folds = append(folds, answer.Predictor{Fit: f.OfFold(k)})
	}
	columns, over, few := Columns(f.Fit), averaged(f, Rows), averaged(f, rowsOfFold)
	all := make([][]Effect, len(f.Y))
	for c := range all {
		all[c] = make([]Effect, len(columns))
	}
	var work errgroup.Group
	work.SetLimit(max(1, threads))
	for i, column := range columns {
		work.Go(func() error {
			effects, err := along(ctx, f, folds, column, over, few)
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

// averaged returns at most most kept rows chosen at random, over which effects are averaged, as targets: by their groups if folds are
// of points, which are known.
func averaged(f answer.Predictor, most int) []points.Question {
	var groups, places []int
	for k, g := range f.Kept.Groups {
		for i := range g.Len() {
			groups, places = append(groups, k), append(places, i)
		}
	}
	order := random.New(0, random.Evaluation).Order(math.MaxUint64, len(groups))
	some := make([]points.Question, 1)
	if f.Stacks[0].ByPoint {
		some = make([]points.Question, len(f.Kept.Groups))
	}
	for _, row := range order[:min(len(order), most)] {
		g, own := f.Kept.Groups[groups[row]], &some[0]
		if f.Stacks[0].ByPoint {
			own = &some[groups[row]]
			own.Known = g.Points
		}
		own.Targets.Append(g.Cut(places[row], places[row]+1))
	}
	return slices.DeleteFunc(some, func(q points.Question) bool { return q.Targets.Len() == 0 })
}

// along returns the effect of a column of x on each column of y, over rows. folds are the fit without each fold, over few.
func along(ctx context.Context, f answer.Predictor, folds []answer.Predictor, column int, over, few []points.Question) ([]Effect, error) {
	at, tenths := placesOf(f, column), tenthsOf(f, column)
	centre := func(c int, d predict.Distribution) float64 {
		if on := f.Stacks[c].Scale(); on != likelihood.OfY {
			return on.Place(d.Quantile(0.5))
		}
		return d.Mean()
	}
	two := make([]bool, len(f.Y))
	curves, err := average(ctx, f, over, column, at, func(c int, known points.Points, d predict.Distribution) (all []float64) {
		levels, _ := f.Calibrated().Corrected(c, f.ValuesOf(known.Y)[c], Levels[:], nil)
		for _, v := range likelihood.ApproximateQuantiles(d.Distribution, levels...) {
			all = append(all, f.Stacks[c].Scale().Place(v))
		}
		two[c] = d.Support().Two()
		return append(all, centre(c, d))
	})
	if err != nil {
		return nil, err
	}
	var without [][][][]float64 // [folds, columns of y, places, 1]
	for _, fold := range folds {
		one, err := average(ctx, fold, few, column, at, func(c int, _ points.Points, d predict.Distribution) []float64 { return []float64{centre(c, d)} })
		if err != nil {
			return nil, err
		}
		without = append(without, one)
	}
	all := make([]Effect, len(f.Y))
	for c := range all {
		e := Effect{X: column, Scale: f.Stacks[c].Scale(), Two: two[c], Points: make([]Point, len(at)), Tenths: tenths}
		mean := make([]float64, len(folds))
		for k := range folds {
			for i := range at {
				mean[k] += without[k][c][i][0] / float64(len(at))
			}
		}
		for i, own := range curves[c] {
			q := &e.Points[i]
			q.X, q.Centre = at[i], own[len(Levels)]
			for k := range q.Quantiles {
				q.Quantiles[k] = e.Scale.Value(own[k])
			}
			q.Error = jackknife(len(folds), func(k int) float64 { return without[k][c][i][0] - mean[k] })
		}
		if last := e.last(f.XForms[column]); last > 0 {
			e.Change = &Change{0, last, e.Points[last].Centre - e.Points[0].Centre,
				jackknife(len(folds), func(k int) float64 { return without[k][c][last][0] - without[k][c][0][0] })}
		}
		all[c] = e
	}
	return all, nil
}

// Band returns the effect at a point in units of y, between the ends of its interval of 90%.
func (e Effect) Band(p Point) (low, centre, high float64) {
	const ninety = 1.645
	return e.Scale.Value(p.Centre - ninety*p.Error), e.Scale.Value(p.Centre), e.Scale.Value(p.Centre + ninety*p.Error)
}

// last returns the point to which the first one has a change: the end of numbers, or the second of two. It is 0 without one.
func (e Effect) last(form rows.Form) int {
	last := len(e.Points) - 1
	if last > 0 && math.IsNaN(e.Points[last].X) {
		last--
	}
	if form.Periods != nil && !form.Trend || form.Categories != nil && last > 1 {
		return 0
	}
	return last
}

// jackknife returns the standard error of what is computed from all groups, of its values without each of n folds of them.
func jackknife(n int, of func(fold int) float64) float64 {
	mean, sum := 0.0, 0.0
	for k := range n {
		mean += of(k) / float64(n)
	}
	for k := range n {
		sum += (of(k) - mean) * (of(k) - mean)
	}
	return math.Sqrt(sum * float64(n-1) / float64(n))
}

// distinct returns the rows of which each differs from the others in another column than one, and the weight of all that
// are like it: once that column is moved, their predictions are the same.
func distinct(all points.Points, column int) (different points.Points, weights []float64) {
	places := map[string]int{}
	for i := range all.Len() {
		rest := slices.Clone(all.Row(i))
		rest[column] = 0
		key := fmt.Sprint(rest)
		if _, is := places[key]; !is {
			places[key], weights = len(weights), append(weights, 0)
			different.Append(all.Cut(i, i+1))
		}
		weights[places[key]] += all.Weight(i)
	}
	return different, weights
}

// average returns numbers of the distributions of each column of y [columns of y, places, numbers], averaged over rows in
// which a column of x is moved to each place.
func average(ctx context.Context, f answer.Predictor, over []points.Question, column int, at []float64, numbers func(c int, known points.Points, d predict.Distribution) []float64) ([][][]float64, error) {
	all, total := make([][][]float64, len(f.Y)), 0.0
	for c := range all {
		all[c] = make([][]float64, len(at))
	}
	for _, some := range over {
		asked := points.Question{Known: some.Known}
		different, weights := distinct(some.Targets, column)
		for _, v := range at {
			moved := points.New(len(f.X), 0, slices.Clone(different.X), nil)
			for i := range moved.Len() {
				moved.Row(i)[column] = v
			}
			asked.Targets.Append(moved)
		}
		predicted, err := f.Distributions(ctx, asked)
		if err != nil {
			return nil, err
		}
		n := len(weights)
		total += floats.Sum(weights)
		for t, channels := range predicted {
			for c, d := range channels {
				one := numbers(c, asked.Known, d)
				if all[c][t/n] == nil {
					all[c][t/n] = make([]float64, len(one))
				}
				floats.AddScaled(all[c][t/n], weights[t%n], one)
			}
		}
	}
	for _, places := range all {
		for _, sums := range places {
			floats.Scale(1/total, sums)
		}
	}
	return all, nil
}
