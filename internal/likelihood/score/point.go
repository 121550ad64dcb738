// Package score measures how well predictive distributions predict outcomes, in raw units.
//
// [Of] scores one outcome: a [Point] has the log density, the CRPS, pinball losses at [Levels], and
// the PIT, which is the distribution function at the outcome. A [Tally] adds points up to a
// [Summary]: means over all outcomes, for each channel, and for each group.
package score

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/acqnp/acqnp/internal/likelihood"
)

// Levels are the levels of the pinball losses.
var Levels = [...]float64{0.05, 0.25, 0.5, 0.75, 0.95}

// A Point holds the scores of the outcome y of one channel at one target.
type Point struct {
	Group  string
	Weight float64 // how often it counts, a row weight; 0 for once

	Y, LogDensity, CRPS float64
	Side                int8                 // of Y, a limit beyond which the outcome is, see OfLimit; 0 if it is Y
	PIT                 float64              // see likelihood.PIT
	Pinball             [len(Levels)]float64 // ρ_p(y − Q(p)) at each of Levels, ρ_p(e) = max(pe, (p−1)e)
	Rank                float64              // see likelihood.RegionRank; only for an Outcomes
}

// Of returns the scores of an outcome y under the prediction d. The PIT of a y with a probability of its own takes u, a
// uniform number.
func Of(d likelihood.Distribution, y, u float64) Point {
	p := Point{Y: y, LogDensity: d.LogDensity(y), CRPS: d.CRPS(y), PIT: likelihood.PIT(d, y, u)}
	for i, q := range likelihood.ApproximateQuantiles(d, Levels[:]...) {
		level, e := Levels[i], y-q
		p.Pinball[i] = math.Max(level*e, (level-1)*e)
	}
	return p
}

// OfLimit returns the scores of an outcome of which the side of a limit is known, as points.Points has it: the log density is
// the logarithm of the probability of the side. The scores that need the outcome itself are NaN.
func OfLimit(d likelihood.Distribution, limit float64, side int8) Point {
	none := math.NaN()
	return Point{Y: limit, Side: side, LogDensity: likelihood.LogKnown(d, limit, side), CRPS: none, PIT: none,
		Pinball: [len(Levels)]float64{none, none, none, none, none}}
}

// times returns how often the point counts.
func (p Point) times() float64 {
	if p.Weight == 0 {
		return 1
	}
	return p.Weight
}

// Finite reports whether all scores that the point has are finite numbers.
func (p Point) Finite() bool {
	if p.Side != 0 {
		p = Point{LogDensity: p.LogDensity}
	}
	sum := p.LogDensity + p.CRPS + p.PIT
	for _, loss := range p.Pinball {
		sum += loss
	}
	return !math.IsNaN(sum) && !math.IsInf(sum, 0)
}

// Impossible reports whether the outcome has the density 0, and scores that are finite otherwise.
func (p Point) Impossible() bool {
	if !math.IsInf(p.LogDensity, -1) {
		return false
	}
	p.LogDensity = 0
	return p.Finite()
}

// inside reports whether y lies in the central interval of a probability.
func (p Point) inside(probability float64) bool {
	return math.Abs(p.PIT-0.5) <= probability/2
}

// Estimate is a mean and its standard error. StdError is nil if there is only one value.
type Estimate struct {
	Mean     float64  `json:"mean"`
	StdError *float64 `json:"std_error"`
}

// MarshalJSON implements [json.Marshaler].
func (e Estimate) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Mean     Number   `json:"mean"`
		StdError *float64 `json:"std_error"`
	}{Number(e.Mean), e.StdError})
}

// A Number is a mean. It is NaN if there is nothing to average, which JSON writes as null.
type Number float64

// MarshalJSON implements [json.Marshaler].
func (n Number) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(n)) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

// String returns "mean ± standard error", or the mean alone.
func (e Estimate) String() string {
	if e.StdError == nil {
		return fmt.Sprintf("%.4f", e.Mean)
	}
	return fmt.Sprintf("%.4f ± %.4f", e.Mean, *e.StdError)
}

// A cluster is a sum of values that belong together, and their number.
type cluster struct{ sum, n float64 }

// estimate returns the mean of all values and its standard error, for clusters that are independent
// of one another: √(Σ (sum − n·mean)² · C/(C−1)) over the number of values.
func estimate(clusters []cluster) Estimate {
	var all cluster
	for _, c := range clusters {
		all.sum, all.n = all.sum+c.sum, all.n+c.n
	}
	mean, squares, count := all.sum/all.n, 0.0, float64(len(clusters))
	if count < 2 || all.n == 0 {
		return Estimate{Mean: mean}
	}
	for _, c := range clusters {
		d := c.sum - c.n*mean
		squares += d * d
	}
	stdError := math.Sqrt(squares*count/(count-1)) / all.n
	return Estimate{mean, &stdError}
}

// A running holds the mean and the squared deviations of values that come one by one (Welford), each so many times.
type running struct{ n, mean, squares float64 }

func (r *running) add(v, times float64) {
	r.n += times
	d := v - r.mean
	r.mean += times * d / r.n
	r.squares += times * d * (v - r.mean)
}

func (r running) estimate() Estimate {
	if r.n < 2 {
		return Estimate{Mean: r.mean + 0/r.n} // NaN without values
	}
	stdError := math.Sqrt(r.squares / (r.n - 1) / r.n)
	return Estimate{r.mean, &stdError}
}
