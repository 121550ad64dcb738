package likelihood

import (
	"cmp"
	"math"
	"slices"
)

// Interval is the set of numbers from Low to High.
type Interval struct{ Low, High float64 }

// HighestDensity returns the smallest set that holds the probability mass, 0 < mass < 1: all y at
// which the density is above a level. It is a list of disjoint intervals in increasing order, one
// for each group of modes that a valley of the density divides. The atoms of a [Support] are intervals from a number to
// itself. If d has a NaN or an infinity, the set is the central interval. The density of a distribution of log y may be
// infinite at 0, where the set then begins, unless the part of it that falls from there holds less than a hundredth: it is
// left out.
func HighestDensity(d Distribution, mass float64) []Interval { return HighestDensities(d, mass)[0] }

// HighestDensities returns HighestDensity of each mass, in less time than one after the other.
func HighestDensities(d Distribution, masses ...float64) [][]Interval {
	if len(masses) == 0 {
		return nil
	}
	sets := make([][]Interval, len(masses))
	var c curve
	var points []point
	if !d.Support().Whole {
		// Beyond the ends, each tail holds at most 1e-6 of what the largest set leaves out, whatever it is up to 0.999.
		c, points = inside(d, 1e-6*min(1e-3, 1-slices.Max(masses)))
	}
	for i, mass := range masses {
		if sets[i] = c.highestDensity(d, points, mass); sets[i] == nil {
			sets[i] = []Interval{{d.Quantile((1 - mass) / 2), d.Quantile((1 + mass) / 2)}}
		}
	}
	return sets
}

// highestDensity returns the set of a mass, nil if the central interval must do. Atoms and whole numbers belong to it by
// their probabilities, and an atom before any place with a density. The curve and its points are those of inside.
func (c curve) highestDensity(d Distribution, points []point, mass float64) (set []Interval) {
	s, left := d.Support(), mass
	take := func(all []Atom) {
		for _, o := range slices.SortedFunc(slices.Values(all), heavier) {
			if left > 0 && o.Probability > 0 {
				set, left = append(set, Interval{o.Y, o.Y}), left-o.Probability
			}
		}
	}
	if s.Whole {
		take(values(d, (1-mass)/100))
		return joined(set, 1)
	}
	if take(Ends(d)); left <= 0 {
		return joined(set, 0)
	}
	if points == nil {
		return nil
	}
	l := c.landscape(s, points, min(sliver, (1-mass)/2))
	dense, _ := l.above(l.level(left))
	const little = 1e-3
	// A density with a plateau, or parameters beyond float64, can leave no such level.
	if held := c.mass(dense); !(math.Abs(held-left) <= little) {
		return nil
	}
	for _, i := range dense {
		low := c.scale.Value(i.Low)
		if s.Low != nil && i.Low == c.begin(*s.Low) { // it begins at the atom
			if low = *s.Low; c.mass([]Interval{i}) < little { // as the density of √y is infinite at 0, where it holds nothing
				continue
			}
		}
		set = append(set, Interval{low, c.scale.Value(i.High)})
	}
	return joined(set, 0)
}

// heavier orders atoms by their probabilities, the largest first.
func heavier(a, b Atom) int {
	return cmp.Or(cmp.Compare(b.Probability, a.Probability), cmp.Compare(a.Y, b.Y))
}

// mostValues bounds the whole numbers of a region that are listed.
const mostValues = 5000

// values returns the whole numbers outside of which each tail holds about at most this probability; nil if they are
// too many to be listed.
func values(d Distribution, tail float64) (all []Atom) {
	ends := ApproximateQuantiles(d, tail, 1-tail)
	if !countable(ends[0], ends[1], mostValues-1) {
		return nil
	}
	before := PIT(d, ends[0], 0)
	for k := ends[0]; k <= ends[1]; k++ {
		p := d.CDF(k)
		all, before = append(all, Atom{k, p - before}), p
	}
	return all
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

// Modes returns the places of the density's local maxima, the highest first. A distribution of log y whose density only
// falls from 0 on has none. Atoms come first, unless they hold next to nothing.
func Modes(d Distribution) []float64 {
	const nothing = 0.01
	var modes []Atom // with the density, beside atoms
	if d.Support().Whole {
		values := values(d, nothing/2)
		for i, o := range values {
			if (i == 0 || o.Probability >= values[i-1].Probability) && (i+1 == len(values) || o.Probability > values[i+1].Probability) {
				modes = append(modes, o)
			}
		}
	} else if curve, ok := d.curve(); ok {
		points := curve.points(1e-6)
		low, high := d.Support().Bounds()
		for i, p := range points {
			y := curve.scale.Value(p.at)
			if i > 0 && i+1 < len(points) && p.log >= points[i-1].log && p.log > points[i+1].log && y > low && y < high {
				modes = append(modes, Atom{y, p.log})
			}
		}
	}
	slices.SortStableFunc(modes, func(a, b Atom) int { return cmp.Compare(b.Probability, a.Probability) })
	var places []float64
	for _, o := range slices.SortedFunc(slices.Values(Ends(d)), heavier) {
		if o.Probability > nothing {
			places = append(places, o.Y)
		}
	}
	for _, m := range modes {
		places = append(places, m.Y)
	}
	return places
}

// RegionRank returns the probability of the smallest highest-density region that holds y: that of
// all places at which the density is at least as high. It is 0 at the highest mode and near 1 far
// out in the tails, and 1 in a part at 0 that [HighestDensity] leaves out. A y with a probability of its own adds that part u of
// it, a uniform number, so that ranks of outcomes of d are uniform. y lies in HighestDensity(d, mass) if its rank with u = 0
// is below mass, for masses up to 0.99.
func RegionRank(d Distribution, y, u float64) float64 {
	s := d.Support()
	own, _, _ := atom(d, y)
	denser := func(all []Atom) (sum float64) {
		for _, o := range all {
			if o.Y != y && heavier(o, Atom{y, own}) < 0 {
				sum += o.Probability
			}
		}
		return min(sum, 1)
	}
	if s.Whole {
		if all := values(d, 1e-4); all != nil {
			return min(denser(all)+u*own, 1)
		}
		return math.Abs(2*d.CDF(y) - own - 1) // the central interval's
	}
	if own > 0 {
		return min(denser(Ends(d))+u*own, 1)
	}
	c, points := inside(d, 1e-9)
	if points == nil && s.Real() {
		return math.Abs(2*d.CDF(y) - 1)
	}
	if low, high := s.Bounds(); points == nil || y < low || y > high || c.scale == LogY && !(y > 0) {
		return 1
	}
	z := c.scale.Place(y)
	log, _, _ := c.at(z)
	l := c.landscape(s, points, sliver)
	if l.cut && z < l.points[0].at {
		return 1
	}
	set, _ := l.above(log)
	return min(max(c.mass(set), 0)+denser(Ends(d)), 1)
}
