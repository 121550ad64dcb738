package score

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/acqnp/acqnp/internal/random"
)

// An Outcome is where an outcome lies in its prediction: P(Y ≤ y), and the probability of the
// smallest highest-density region that holds y.
type Outcome struct{ PIT, Rank float64 }

// steps is the number of steps of a Calibration's maps.
const steps = 1000

// A Calibration replaces the level of a quantile, and the mass of a highest-density region, by those
// that held for known outcomes. It is split conformal prediction: if a new function is exchangeable
// with the K functions that it was made from, which were used for nothing else, and one outcome was
// drawn of each, then an outcome of the new function lies
//
//   - between the quantiles of levels (1−m)/2 and (1+m)/2, and
//   - in the highest-density region of mass m
//
// with a probability of at least m and, without ties, at most m + 1/(K+1), whatever the model predicts:
// ⌈(K+1)m⌉/(K+1). This is the probability over calibrations and new functions. That of one calibration
// varies, see [Calibration.Share]. The theorem is that of Vovk, Gammerman, Shafer, "Algorithmic learning in a
// random world" (2005), proposition 4.1; with one outcome of each function it is the single subsampling of
// Dunn, Wasserman, Ramdas, "Distribution-free prediction sets for two-layer hierarchical models" (2023).
// Scores are |2·PIT − 1| and the rank of the region: Chernozhukov, Wüthrich, Zhu, "Distributional
// conformal prediction" (2021), and Izbicki, Shimizu, Stern, "CD-split and HPD-split" (2022).
type Calibration struct {
	Groups int       `json:"groups"` // K: functions, or points if these are exchangeable
	Levels []float64 `json:"levels"` // what replaces the levels 0, 0.001, … 1; 0 or 1 where no level is enough
	Masses []float64 `json:"masses"` // what replaces the masses 0, 0.001, … 1; 1 where no mass is enough
}

// Calibrate returns the calibration of outcomes that are exchangeable with one another.
func Calibrate(outcomes []Outcome) Calibration {
	central, ranks := make([]float64, len(outcomes)), make([]float64, len(outcomes))
	for i, o := range outcomes {
		central[i], ranks[i] = math.Abs(2*o.PIT-1), o.Rank
	}
	slices.Sort(central)
	slices.Sort(ranks)
	c := Calibration{Groups: len(outcomes), Levels: make([]float64, steps+1), Masses: make([]float64, steps+1)}
	for i := range c.Levels {
		c.Masses[i] = conformal(ranks, i, steps)
		c.Levels[i] = 0.5 + math.Copysign(conformal(central, max(2*i-steps, steps-2*i), steps)/2, float64(2*i-steps))
	}
	return c
}

// conformal returns the ⌈(K+1)·n/d⌉-th of K sorted numbers, 0 before the first and 1 after the last.
func conformal(sorted []float64, n, d int) float64 {
	switch k := (n*(len(sorted)+1) + d - 1) / d; {
	case k == 0:
		return 0
	case k > len(sorted):
		return 1
	default:
		return sorted[k-1]
	}
}

// Share returns the range of the coverage of an interval of mass m: that of 90% of all calibrations. The
// coverage is the probability that the interval holds a new outcome. Over calibrations it has the beta
// distribution with k = ⌈(K+1)m⌉ and K+1−k. Share returns false if there are too few groups for m.
func (c Calibration) Share(m float64) (low, high float64, ok bool) {
	k := (step(m, true)*(c.Groups+1) + steps - 1) / steps
	if k > c.Groups {
		return 0, 0, false
	}
	b := distuv.Beta{Alpha: float64(k), Beta: float64(c.Groups + 1 - k)}
	return b.Quantile(0.05), b.Quantile(0.95), true
}

// Outcomes collects the outcomes that a calibration is made from, for each channel: one of each function,
// drawn at random, or all if points are exchangeable.
type Outcomes struct {
	ByPoint bool // points are exchangeable, not functions

	drawn [][]Outcome    // of each channel, of each group
	index map[string]int // of the group of a function
	seen  []int          // targets of each group
	count int
}

// Add adds the points of one target: one for each channel.
func (o *Outcomes) Add(target []Point) {
	if o.index == nil {
		o.index, o.drawn = map[string]int{}, make([][]Outcome, len(target))
	}
	o.count++
	i, known := o.index[target[0].Function]
	if !known || o.ByPoint {
		i = len(o.seen)
		o.index[target[0].Function], o.seen = i, append(o.seen, 0)
		for c := range o.drawn {
			o.drawn[c] = append(o.drawn[c], Outcome{})
		}
	}
	o.seen[i]++
	if random.New(0, random.Calibration|random.Evaluation).IntN(uint64(i), uint64(o.seen[i]), o.seen[i]) != 0 {
		return // each of n targets stays with a probability of 1/n
	}
	for c, p := range target {
		o.drawn[c][i] = Outcome{p.PIT, p.Rank}
	}
}

// Targets returns the number of targets that were added.
func (o *Outcomes) Targets() int { return o.count }

// Calibrations returns the calibration of each channel.
func (o *Outcomes) Calibrations() []Calibration {
	var all []Calibration
	for _, outcomes := range o.drawn {
		all = append(all, Calibrate(outcomes))
	}
	return all
}

// Level returns the level that replaces p, 0 < p < 1. It reports false if there are too few groups for
// p. Between steps, it takes the one further from ½.
func (c Calibration) Level(p float64) (float64, bool) {
	level := c.Levels[step(p, p > 0.5)]
	return level, level > 0 && level < 1
}

// Mass returns the mass that replaces m, 0 < m < 1. It reports false if there are too few groups for
// m.
func (c Calibration) Mass(m float64) (float64, bool) {
	mass := c.Masses[step(m, true)]
	return math.Max(mass, 1e-6), mass < 1 // a region needs some mass
}

// PIT returns the PIT of an outcome under the calibrated prediction: the level that the calibration
// replaces by the outcome's own PIT.
func (c Calibration) PIT(pit float64) float64 {
	i, _ := slices.BinarySearch(c.Levels, pit)
	switch {
	case i > steps:
		return 1
	case i == 0 || c.Levels[i] == pit:
		return float64(i) / steps
	}
	return (float64(i-1) + (pit-c.Levels[i-1])/(c.Levels[i]-c.Levels[i-1])) / steps
}

// Valid reports whether the maps have the form that Calibrate gives them: steps+1 ascending numbers
// from 0 to 1.
func (c Calibration) Valid() bool {
	for _, values := range [][]float64{c.Levels, c.Masses} {
		if len(values) != steps+1 || !slices.IsSorted(values) || !(values[0] >= 0 && values[steps] <= 1) {
			return false
		}
	}
	return c.Groups > 0
}

// Limits returns the smallest and the largest level, and the largest mass, that the groups support.
func (c Calibration) Limits() (low, high, mass float64) {
	first, _ := slices.BinarySearchFunc(c.Levels, 0, func(level, zero float64) int { return cmp.Or(cmp.Compare(level, zero), -1) })
	last, _ := slices.BinarySearch(c.Levels, 1)
	most, _ := slices.BinarySearch(c.Masses, 1)
	return float64(first) / steps, float64(last-1) / steps, float64(most-1) / steps
}

// step returns the index of p, rounded up or down.
func step(p float64, up bool) int {
	const rounding = 1e-9
	if up {
		return int(math.Ceil(p*steps - rounding))
	}
	return int(math.Floor(p*steps + rounding))
}
