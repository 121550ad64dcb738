package prior

import (
	"math"
	"slices"

	"github.com/acqnp/acqnp/research/pretrained/dice"
)

// An ending is what becomes of the sum of mean and noise.
type ending int

const (
	asItIs ending = iota
	exponential
	count
	marks   // so many of so many questions
	rounded // at times within limits
	limited // a ceiling, a floor
	zeros   // exponential, or 0
	powered
	share // between 0 and 1
)

func newEnding(d *dice.Dice) ending {
	return exponential + ending(d.Choose(6, 3, 2, 3, 3, 1, 1, 1))
}

// counts reports whether y is a count, which brings its own noise.
func (e ending) counts() bool { return e == count || e == marks }

// whole reports whether y is a whole number.
func (e ending) whole() bool { return e.counts() || e == rounded }

// end makes y of the sum of mean and noise, and rounds half of them to the resolution of an instrument.
func (s *sketch) end() {
	standardise(s.y)
	for i, v := range s.y {
		s.y[i] = min(max(v, -8), 8)
	}
	if s.kind != asItIs {
		s.become(func(y []float64) { s.kind.make(s, y) })
	}
	if !s.kind.whole() && s.Chance(0.55) {
		_, deviation := moments(s.y)
		step := deviation * s.LogUniform(0.005, 0.3)
		s.become(func(y []float64) { round(y, step) })
	}
}

// become changes y, unless all y would be equal.
func (s *sketch) become(change func(y []float64)) {
	y := slices.Clone(s.y)
	change(y)
	if slices.Min(y) < slices.Max(y) {
		s.y = y
	}
}

// round rounds values to multiples of a step.
func round(values []float64, step float64) {
	for i, v := range values {
		values[i] = step * math.Floor(v/step+0.5)
	}
}

// make turns the values y, of mean 0 and deviation 1.
func (e ending) make(s *sketch, y []float64) {
	var of func(v float64) float64
	switch e {
	case exponential:
		strength := s.LogUniform(0.15, 1.5)
		of = func(v float64) float64 { return math.Exp(strength * v) }
	case count:
		of = s.newCount()
	case marks:
		of = s.newMark()
	case rounded:
		step, limit := s.LogUniform(0.03, 1), 10.0
		if s.Chance(0.3) {
			limit = s.Uniform(1, 2.5)
		}
		of = func(v float64) float64 { return math.Floor(min(max(v, -limit), limit)/step + 0.5) }
	case limited:
		lo, hi := -10.0, s.Uniform(0, 2)
		if s.Chance(0.3) {
			lo = s.Uniform(-2, -0.3)
		}
		of = func(v float64) float64 { return min(max(v, lo), hi) }
	case zeros:
		strength, at, steep := s.Uniform(0.2, 1), s.Uniform(-2, 0.5), s.Uniform(0, 2)
		of = func(v float64) float64 {
			if s.Chance(1 / (1 + math.Exp(steep*v-at))) {
				return 0
			}
			return math.Exp(strength * v)
		}
	case powered:
		least, p := slices.Min(y), s.LogUniform(0.4, 3)
		of = func(v float64) float64 { return math.Exp(p * math.Log(v-least+0.1)) }
	case share:
		strength, at := s.Uniform(0.7, 3), s.Normal()
		of = func(v float64) float64 { return 1 / (1 + math.Exp(-strength*v-at)) }
	}
	for i, v := range y {
		y[i] = of(v)
	}
}

// newCount draws counts: Poisson's, or with a factor of gamma's that makes them negative binomial.
func (s *sketch) newCount() func(v float64) float64 {
	mean, strength, shape := s.LogUniform(0.5, 60), s.Uniform(0.2, 1.1), 0.0
	if s.Chance(0.4) {
		shape = s.LogUniform(0.7, 10)
	}
	return func(v float64) float64 {
		rate := mean * math.Exp(strength*v)
		if shape > 0 {
			rate *= s.gamma(shape) / shape
		}
		return s.poisson(rate)
	}
}

// poisson returns a count of Poisson's distribution, for large rates a rounded normal number.
func (s *sketch) poisson(rate float64) float64 {
	if rate > 40 {
		return max(math.Floor(rate+math.Sqrt(rate)*s.Normal()+0.5), 0)
	}
	n, p, u := 0.0, math.Exp(-rate), s.Uniform(0, 1)
	for u >= p && n < 200 {
		u -= p
		n++
		p *= rate / n
	}
	return n
}

// newMark draws numbers of questions that are answered well.
func (s *sketch) newMark() func(v float64) float64 {
	questions, strength, at := math.Floor(s.LogUniform(5, 100)), s.Uniform(0.4, 1.5), s.Normal()
	return func(v float64) float64 {
		p := 1 / (1 + math.Exp(-strength*v-at))
		if questions > 20 {
			n := questions*p + math.Sqrt(questions*p*(1-p))*s.Normal()
			return min(max(math.Floor(n+0.5), 0), questions)
		}
		n := 0.0
		for range int(questions) {
			if s.Chance(p) {
				n++
			}
		}
		return n
	}
}
