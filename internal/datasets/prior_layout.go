package datasets

import (
	"math"

	"github.com/acqnp/acqnp/internal/random/dice"
)

// A layout says where the points of a family's functions lie: x = place + width·q(u), with u uniform
// on [0, 1). Each function has a place and a width of its own.
type layout struct {
	quantile          func(u float64) float64
	between, stretch  float64 // deviation of the place and of the width's logarithm
	offset, deviation float64 // that make x of mean 0 and deviation 1
}

// A place is what a function adds to its family's layout.
type place struct{ at, width float64 }

// newLayout draws a layout without offset.
func newLayout(d *dice.Dice) layout {
	l := layout{quantile: newQuantile(d), deviation: 1}
	if d.Chance(0.35) {
		l.between = d.LogUniform(0.1, 2)
	}
	if d.Chance(0.25) {
		l.stretch = d.Uniform(0.1, 0.6)
	}
	return l
}

// newQuantile draws the distribution of x within a function, of a deviation near 1.
func newQuantile(d *dice.Dice) func(u float64) float64 {
	uniform := func(u float64) float64 { return math.Sqrt(12) * (u - 0.5) }
	switch d.Choose(4, 4, 4, 2, 1, 1) {
	case 0:
		return uniform
	case 1:
		return func(u float64) float64 { return math.Sqrt2 * math.Erfinv(2*(u+1.0/(1<<25))-1) }
	case 2: // a grid: the same few x in all functions
		cells := float64(1 + int(d.LogUniform(1, 30)))
		return func(u float64) float64 { return uniform((math.Floor(u*cells) + 0.5) / cells) }
	case 3: // skewed, as waiting times and doses are
		sign := 1.0
		if d.Chance(0.3) {
			sign = -1
		}
		return func(u float64) float64 { return sign * -math.Log(1-u) }
	case 4: // a grid whose distances grow
		cells := float64(3 + int(d.Uniform(0, 8)))
		return func(u float64) float64 { return 4 * math.Exp2(-math.Floor(u*cells)) }
	default: // two clusters
		p, apart := d.Uniform(0.2, 0.8), d.Uniform(1, 3)
		return func(u float64) float64 {
			if u < p {
				return uniform(u/p) / 2
			}
			return apart + uniform((u-p)/(1-p))/2
		}
	}
}

// place draws the place and the width of a function.
func (l layout) place(d *dice.Dice) place {
	return place{at: l.between * d.Normal(), width: math.Exp(l.stretch * d.Normal())}
}

// x returns the x of a point of a function.
func (l layout) x(p place, u float64) float64 {
	return (p.at + p.width*l.quantile(u) - l.offset) / l.deviation
}
