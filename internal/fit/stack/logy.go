package stack

import (
	"math"

	"github.com/acqnp/acqnp/internal/fit/simple"
	"github.com/acqnp/acqnp/internal/likelihood"
)

// A LogY is the range of log y in the data. It bounds what models of log y say of y.
type LogY struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// logYOf returns the range of the groups, nil unless all y are above 0.
func logYOf(groups []simple.Group) *LogY {
	r := &LogY{math.Inf(1), math.Inf(-1)}
	for _, g := range groups {
		for _, y := range g.Y {
			r.Low, r.High = min(r.Low, math.Log(y)), max(r.High, math.Log(y))
		}
	}
	if !(r.Low > math.Inf(-1)) {
		return nil
	}
	return r
}

// bounded returns a prediction of log y with parts that the data support. Above the largest y, a part moves only as
// far as y itself would with the slope of the exponential there, and narrows accordingly. No part is wider than
// half of the range of log y. Otherwise the exponential of a line beyond the data, or of a point that
// nothing is known of, would have a mean of any size.
func (r *LogY) bounded(d likelihood.GaussianMixture) likelihood.GaussianMixture {
	return d.Map(func(g likelihood.Gaussian) likelihood.Gaussian {
		if beyond := g.Mean - r.High; beyond > 0 {
			g.Mean, g.Scale = r.High+math.Log1p(beyond), g.Scale/(1+beyond)
		}
		if most := (r.High - r.Low) / 2; most > 0 {
			g.Scale = min(g.Scale, most)
		}
		return g
	})
}
