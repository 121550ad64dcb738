package likelihood

import (
	"fmt"
	"math"
	"slices"
	"strconv"
)

// A Support says which values an outcome can have. The zero Support is that of all real numbers.
type Support struct {
	// The least and the greatest value, nil if there is none. Each has a probability of its own: it is an atom.
	Low  *float64 `json:"low,omitempty"`
	High *float64 `json:"high,omitempty"`

	Whole bool `json:"whole,omitempty"` // whole numbers alone
}

// Of returns the distribution of the outcome for which d is that of a real number: a [GaussianMixture], an [Exp], a
// [Squared] or a [TwoScales]. The number is rounded if the outcome is Whole, and one beyond an atom becomes the atom.
func (s Support) Of(d Distribution) Distribution {
	if s.Real() {
		return d
	}
	low, high := s.bounds()
	return Supported{d, low, high, s.Whole}
}

// Real reports whether an outcome can be any real number.
func (s Support) Real() bool { return s.Low == nil && s.High == nil && !s.Whole }

// OfRates returns what is left of the values where models see them in units that differ by row: if units differ by
// factors alone, whole numbers and a least value of 0.
func (s Support) OfRates(factors bool) Support {
	if !factors {
		return Support{}
	}
	if s.High = nil; s.Low != nil && *s.Low != 0 {
		s.Low = nil
	}
	return s
}

// bounds returns the least and the greatest value, infinite if there is none.
func (s Support) bounds() (low, high float64) {
	low, high = math.Inf(-1), math.Inf(1)
	if s.Low != nil {
		low = *s.Low
	}
	if s.High != nil {
		high = *s.High
	}
	return low, high
}

// MostWhole bounds the whole numbers that have halves beside them in float64. Of larger ones, one more is the same.
const MostWhole = 1 << 52

// countable reports whether whole numbers from a to b can be counted, and are at most most more than one.
func countable(a, b, most float64) bool { return b-a <= most && a > -MostWhole && b < MostWhole }

// Takes reports whether y is a value of the outcome.
func (s Support) Takes(y float64) bool {
	low, high := s.bounds()
	return y >= low && y <= high && (!s.Whole || y == math.Trunc(y))
}

// Nearest returns y or, if it lies beyond an atom, the atom.
func (s Support) Nearest(y float64) float64 {
	low, high := s.bounds()
	return min(max(y, low), high)
}

// Valid reports whether the outcome has more than one value, and bounds that are numbers.
func (s Support) Valid() bool {
	low, high := s.bounds()
	return low < high && !math.IsInf(low, 1) && !math.IsInf(high, -1)
}

// String describes the values, as in "whole numbers of 0 or more".
func (s Support) String() string {
	text, number := "numbers", func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	if s.Whole {
		text = "whole numbers"
	}
	switch {
	case s.Low != nil && s.High != nil:
		return fmt.Sprintf("%s from %s to %s", text, number(*s.Low), number(*s.High))
	case s.Low != nil:
		return fmt.Sprintf("%s of %s or more", text, number(*s.Low))
	case s.High != nil:
		return fmt.Sprintf("%s of %s or less", text, number(*s.High))
	}
	return text
}

// Supported is the distribution of an outcome with a [Support] that is not all real numbers. Its LogDensity is the
// logarithm of a probability at an atom and at whole numbers, and of a density elsewhere.
//
// Mean and Variance cut the tail of a part of log Y as [Exp] does. Those of whole numbers are within 1e-4 deviations.
type Supported struct {
	of        Distribution
	low, high float64
	whole     bool
}

// Bounds returns the least and the greatest value, infinite if there is none, and whether values are whole numbers.
func (d Supported) Bounds() (low, high float64, whole bool) { return d.low, d.high, d.whole }

// PIT returns P(Y < y) + u·P(Y = y) for u from 0 to 1: where Y has a density, P(Y ≤ y). For a Y of the distribution
// and a uniform u it is uniform (the randomised PIT: Smith, "Diagnostic checks of non-standard time series models",
// 1985; Czado, Gneiting, Held, "Predictive model assessment for count data", 2009).
func PIT(d Distribution, y, u float64) float64 {
	s, ok := d.(Supported)
	if !ok {
		return d.CDF(y)
	}
	below := s.below(y)
	return below + u*(s.CDF(y)-below)
}

// settle returns the value that a real number becomes. Halves go down, as quantiles must.
func (d Supported) settle(v float64) float64 {
	if d.whole {
		v = math.Ceil(v-0.5) + 0 // not −0
	}
	return min(max(v, d.low), d.high) // NaN stays NaN
}

// edge returns the largest real number that becomes at most y.
func (d Supported) edge(y float64) float64 {
	if d.whole {
		return math.Floor(y) + 0.5
	}
	return y
}

// CDF returns P(Y ≤ y).
func (d Supported) CDF(y float64) float64 {
	switch {
	case y < d.low:
		return 0
	case y >= d.high:
		return 1
	}
	return d.of.CDF(d.edge(y))
}

