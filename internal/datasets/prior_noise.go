package datasets

import (
	"math"

	"github.com/acqnp/acqnp/internal/random/dice"
)

// A noise is the distribution of y around a curve: ε·scale, where ε has mean 0 and variance 1.
type noise struct {
	draw  func(d *dice.Dice) float64 // ε
	slope float64                    // the logarithm of the scale grows by it with x
	bend  float64                    // … and with x²
	level float64                    // … and with the curve
	loud  float64                    // deviation of the logarithm of a function's own factor
	share float64                    // of the variance of y that is noise
}

// newNoise draws the noise of a family. Its share goes from nearly none to nearly all.
func newNoise(d *dice.Dice) noise {
	n := noise{draw: newErrors(d), share: 1 / (1 + math.Exp(0.6-2.2*d.Normal()))}
	if d.Chance(0.25) {
		n.slope = 0.5 * d.Normal()
	}
	if d.Chance(0.15) {
		n.bend = 0.25 * d.Normal()
	}
	if d.Chance(0.2) {
		n.level = 0.5 * d.Normal()
	}
	if d.Chance(0.3) {
		n.loud = d.Uniform(0.1, 0.6)
	}
	return n
}

// scale returns the scale at a point with a curve of value signal, in a function with its own factor.
func (n noise) scale(x, signal, factor float64) float64 {
	log := n.slope*x + n.bend*(x*x-1) + n.level*signal
	return factor * math.Exp(min(max(log, -2), 2))
}

// newErrors draws the shape of the noise: a distribution of mean 0 and variance 1.
func newErrors(d *dice.Dice) func(d *dice.Dice) float64 {
	sign := 1.0
	if d.Chance(0.5) {
		sign = -1
	}
	switch d.Choose(8, 3, 3, 1, 2, 1) {
	case 0:
		return (*dice.Dice).Normal
	case 1: // heavy tails: a deviation that is log-normal
		t := d.Uniform(0.2, 0.8)
		return func(d *dice.Dice) float64 { return d.Normal() * math.Exp(t*d.Normal()-t*t) }
	case 2: // skewed: log-normal
		s := d.Uniform(0.2, 0.9)
		mean, deviation := math.Exp(s*s/2), math.Exp(s*s/2)*math.Sqrt(math.Expm1(s*s))
		return func(d *dice.Dice) float64 { return sign * (math.Exp(s*d.Normal()) - mean) / deviation }
	case 3: // skewed: exponential
		return func(d *dice.Dice) float64 { return sign * (-math.Log(1-d.Uniform(0, 1)) - 1) }
	case 4: // two modes, √(p(1−p)) of the distance from their mean
		p, apart := d.Uniform(0.15, 0.5), d.Uniform(0.8, 0.99) // the share of the variance between them
		above, below := sign*math.Sqrt(apart*(1-p)/p), -sign*math.Sqrt(apart*p/(1-p))
		rest := math.Sqrt(1 - apart)
		return func(d *dice.Dice) float64 {
			if d.Chance(p) {
				return above + rest*d.Normal()
			}
			return below + rest*d.Normal()
		}
	default:
		return func(d *dice.Dice) float64 { return d.Uniform(-1, 1) * math.Sqrt(3) }
	}
}
