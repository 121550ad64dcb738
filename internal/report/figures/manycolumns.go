package figures

import (
	"context"
	"slices"

	"github.com/acqnp/acqnp/internal/predict"
)

const (
	mapSide   = 48  // predictions along each column of x of a map
	mapLevels = 100 // the largest number of levels or bootstraps
)

// mapRows returns the maps of the subjects along two columns of x, one for each channel.
func mapRows(ctx context.Context, p predict.Predictor, v view, subjects []Subject, o Options) ([]MapRow, error) {
	corrections, err := o.corrections(subjects, len(v.units.YNames))
	if err != nil {
		return nil, err
	}
	functions, dy := make([]predict.Function, len(subjects)), len(v.units.YNames)
	rows := make([]MapRow, len(subjects)*dy)
	for i, s := range subjects {
		functions[i] = s.Function
		first, second := covering(v.shown(s, subjects, 0), mapSide), covering(v.shown(s, subjects, 1), mapSide)
		middle := v.middle(s)
		functions[i].TargetX = nil
		for _, b := range second {
			for _, a := range first {
				functions[i].TargetX = v.at(functions[i].TargetX, middle, a, b)
			}
		}
		for c := range dy {
			rows[i*dy+c] = MapRow{Title: v.title(s), Channel: v.units.YNames[c], Columns: first, Rows: second,
				Context: v.places(s.ContextX, s.ContextY, c), Held: v.places(s.HeldX, s.HeldY, c)}
		}
	}
	for target, err := range p.Limited(mapLevels, true).Predict(ctx, functions) {
		if err != nil {
			return nil, err
		}
		for c, d := range target.Channels {
			r := &rows[target.Function*dy+c]
			levels := corrections[target.Function*dy+c].bars
			r.Median = append(r.Median, d.Quantile(levels[2]))
			r.Width = append(r.Width, d.Quantile(levels[4])-d.Quantile(levels[0]))
		}
	}
	return slices.DeleteFunc(rows, func(r MapRow) bool { return len(r.Median) == 0 }), nil
}

// covering returns n evenly spaced numbers that cover the given ones, or one if all are the same.
func covering(x []float64, n int) []float64 {
	lo, hi := extremes(x)
	switch {
	case lo > hi:
		return nil
	case lo == hi:
		return []float64{lo}
	}
	return between(lo, hi, n-1)
}

// places pairs x [N, columns of x] along the axes with one channel of y [N, dy].
func (v view) places(x, y []float64, channel int) []Place {
	first, second := v.along(x, 0), v.along(x, 1)
	all := make([]Place, len(first))
	for i := range all {
		all[i] = Place{first[i], second[i], y[i*len(v.units.YNames)+channel]}
	}
	return all
}
