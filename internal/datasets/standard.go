package datasets

import (
	"math"
)

// The columns of a data set that a model by groups reads: so many that vary within groups, and so many that
// are constant within each.
const (
	Varying  = 4
	Constant = 4
)

// A Standard is the units in which a model by groups sees a column: less a mean, over a deviation, of the
// rows of the siblings.
type Standard struct{ Mean, Deviation float64 }

// StandardOf returns the units of values. If they are equal but for rounding, the deviation is 1.
func StandardOf(values []float64) (s Standard) {
	size := 0.0 // by which squares of small numbers do not vanish
	for _, v := range values {
		s.Mean += v / float64(len(values))
		size = max(size, math.Abs(v))
	}
	if size == 0 {
		return Standard{0, 1}
	}
	for _, v := range values {
		d := (v - s.Mean) / size
		s.Deviation += d * d / float64(len(values))
	}
	if s.Deviation = size * math.Sqrt(s.Deviation); !(s.Deviation > 1e-13*math.Abs(s.Mean)) {
		s.Deviation = 1
	}
	return s
}

// mostDeviations bounds what a model sees of x. It sees twice as much of y.
const mostDeviations = 12

// Of returns v in the units, without a bound.
func (s Standard) Of(v float64) float64 { return (v - s.Mean) / s.Deviation }

// X returns what a model sees of a value of x.
func (s Standard) X(v float64) float32 { return s.in(v, mostDeviations) }

// Y returns what a model sees of a value of y.
func (s Standard) Y(v float64) float32 { return s.in(v, 2*mostDeviations) }

func (s Standard) in(v, most float64) float32 { return float32(max(-most, min(most, s.Of(v)))) }
