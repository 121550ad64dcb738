package score

import (
	"cmp"
	"math"
	"slices"
)

// An Outcome is where an outcome lies in its prediction: P(Y ≤ y), and the probability of the
// smallest highest-density region that holds y.
type Outcome struct{ PIT, Rank float64 }

// steps is the number of steps of a Calibration's maps.
const steps = 1000

// A Calibration replaces the level of a quantile, and the mass of a highest-density region, by those
// that held for known outcomes. It is a conformal correction: if a new function is exchangeable with
// the K functions that it was made from, an outcome of it is
//
//   - at most the quantile of level p > ½ with a probability of at least p,
//   - at least the quantile of level p < ½ with a probability of at least 1−p,
//   - in the central interval, or the highest-density region, of mass m with a probability of at
//     least m,
//
// whatever the model predicts. Points of one function are not exchangeable with those of another, so
// each function has the same weight 1/(K+1), divided equally among its outcomes, and the remaining
// 1/(K+1) counts as an outcome beyond all others: Lee, Barber, Willett, "Distribution-free inference
// with hierarchical data" (2023). For the PIT as a score, see Chernozhukov, Wüthrich, Zhu,
// "Distributional conformal prediction" (2021); for the region, Izbicki, Shimizu, Stern, "CD-split
// and HPD-split" (2022).
type Calibration struct {
	Groups int       `json:"groups"` // K: functions, or points if these are exchangeable
	Levels []float64 `json:"levels"` // what replaces the levels 0, 0.001, … 1; 0 or 1 where no level is enough
	Masses []float64 `json:"masses"` // what replaces the masses 0, 0.001, … 1; 1 where no mass is enough
}

// Calibrate returns the calibration of the outcomes of groups that are exchangeable with one another.
// Groups without outcomes do not count.
func Calibrate(groups [][]Outcome) Calibration {
	groups = slices.DeleteFunc(slices.Clone(groups), func(g []Outcome) bool { return len(g) == 0 })
	above := newWeighted(groups, func(o Outcome) float64 { return o.PIT })
	below := newWeighted(groups, func(o Outcome) float64 { return 1 - o.PIT })
	ranks := newWeighted(groups, func(o Outcome) float64 { return o.Rank })
	c := Calibration{Groups: len(groups), Levels: make([]float64, steps+1), Masses: make([]float64, steps+1)}
	for i := range c.Levels {
		p := float64(i) / steps
		c.Masses[i] = ranks.quantile(p)
		switch {
		case 2*i < steps:
			c.Levels[i] = 1 - below.quantile(1-p)
		case 2*i > steps:
			c.Levels[i] = above.quantile(p)
		default:
			c.Levels[i] = (above.quantile(p) + 1 - below.quantile(p)) / 2
		}
	}
	return c
}

// Outcomes collects the outcomes that a calibration is made from, for each channel.
type Outcomes struct {
	ByPoint bool // points are exchangeable, not functions

	groups [][][]Outcome  // of each channel, of each group
	index  map[string]int // of the group of a function
	count  int
}

// Add adds the points of one target: one for each channel.
func (o *Outcomes) Add(target []Point) {
	if o.index == nil {
		o.index, o.groups = map[string]int{}, make([][][]Outcome, len(target))
	}
	o.count++
	i, known := o.index[target[0].Function]
	if !known || o.ByPoint {
		i = len(o.groups[0])
		o.index[target[0].Function] = i
		for c := range o.groups {
			o.groups[c] = append(o.groups[c], nil)
		}
	}
	for c, p := range target {
		o.groups[c][i] = append(o.groups[c][i], Outcome{p.PIT, p.Rank})
	}
}

// Targets returns the number of targets that were added.
func (o *Outcomes) Targets() int { return o.count }

// Calibrations returns the calibration of each channel.
func (o *Outcomes) Calibrations() []Calibration {
	var all []Calibration
	for _, groups := range o.groups {
		all = append(all, Calibrate(groups))
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
// replaces by that of the outcome.
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

// Valid reports whether the maps are what Calibrate returns: as many numbers as they have, which
// increase from 0 to 1.
func (c Calibration) Valid() bool {
	for _, values := range [][]float64{c.Levels, c.Masses} {
		if len(values) != steps+1 || !slices.IsSorted(values) || !(values[0] >= 0 && values[steps] <= 1) {
			return false
		}
	}
	return c.Groups > 0
}

// Limits returns the smallest and the largest level that the number of groups supports.
func (c Calibration) Limits() (low, high float64) {
	return 1 / float64(c.Groups+1), float64(c.Groups) / float64(c.Groups+1)
}

// step returns the index of p, rounded up or down.
func step(p float64, up bool) int {
	const rounding = 1e-9
	if up {
		return int(math.Ceil(p*steps - rounding))
	}
	return int(math.Floor(p*steps + rounding))
}

// weighted is a distribution of numbers from 0 to 1, and of what lies beyond them.
type weighted struct{ values, cumulative []float64 }

// newWeighted gives each of K groups the weight 1/(K+1), and a number an equal part of its group's.
func newWeighted(groups [][]Outcome, of func(Outcome) float64) weighted {
	type item struct{ value, weight float64 }
	var items []item
	for _, g := range groups {
		for _, o := range g {
			items = append(items, item{of(o), 1 / float64(len(g)) / float64(len(groups)+1)})
		}
	}
	slices.SortFunc(items, func(a, b item) int { return cmp.Compare(a.value, b.value) })
	w := weighted{make([]float64, len(items)), make([]float64, len(items))}
	sum := 0.0
	for i, v := range items {
		sum += v.weight
		w.values[i], w.cumulative[i] = v.value, sum
	}
	return w
}

// quantile returns the smallest number with a share of at least p up to it, or 1 if there is none.
func (w weighted) quantile(p float64) float64 {
	const rounding = 1e-9
	i, _ := slices.BinarySearch(w.cumulative, p-rounding)
	if i == len(w.values) {
		return 1
	}
	return w.values[i]
}
