package likelihood

import (
	"cmp"
	"math"
	"slices"
)

// An outcome is a value with its probability.
type outcome struct{ at, p float64 }

// heavier orders outcomes by their probabilities, the largest first.
func heavier(a, b outcome) int { return cmp.Or(cmp.Compare(b.p, a.p), cmp.Compare(a.at, b.at)) }

// mostValues bounds the whole numbers of a region that are listed.
const mostValues = 5000

// values returns the whole numbers outside of which each tail holds about at most this probability; nil if they are
// too many to be listed.
func (d Supported) values(tail float64) (all []outcome) {
	ends := ApproximateQuantiles(d, tail, 1-tail)
	if !countable(ends[0], ends[1], mostValues-1) {
		return nil
	}
	before := d.below(ends[0])
	for k := ends[0]; k <= ends[1]; k++ {
		p := d.CDF(k)
		all, before = append(all, outcome{k, p - before}), p
	}
	return all
}

// atoms returns the atoms of a distribution that has a density besides, the heaviest first.
func (d Supported) atoms() (all []outcome) {
	for _, y := range []float64{d.low, d.high} {
		if p, _, _ := d.atom(y); p > 0 {
			all = append(all, outcome{y, p})
		}
	}
	slices.SortFunc(all, heavier)
	return all
}

// highestDensity is that of [HighestDensity]: atoms and whole numbers belong to the set by their probabilities, and an
// atom before any place with a density.
func (d Supported) highestDensity(mass float64) (set []Interval) {
	left := mass
	take := func(all []outcome) {
		for _, o := range slices.SortedFunc(slices.Values(all), heavier) {
			if left > 0 {
				set, left = append(set, Interval{o.at, o.at}), left-o.p
			}
		}
	}
	if d.whole {
		take(d.values((1 - mass) / 100))
		if set == nil {
			return central(d, mass)
		}
		return joined(set, 1)
	}
	take(d.atoms())
	if left <= 0 {
		return joined(set, 0)
	}
	l, ok := d.inside((1 - mass) * 1e-6)
	if !ok {
		return central(d, mass)
	}
	dense := []Interval{{l.points[0].at, l.points[len(l.points)-1].at}}
	if all := l.mass(dense); all > left {
		if dense, _ = l.above(l.level(left)); !(math.Abs(l.mass(dense)-left) <= 1e-3) {
			return central(d, mass)
		}
	}
	for _, i := range dense {
		low, high := l.value(i.Low), l.value(i.High)
		if i.Low == d.begin(l.curve) {
			low = d.low // it begins at the atom
		}
		set = append(set, Interval{low, high})
	}
	return joined(set, 0)
}

// joined returns the union of intervals in increasing order. Neighbours at most this far apart become one.
func joined(set []Interval, apart float64) (all []Interval) {
	slices.SortFunc(set, func(a, b Interval) int { return cmp.Compare(a.Low, b.Low) })
	for _, i := range set {
		if n := len(all); n > 0 && i.Low <= all[n-1].High+apart {
			all[n-1].High = max(all[n-1].High, i.High)
		} else {
			all = append(all, i)
		}
	}
	return all
}

// inside returns the landscape of the density between the atoms; outside of it, a tail without an atom holds at most
// the mass tail. It begins a little above the lower one, where the density may be infinite.
func (d Supported) inside(tail float64) (l landscape, ok bool) {
	c, ok := curveOf(d.of)
	if !ok {
		return l, false
	}
	points := c.points(tail)
	first, last := points[0].at, points[len(points)-1].at
	if high := c.coordinate(d.high); high < last {
		last = high
	}
	if low := d.begin(c); low > first {
		first = low
	}
	if !(first < last) {
		return l, false
	}
	at := func(z float64) point { log, _, _ := c.at(z); return point{z, log} }
	inner := []point{at(first)}
	for _, p := range points {
		if p.at > first && p.at < last {
			inner = append(inner, p)
		}
	}
	return c.between(append(inner, at(last))), true
}

// begin returns a place on a curve just above the lower atom.
func (d Supported) begin(c curve) float64 {
	middle := ApproximateQuantiles(c.d, 0.25, 0.75)
	return c.coordinate(d.low) + 1e-9*(middle[1]-middle[0])
}

// coordinate returns the place of y on a curve.
func (c curve) coordinate(y float64) float64 {
	if c.exp {
		return math.Log(max(y, 0))
	}
	return y
}

// regionRank is that of [RegionRank].
func (d Supported) regionRank(y float64) float64 {
	const tail = 1e-4
	own, _, _ := d.atom(y)
	denser := func(all []outcome) (sum float64) {
		for _, o := range all {
			if o.p > own && o.at != y {
				sum += o.p
			}
		}
		return min(sum, 1)
	}
	if d.whole {
		if all := d.values(tail); all != nil {
			return denser(all)
		}
		return math.Abs(d.below(y) + d.CDF(y) - 1)
	}
	if own > 0 {
		return denser(d.atoms())
	}
	l, ok := d.inside(1e-9)
	if !ok || y < d.low || y > d.high {
		return 1
	}
	log, _, _ := l.at(l.coordinate(y))
	dense, _ := l.above(log)
	return min(max(l.mass(dense), 0)+denser(d.atoms()), 1)
}

// modes is that of [Modes]: atoms come first, unless they hold next to nothing.
func (d Supported) modes() (all []float64) {
	const nothing = 0.01
	if d.whole {
		values, peaks := d.values(nothing/2), []outcome(nil)
		for i, o := range values {
			if (i == 0 || o.p >= values[i-1].p) && (i+1 == len(values) || o.p > values[i+1].p) {
				peaks = append(peaks, o)
			}
		}
		slices.SortFunc(peaks, heavier)
		for _, o := range peaks {
			all = append(all, o.at)
		}
		return all
	}
	for _, o := range d.atoms() {
		if o.p > nothing {
			all = append(all, o.at)
		}
	}
	for _, y := range Modes(d.of) {
		if y > d.low && y < d.high {
			all = append(all, y)
		}
	}
	return all
}

// density returns the density at y or, of whole numbers, the probability of that of which y is nearest. An atom has
// no part in it.
func (d Supported) density(y float64) float64 {
	switch {
	case d.whole:
		p, _, _ := d.atom(math.Ceil(y - 0.5))
		return p
	case y < d.low || y > d.high:
		return 0
	}
	return math.Exp(d.of.LogDensity(y))
}
