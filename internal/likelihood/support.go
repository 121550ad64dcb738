package likelihood

import (
	"fmt"
	"math"
	"strconv"
)

// A Support says which values an outcome can have. The zero Support is that of all real numbers.
type Support struct {
	// The least and the greatest value, nil if there is none. Each has a probability of its own: it is an atom.
	Low  *float64 `json:"low,omitempty"`
	High *float64 `json:"high,omitempty"`

	Whole bool `json:"whole,omitempty"` // whole numbers alone
}

// Of returns the distribution of the outcome for which m is that of a real number. The number is rounded if the outcome
// is Whole, and one beyond an atom becomes the atom. LogDensity then is the logarithm of a probability at an atom and at
// whole numbers, and of a density elsewhere. Mean and Variance of whole numbers are within 1e-4 deviations.
func (s Support) Of(m GaussianMixture) GaussianMixture {
	m.support = s
	return m
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

// Bounds returns the least and the greatest value, infinite if there is none.
func (s Support) Bounds() (low, high float64) {
	low, high = math.Inf(-1), math.Inf(1)
	if s.Low != nil {
		low = *s.Low
	}
	if s.High != nil {
		high = *s.High
	}
	return low, high
}

// Two reports whether the outcome is one of two whole numbers.
func (s Support) Two() bool {
	low, high := s.Bounds()
	return s.Whole && high-low == 1
}

// MostWhole bounds the whole numbers that have halves beside them in float64. Of larger ones, one more is the same.
const MostWhole = 1 << 52

// countable reports whether whole numbers from a to b can be counted, and are at most most more than one.
func countable(a, b, most float64) bool { return b-a <= most && a > -MostWhole && b < MostWhole }

// Takes reports whether y is a value of the outcome.
func (s Support) Takes(y float64) bool {
	low, high := s.Bounds()
	return y >= low && y <= high && (!s.Whole || y == math.Trunc(y))
}

// Nearest returns y or, if it lies beyond an atom, the atom.
func (s Support) Nearest(y float64) float64 {
	low, high := s.Bounds()
	return min(max(y, low), high)
}

// Valid reports whether the outcome has more than one value, and bounds that are numbers.
func (s Support) Valid() bool {
	low, high := s.Bounds()
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

// PIT returns P(Y < y) + u·P(Y = y) for u from 0 to 1: where Y has a density, P(Y ≤ y). For a Y of the distribution
// and a uniform u it is uniform (the randomised PIT: Smith, "Diagnostic checks of non-standard time series models",
// 1985; Czado, Gneiting, Held, "Predictive model assessment for count data", 2009).
func PIT(d Distribution, y, u float64) float64 {
	p, _, _ := atom(d, y)
	return d.CDF(y) - (1-u)*p
}

// valueOf returns the value that a real number becomes. Halves go down, as quantiles must.
func (s Support) valueOf(v float64) float64 {
	if s.Whole {
		v = math.Ceil(v-0.5) + 0 // not −0
	}
	return s.Nearest(v) // NaN stays NaN
}

// edge returns the largest real number that becomes at most y.
func (s Support) edge(y float64) float64 {
	if s.Whole {
		return math.Floor(y) + 0.5
	}
	return y
}

// EvenCDF returns what CDF does with each whole number spread evenly from half below it to half above, for pictures.
func EvenCDF(d Distribution, y float64) float64 {
	if !d.Support().Whole || math.IsInf(y, 0) {
		return d.CDF(y)
	}
	k := math.Ceil(y - 0.5)
	return PIT(d, k, y-k+0.5)
}

// atom returns P(Y = y) and the real numbers from a to b that become y; a = b if none has a probability.
func atom(d Distribution, y float64) (p, a, b float64) {
	s := d.Support()
	low, high := s.Bounds()
	a, b = y, y
	if s.Whole {
		if y != math.Trunc(y) {
			return 0, a, b
		}
		a, b = y-0.5, y+0.5
	}
	if y == low {
		a = math.Inf(-1)
	}
	if y == high {
		b = math.Inf(1)
	}
	if !(a < b) || y < low || y > high {
		return 0, y, y
	}
	of := d.real()
	if below := of.CDF(a); below < 0.5 {
		return of.CDF(b) - below, a, b
	}
	return of.Survival(a) - of.Survival(b), a, b
}

// An Atom is a value and its probability.
type Atom struct{ Y, Probability float64 }

// Ends returns the bounds of Y with their probabilities; none of whole numbers, of which each has one.
func Ends(d Distribution) (all []Atom) {
	low, high := d.Support().Bounds()
	for _, y := range []float64{low, high} {
		if p, _, _ := atom(d, y); !d.Support().Whole && !math.IsInf(y, 0) {
			all = append(all, Atom{y, p})
		}
	}
	return all
}

// logProbability is LogDensity with a support.
func (m GaussianMixture) logProbability(y float64) float64 {
	const digits = 1e-290 // below it a float64 has fewer
	p, a, b := atom(m, y)
	switch low, high := m.support.Bounds(); {
	case p > digits:
		return math.Log(p)
	case math.IsNaN(p):
		return p
	case math.IsInf(a, -1) && a < b:
		return m.logTail(b, 1)
	case math.IsInf(b, 1) && a < b:
		return m.logTail(a, -1)
	case a < b: // times 1, far out in a tail
	case m.support.Whole || y < low || y > high:
		return math.Inf(-1)
	}
	return m.unbounded().LogDensity(y)
}

// logTail returns the logarithm of the probability of all below y or, if sign is −1, above it.
func (m GaussianMixture) logTail(y, sign float64) float64 {
	var logs []float64
	for _, c := range m.Components() {
		logs = append(logs, math.Log(c.Weight)+LogNormalCDF(sign*(c.Scale.Place(y)-c.Mu)/c.Sigma))
	}
	return LogSumExp(logs)
}
