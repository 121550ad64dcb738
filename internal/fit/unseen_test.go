package fit_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/predict"
	"github.com/acqnp/acqnp/internal/random"
	"github.com/acqnp/acqnp/internal/test/must"
)

// ovens is a fit of bakes in ovens, with two columns of five names each.
var ovens = once("oven,flour,tin,rise", "rise ~ flour + tin | oven", func() (rows []string) {
	g := random.New(3, random.Validation)
	for k := range uint64(10) {
		for i := range uint64(6) {
			flour, tin := g.IntN(k, 10+i, 5), g.IntN(k, 20+i, 5)
			rows = append(rows, fmt.Sprintf("o%d,f%d,t%d,%v", k, flour, tin, g.Normal(k, 0)+float64(flour)-0.5*float64(tin)+0.3*g.Normal(k, 30+i)))
		}
	}
	return rows
})

// A target with unseen names has the mean and the variance of all pairs of known names, whether they are computed
// together, since the known points have no such name, or one after the other.
func TestUnseenNamesAreAllPairsOfKnownOnes(t *testing.T) {
	t.Parallel()
	f := ovens(t)
	const unseen = 5
	for _, fn := range []points.Question{
		{},
		{Known: points.New(2, 1, []float64{1, 2, 4, 0}, []float64{0.5, 3})},
	} {
		var mean, square float64
		fn.Targets = points.New(2, 0, nil, nil)
		for flour := range 5 {
			for tin := range 5 {
				fn.Targets.X = append(fn.Targets.X, float64(flour), float64(tin))
			}
		}
		for _, d := range given(t, f, fn) {
			mean, square = mean+d.Mean()/25, square+(d.Variance()+d.Mean()*d.Mean())/25
		}
		fn.Targets.X = []float64{unseen, unseen, 0, 0, unseen, unseen}
		all := given(t, f, fn)
		for _, i := range []int{0, 2} {
			if d := all[i]; math.Abs(d.Mean()-mean) > 1e-6 || math.Abs(d.Variance()-(square-mean*mean)) > 1e-6 { // the network computes in float32
				t.Errorf("%d known points: %v ± %v, want %v ± %v of all pairs", len(fn.Known.Y), d.Mean(), math.Sqrt(d.Variance()), mean, math.Sqrt(square-mean*mean))
			}
		}
		if cost := must.Get(f.Cost(fn, nil))(t); cost.Readings != 25 {
			t.Errorf("%d readings of two unseen names among five each, want 25", cost.Readings)
		}
	}
}

// Work grows with the ways in which unseen names are read, most where the known points have them too.
func TestWorkCountsReadings(t *testing.T) {
	t.Parallel()
	f := ovens(t)
	work := func(known, target float64) float64 {
		fn := points.Question{Known: points.New(2, 1, nil, nil), Targets: points.New(2, 0, []float64{target, 0}, nil)}
		for i := range 50 {
			fn.Known.X, fn.Known.Y = append(fn.Known.X, known, float64(i%5)), append(fn.Known.Y, float64(i%3))
		}
		return must.Get(f.Cost(fn, predict.Whole([]points.Question{fn})))(t).Work
	}
	plain, target, both := work(0, 0), work(0, 9), work(9, 9)
	if !(target > plain && target < 3*plain) || math.Abs(both/plain-5) > 0.01 {
		t.Errorf("work of %.0f, %.0f with an unseen name of the target, %.0f with one of known points; want a little more, and 5 times as much", plain, target, both)
	}
}

// An ending is a context that ends after it was looked at a number of times.
type ending struct {
	context.Context
	left, looks int
}

func (e *ending) Err() error {
	if e.looks++; e.looks > e.left {
		return context.Canceled
	}
	return nil
}

// A prediction whose client is gone ends between two readings of unseen names, not after all of them.
func TestReadingsEndWithTheirContext(t *testing.T) {
	t.Parallel()
	f := ovens(t)
	fn := points.Question{Known: points.New(2, 1, []float64{5, 5}, []float64{1}), Targets: points.New(2, 0, []float64{5, 5}, nil)} // 25 readings, each of its own
	ctx := &ending{Context: t.Context(), left: 10}
	for _, err := range f.Predict(ctx, []points.Question{fn}) {
		if !errors.Is(err, context.Canceled) || ctx.looks > 11 {
			t.Errorf("ended with %v after %d looks, want the context's error at the eleventh", err, ctx.looks)
		}
	}
}
