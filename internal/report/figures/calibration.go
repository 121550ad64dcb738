package figures

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/acqnp/acqnp/internal/likelihood/score"
)

// A Calibration shows whether predictions are calibrated, from the scores of targets: the histogram
// of the PIT, observed by nominal coverage, and the coverage of each function.
type Calibration struct {
	Title     string // of a file
	Means     score.Means
	Functions []score.Function // may be empty
}

// outside is the probability with which a calibrated model leaves a band.
const outside = 0.05

// A Reliability is the share of targets inside the central interval of probability Nominal, and the
// range in which it lies for 95 of 100 calibrated models.
type Reliability struct{ Nominal, Observed, Low, High float64 }

// Independent returns the number of independent targets that tell as much as the scored ones.
// Targets of one function are alike: if their coverage differs between functions by more than chance,
// they count less. It is from 1 to the number of targets, and at least that of functions.
func (c Calibration) Independent() int {
	n, effects, known := float64(c.Means.Targets), 0.0, 0.0
	for _, of := range []func(score.Coverage) float64{
		func(c score.Coverage) float64 { return c.Half },
		func(c score.Coverage) float64 { return c.Most },
	} {
		if effect := designEffect(c.Functions, of); effect > 0 {
			effects, known = effects+effect, known+1
		}
	}
	if known > 0 {
		n = min(n, n/(effects/known))
	}
	return max(1, int(math.Round(max(n, float64(len(c.Functions))))))
}

// designEffect returns the variance of a coverage over functions in units of that of independent
// targets, or 0 if it is unknown.
func designEffect(functions []score.Function, of func(score.Coverage) float64) float64 {
	count, n, inside := float64(len(functions)), 0.0, 0.0
	for _, f := range functions {
		n += float64(f.Points)
		inside += float64(f.Points) * of(f.Coverage)
	}
	mean, squares := inside/n, 0.0
	if count < 2 || mean <= 0 || mean >= 1 {
		return 0
	}
	for _, f := range functions {
		d := float64(f.Points) * (of(f.Coverage) - mean)
		squares += d * d
	}
	return squares * count / (count - 1) / (n * mean * (1 - mean))
}

// Band returns the range in which the shares of all bins of the PIT lie for at least 95 of 100
// calibrated models.
func (c Calibration) Band() (low, high float64) {
	bins := float64(len(c.Means.PIT))
	return binomialRange(c.Independent(), 1/bins, outside/bins)
}

// BinsOutside returns the number of bins of the PIT below and above the band.
func (c Calibration) BinsOutside() (below, above int) {
	low, high := c.Band()
	for _, share := range c.Means.PIT {
		switch {
		case share < low-rounding:
			below++
		case share > high+rounding:
			above++
		}
	}
	return below, above
}

// rounding is a bound of the rounding errors of shares.
const rounding = 1e-9

// Reliability returns the coverage of central intervals, each two bins of the PIT wider than the one
// before.
func (c Calibration) Reliability() []Reliability {
	pit, n := c.Means.PIT, c.Independent()
	half, observed := len(pit)/2, 0.0
	var list []Reliability
	for k := 1; k < half; k++ {
		observed += pit[half-k] + pit[half+k-1]
		r := Reliability{Nominal: float64(k) / float64(half), Observed: observed}
		r.Low, r.High = binomialRange(n, r.Nominal, outside)
		list = append(list, r)
	}
	return list
}

// binomialRange returns the range of the share of n independent trials that succeed with probability
// p. The share is below it with a probability of at most half of outside, and above it likewise.
func binomialRange(n int, p, outside float64) (low, high float64) {
	b := distuv.Binomial{N: float64(n), P: p}
	// first returns the least number of successes k with P(K ≤ k) > level.
	first := func(level float64) int {
		lo, hi := 0, n
		for lo < hi {
			if k := (lo + hi) / 2; b.CDF(float64(k)) > level {
				hi = k
			} else {
				lo = k + 1
			}
		}
		return lo
	}
	return float64(first(outside/2)) / float64(n), float64(first(1-outside/2)) / float64(n)
}