// Survival returns P(Y > y). Unlike 1 − CDF(y), it keeps its digits in the upper tail.
func (d Supported) Survival(y float64) float64 {
	switch {
	case y < d.low:
		return 1
	case y >= d.high:
		return 0
	}
	return d.of.Survival(d.edge(y))
}

// below returns P(Y < y).
func (d Supported) below(y float64) float64 {
	switch {
	case y <= d.low:
		return 0
	case y > d.high:
		return 1
	case d.whole:
		return d.of.CDF(math.Ceil(y) - 0.5)
	}
	return d.of.CDF(y)
}

// Spread returns what CDF does with each whole number spread evenly from half below it to half above, for pictures.
func (d Supported) Spread(y float64) float64 {
	if !d.whole || math.IsInf(y, 0) {
		return d.CDF(y)
	}
	k := math.Ceil(y - 0.5)
	below := d.below(k)
	return below + (y-k+0.5)*(d.CDF(k)-below)
}

// atom returns P(Y = y) and the real numbers from a to b that become y; a = b if none has a probability.
func (d Supported) atom(y float64) (p, a, b float64) {
	a, b = y, y
	if d.whole {
		if y != math.Trunc(y) {
			return 0, a, b
		}
		a, b = y-0.5, y+0.5
	}
	if y == d.low {
		a = math.Inf(-1)
	}
	if y == d.high {
		b = math.Inf(1)
	}
	if !(a < b) || y < d.low || y > d.high {
		return 0, y, y
	}
	if below := d.of.CDF(a); below < 0.5 {
		return d.of.CDF(b) - below, a, b
	}
	return d.of.Survival(a) - d.of.Survival(b), a, b
}

// An Atom is a value and its probability.
type Atom struct{ Y, Probability float64 }

// Ends returns the bounds with their probabilities; none of whole numbers, of which each has one.
func (d Supported) Ends() (all []Atom) {
	for _, y := range []float64{d.low, d.high} {
		if p, _, _ := d.atom(y); !d.whole && !math.IsInf(y, 0) {
			all = append(all, Atom{y, p})
		}
	}
	return all
}

// LogDensity returns log P(Y = y) at an atom and for whole numbers, and otherwise the log density.
func (d Supported) LogDensity(y float64) float64 {
	const digits = 1e-290 // below it a float64 has fewer
	p, a, b := d.atom(y)
	switch {
	case p > digits:
		return math.Log(p)
	case math.IsNaN(p):
		return p
	case math.IsInf(a, -1) && a < b:
		return d.logTail(b, 1)
	case math.IsInf(b, 1) && a < b:
		return d.logTail(a, -1)
	case a < b:
		return d.of.LogDensity(y) // times 1, far out in a tail
	case d.whole || y < d.low || y > d.high:
		return math.Inf(-1)
	}
	return d.of.LogDensity(y)
}

// logTail returns the logarithm of the probability of all below y or, if sign is −1, above it.
func (d Supported) logTail(y, sign float64) float64 {
	var logs []float64
	for _, c := range d.Components() {
		logs = append(logs, math.Log(c.Weight)+LogNormalCDF(sign*(c.place(y)-c.Mu)/c.Sigma))
	}
	return LogSumExp(logs)
}

// place returns the number on the scale of a component that stands for y.
func (c Component) place(y float64) float64 {
	switch {
	case c.Log && y > 0:
		return math.Log(y)
	case c.Log:
		return math.Inf(-1)
	case c.Root:
		return squareRoot(y)
	}
	return y
}

// Quantile returns the smallest value y with CDF(y) ≥ p. It is NaN outside [0, 1].
func (d Supported) Quantile(p float64) float64 { return d.settle(d.of.Quantile(p)) }

// Components returns the Gaussians of the real number that becomes the outcome.
func (d Supported) Components() []Component {
	all := d.of.Components()
	if _, log := d.of.(Exp); log {
		for i := range all {
			all[i].Log = true
		}
	}
	return all
}

// Draw turns two independent numbers into a draw, as [GaussianMixture.Draw] does.
func (d Supported) Draw(u, normal float64) float64 {
	return d.settle(d.of.(interface {
		Draw(u, normal float64) float64
	}).Draw(u, normal))
}

// CRPS returns the continuous ranked probability score of the outcome y, to 1e-6 of the distribution's spread. If a
// component is one of log Y, it leaves out the levels above 0.99, as [Exp.CRPS] does.
func (d Supported) CRPS(y float64) float64 {
	if slices.ContainsFunc(d.Components(), func(c Component) bool { return c.Log }) {
		return toCut.crps(d, y, d.area)
	}
	return toEnd.crps(d, y, d.area)
}

// area returns ∫ F² or, if above, ∫ (1−F)² from a to b. For whole numbers it is a sum, unless they are many.
func (d Supported) area(above bool, a, b, tolerance float64) float64 {
	const many = 200
	f := Distribution.CDF
	if above {
		f = Distribution.Survival
	}
	if !d.whole || !countable(a, b, many) {
		return integral(func(t float64) float64 { v := f(d.of, t); return v * v }, a, b, max(tolerance, 1e-6*(b-a)))
	}
	sum := 0.0
	for k := a; k < b; k++ {
		v := f(d, k)
		sum += v * v
	}
	return sum
}
