package effects

import (
	"math"
	"slices"

	"github.com/acqnp/acqnp/internal/fit/answer"
	"github.com/acqnp/acqnp/internal/points"
)

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
	case twoValued(f, column):
		places = []float64{low, high}
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

// twoValued reports whether all kept rows have the least or the largest value of a column.
func twoValued(f answer.Predictor, column int) bool {
	data := f.Ranges[column]
	return !slices.ContainsFunc(f.Kept.Groups, func(g points.Group) bool {
		return slices.ContainsFunc(g.Column(column), func(v float64) bool { return v > data.Low && v < data.High })
	})
}

// tenthsOf returns the ends of the tenths of a column of numbers, without the first and the last.
func tenthsOf(f answer.Predictor, column int) (ends []float64) {
	var all []float64
	form := f.XForms[column]
	if form.Categories != nil || twoValued(f, column) {
		return nil
	}
	for _, g := range f.Kept.Groups {
		for _, v := range g.Column(column) {
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
