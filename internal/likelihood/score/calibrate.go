package score

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// An Outcome is where an outcome lies in its prediction, and how much it counts.
type Outcome struct {
	PIT    float64 // P(Y ≤ y)
	Rank   float64 // the probability of the smallest highest-density region that holds y
	Weight float64 // those of a group sum to 1
}

// steps is the number of steps of a Calibration's maps.
const steps = 1000

// A Calibration replaces the level of a quantile, and the mass of a highest-density region, by those
// that held for known outcomes. It is hierarchical conformal prediction: if a new group is exchangeable
// with the K groups that it was made from, which were used for nothing else, then an outcome of the new group lies
//
//   - between the quantiles of levels (1−m)/2 and (1+m)/2, and
//   - in the highest-density region of mass m
//
// with a probability of at least m and, without ties, at most m + 2/(K+1), whatever the model predicts. This is the
// probability over calibrations and new groups. That of one calibration varies, see [Calibration.Share].
//
// All outcomes of the K groups count, each with weight 1/n of its group of n: with scores s, level m becomes the
//
//	m-quantile of Σ_k Σ_i 1/((K+1)·n_k) δ(s_ki) + 1/(K+1) δ(∞),
//
// which is theorem 1 of Lee, Barber, Willett, "Distribution-free inference with hierarchical data" (2023). With one
// outcome of each group it is split conformal prediction: Vovk, Gammerman, Shafer, "Algorithmic learning in a random
// world" (2005), proposition 4.1. Scores are |2·PIT − 1| and the rank of the region: Chernozhukov, Wüthrich, Zhu,
// "Distributional conformal prediction" (2021), and Izbicki, Shimizu, Stern, "CD-split and HPD-split" (2022).
//
// Of K groups, no quantile above K/(K+1) is finite. Beyond the outermost levels that are, a calibrated
// prediction has the tail of the model's, scaled so that they join.
type Calibration struct {
	Groups int       `json:"groups"` // K: groups, or points if these are exchangeable
	Levels []float64 `json:"levels"` // what replaces the levels 0, 0.001, … 1; 0 or 1 where no level is enough
	Masses []float64 `json:"masses"` // what replaces the masses 0, 0.001, … 1; 1 where no mass is enough
	// Independent is about how many independent outcomes say as much of the interval of 90%: K if the outcomes of
	// a group lie all inside or all outside, more if they differ.
	Independent float64 `json:"independent"`
}

// Calibrate returns the calibration of the outcomes of each group. Groups are exchangeable with one another, and so are
// the outcomes of each.
func Calibrate(groups [][]Outcome) Calibration {
	var central, ranks []scored
	for _, outcomes := range groups {
		for _, o := range outcomes {
			central, ranks = append(central, scored{o.central(), o.Weight}), append(ranks, scored{o.Rank, o.Weight})
		}
	}
	c := Calibration{Groups: len(groups), Masses: conformal(ranks, len(groups)), Levels: make([]float64, steps+1)}
	between := conformal(central, len(groups))
	for i := range c.Levels {
		c.Levels[i] = 0.5 + math.Copysign(between[max(2*i-steps, steps-2*i)]/2, float64(2*i-steps))
	}
	c.Independent = independent(groups, between[steps*9/10])
	return c
}

// central returns the mass of the smallest central interval that holds the outcome.
func (o Outcome) central() float64 { return math.Abs(2*o.PIT - 1) }

// independent returns about how many independent outcomes say as much of the share of scores up to a bound as the
// groups do: by the binomial variance of one outcome, and that of the shares of the groups.
func independent(groups [][]Outcome, bound float64) float64 {
	shares, n := make([]float64, len(groups)), 0
	for k, outcomes := range groups {
		n += len(outcomes)
		for _, o := range outcomes {
			if o.central() <= bound {
				shares[k] += o.Weight
			}
		}
	}
	mean, variance := stat.PopMeanVariance(shares, nil)
	if one := mean * (1 - mean); one > 0 && variance > 0 {
		return min(max(one/variance, 1)*float64(len(groups)), float64(n))
	}
	return float64(len(groups)) // nothing is known of how they differ
}

// A scored outcome is its score and its weight.
type scored struct{ score, weight float64 }

// conformal returns the least score with a share of m of K+1 groups up to it, for the m 0, 0.001, … 1: 0 for m = 0
// and 1 beyond K/(K+1).
func conformal(all []scored, groups int) []float64 {
	slices.SortFunc(all, func(a, b scored) int { return cmp.Or(cmp.Compare(a.score, b.score), cmp.Compare(a.weight, b.weight)) })
	out := make([]float64, steps+1)
	i, sum := -1, 0.0
	for m := 1; m <= steps; m++ {
		for need := float64(m*(groups+1))/steps - rounding*float64(groups); sum < need && i < len(all); {
			if i++; i < len(all) {
				sum += all[i].weight
			}
		}
		if i < len(all) {
			out[m] = all[i].score
		} else {
			out[m] = 1
		}
	}
	return out
}

