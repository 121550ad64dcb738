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
func values(d Distribution, tail float64) (all []outcome) {
	ends := ApproximateQuantiles(d, tail, 1-tail)
	if !countable(ends[0], ends[1], mostValues-1) {
		return nil
	}
	before := below(d, ends[0])
	for k := ends[0]; k <= ends[1]; k++ {
		p := d.CDF(k)
		all, before = append(all, outcome{k, p - before}), p
	}
	return all
}

// atoms returns the atoms of a distribution that has a density besides, the heaviest first.
func atoms(d Distribution) (all []outcome) {
	low, high := d.Support().Bounds()
	for _, y := range []float64{low, high} {
		if p, _, _ := atom(d, y); p > 0 {
			all = append(all, outcome{y, p})
		}
	}
	slices.SortFunc(all, heavier)
	return all
}

// supportedRegion is that of [HighestDensity]: atoms and whole numbers belong to the set by their probabilities, and an
// atom before any place with a density.
func supportedRegion(d Distribution, mass float64) (set []Interval) {
	left := mass
	take := func(all []outcome) {
		for _, o := range slices.SortedFunc(slices.Values(all), heavier) {
			if left > 0 {
				set, left = append(set, Interval{o.at, o.at}), left-o.p
			}
		}
	}
	if d.Support().Whole {
		take(values(d, (1-mass)/100))
		if set == nil {
			return central(d, mass)
		}
		return joined(set, 1)
	}
	take(atoms(d))
	if left <= 0 {
		return joined(set, 0)
	}
	l, ok := inside(d, (1-mass)*1e-6)
	if !ok {
		return central(d, mass)
	}
	dense := []Interval{{l.points[0].at, l.points[len(l.points)-1].at}}
	if all := l.mass(dense); all > left {
		if dense, _ = l.above(l.level(left)); !(math.Abs(l.mass(dense)-left) <= 1e-3) {
			return central(d, mass)
		}
	}
	least, _ := d.Support().Bounds()
	for _, i := range dense {
		low, high := l.value(i.Low), l.value(i.High)
		if i.Low == begin(l.curve, least) {
			low = least // it begins at the atom
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
func inside(d Distribution, tail float64) (l landscape, ok bool) {
	c, ok := d.curve()
	if !ok {
		return l, false
	}
	points := c.points(tail)
	low, high := d.Support().Bounds()
	first, last := max(points[0].at, begin(c, low)), min(points[len(points)-1].at, c.coordinate(high))
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

// begin returns a place on a curve just above the lower atom, low.
func begin(c curve, low float64) float64 {
	middle := ApproximateQuantiles(c.d, 0.25, 0.75)
	return c.coordinate(low) + 1e-9*(middle[1]-middle[0])
}

// coordinate returns the place of y on a curve.
func (c curve) coordinate(y float64) float64 {
	if c.exp {
		return math.Log(max(y, 0))
	}
	return y
}

// supportedRank is that of [RegionRank].
func supportedRank(d Distribution, y float64) float64 {
	const tail = 1e-4
	own, _, _ := atom(d, y)
	denser := func(all []outcome) (sum float64) {
		for _, o := range all {
			if o.p > own && o.at != y {
				sum += o.p
			}
		}
		return min(sum, 1)
	}
	if d.Support().Whole {
		if all := values(d, tail); all != nil {
			return denser(all)
		}
		return math.Abs(below(d, y) + d.CDF(y) - 1)
	}
	if own > 0 {
		return denser(atoms(d))
	}
	l, ok := inside(d, 1e-9)
	if low, high := d.Support().Bounds(); !ok || y < low || y > high {
		return 1
	}
	log, _, _ := l.at(l.coordinate(y))
	dense, _ := l.above(log)
	return min(max(l.mass(dense), 0)+denser(atoms(d)), 1)
}

// supportedModes is that of [Modes]: atoms come first, unless they hold next to nothing.
func supportedModes(d Distribution) (all []float64) {
	const nothing = 0.01
	if d.Support().Whole {
		values, peaks := values(d, nothing/2), []outcome(nil)
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
	for _, o := range atoms(d) {
		if o.p > nothing {
			all = append(all, o.at)
		}
	}
	low, high := d.Support().Bounds()
	for _, y := range Modes(d.real()) {
		if y > low && y < high {
			all = append(all, y)
		}
	}
	return all
}