// Share returns the range of the coverage of an interval of mass m: about that of 90% of all calibrations. The
// coverage is the probability that the interval holds a new outcome. With one outcome of each of K groups, it has the
// beta distribution with k = ⌈(K+1)m⌉ and K+1−k over calibrations; with more, Share takes Independent for K.
// It returns false if there are too few groups for m.
func (c Calibration) Share(m float64) (low, high float64, ok bool) {
	n := float64(c.Groups + 1)
	k := math.Ceil(n*m - 1e-9*n)
	if k >= n {
		return 0, 0, false
	}
	n = max(n, c.Independent+1) / n
	b := distuv.Beta{Alpha: k * n, Beta: (float64(c.Groups+1) - k) * n}
	return b.Quantile(0.05), b.Quantile(0.95), true
}

// Outcomes collects the outcomes that a calibration is made from, for each channel.
type Outcomes struct {
	ByPoint bool // points are exchangeable, not groups

	groups [][][]Outcome  // of each channel, of each group
	index  map[string]int // of each group's name, in groups
	count  int
}

// Add adds the points of one target: one for each channel.
func (o *Outcomes) Add(target []Point) {
	if o.index == nil {
		o.index, o.groups = map[string]int{}, make([][][]Outcome, len(target))
	}
	o.count++
	i, known := o.index[target[0].Group]
	if !known || o.ByPoint {
		i = len(o.groups[0])
		o.index[target[0].Group] = i
	}
	for c, p := range target {
		if i == len(o.groups[c]) {
			o.groups[c] = append(o.groups[c], nil)
		}
		o.groups[c][i] = append(o.groups[c][i], Outcome{PIT: p.PIT, Rank: p.Rank})
	}
}

// Targets returns the number of targets that were added.
func (o *Outcomes) Targets() int { return o.count }

// Calibrations returns the calibration of each channel.
func (o *Outcomes) Calibrations() []Calibration {
	var all []Calibration
	for _, groups := range o.groups {
		for _, outcomes := range groups {
			for i := range outcomes {
				outcomes[i].Weight = 1 / float64(len(outcomes))
			}
		}
		all = append(all, Calibrate(groups))
	}
	return all
}

// Level returns the level that replaces p, 0 < p < 1, and whether there are enough groups for p. Beyond
// the outermost level of which there are, it is in proportion to the probability that is left.
func (c Calibration) Level(p float64) (level float64, enough bool) {
	low, first := 2*p < 1, c.first()
	rest := p
	if !low {
		rest = 1 - p
	}
	x := rest * steps
	if enough = int(x+rounding) >= first; enough {
		level = at(c.Levels, x)
	} else {
		level = c.Levels[first] * x / float64(first)
	}
	if !low {
		level = 1 - level
	}
	return level, enough
}

// at returns the value at x of a map with these values at the steps 0, 1, ….
func at(values []float64, x float64) float64 {
	i := int(x + rounding)
	if x-float64(i) <= rounding {
		return values[i]
	}
	return values[i] + (x-float64(i))*(values[i+1]-values[i])
}

// first returns the place of the smallest level of which there are enough groups.
func (c Calibration) first() int {
	return min(sort.Search(steps/2, func(i int) bool { return c.Levels[i] > 0 }), steps/2)
}

// CDF returns P(Y ≤ y) of the calibrated prediction whose quantiles are those of [Calibration.Level], from that of the
// model's.
func (c Calibration) CDF(p float64) float64 {
	if p <= 0.5 {
		return c.below(p, false)
	}
	return 1 - c.below(1-p, true)
}

// Survival returns P(Y > y) of the calibrated prediction from that of the model's: 1 − CDF, which keeps small ones.
func (c Calibration) Survival(p float64) float64 {
	if p <= 0.5 {
		return c.below(p, true)
	}
	return 1 - c.below(1-p, false)
}

// below returns the level, at most ½, that a level of the model's replaces: if several, the least or the greatest.
func (c Calibration) below(level float64, least bool) float64 {
	first := c.first()
	if level < c.Levels[first] {
		return float64(first) / steps * level / c.Levels[first]
	}
	beyond := func(i int) bool { return c.Levels[first+i] > level }
	if least {
		beyond = func(i int) bool { return c.Levels[first+i] >= level }
	}
	i := first + sort.Search(steps/2-first, beyond)
	if i == first || c.Levels[i] <= level {
		return float64(i) / steps
	}
	return (float64(i-1) + (level-c.Levels[i-1])/(c.Levels[i]-c.Levels[i-1])) / steps
}

// Mass returns the mass that replaces m, 0 < m < 1, and whether there are enough groups for m. Beyond the greatest mass of
// which there are, what is left of it is in proportion to what is left of m.
func (c Calibration) Mass(m float64) (mass float64, enough bool) {
	last := sort.Search(steps+1, func(i int) bool { return c.Masses[i] >= 1 }) - 1
	x := m * steps
	if enough = x <= float64(last)+rounding; enough {
		mass = at(c.Masses, x)
	} else {
		mass = 1 - (1-c.Masses[last])*(1-m)/(1-float64(last)/steps)
	}
	return math.Max(mass, 1e-6), enough // a region needs some mass
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

// Limits returns the smallest and the largest level, and the largest mass, of which there are enough groups.
func (c Calibration) Limits() (low, high, mass float64) {
	first := float64(c.first())
	most, _ := slices.BinarySearch(c.Masses, 1)
	return first / steps, (steps - first) / steps, float64(most-1) / steps
}

// rounding is the error of a product of a level and a number of steps, or groups.
const rounding = 1e-9
