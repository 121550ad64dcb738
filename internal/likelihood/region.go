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
// for each group of modes that a valley of the density divides. d is a [Mixture], a
// [GaussianMixture], their [Exp], a [Squared], a [TwoScales] or a [Supported], whose atoms are intervals from a number to
// itself; for another distribution, and if d has a NaN or an infinity, the set is the central interval. The density of an Exp may be infinite at 0, where the set then
// begins, unless the part of it that falls from there holds less than a hundredth: it is left out.
func HighestDensity(d Distribution, mass float64) []Interval { return HighestDensities(d, mass)[0] }

// HighestDensities returns HighestDensity of each mass, in less time than one after the other.
func HighestDensities(d Distribution, masses ...float64) [][]Interval {
	if len(masses) == 0 {
		return nil
	}
	sets := make([][]Interval, len(masses))
	s, supported := d.(Supported)
	curve, ok := curveOf(d)
	if g, one := d.(GaussianMixture); one && len(g.components) == 1 {
		ok = false
	}
	var points []point
	if ok {
		// Beyond the ends, each tail holds at most 1e-6 of what the largest set leaves out, whatever it is up to 0.999.
		points = curve.points(1e-6 * min(1e-3, 1-slices.Max(masses)))
	}
	for i, mass := range masses {
		switch {
		case supported:
			sets[i] = s.highestDensity(mass)
		case ok:
			sets[i] = curve.highestDensity(points, mass)
		}
		if sets[i] == nil {
			sets[i] = central(d, mass)
		}
	}
	return sets
}

// highestDensity returns the set of a mass, nil if no level has one.
func (c curve) highestDensity(points []point, mass float64) []Interval {
	l := c.landscape(points, min(sliver, (1-mass)/2))
	set, _ := l.above(l.level(mass))
	// A density with a plateau, or parameters beyond float64, can leave no such level.
	if held := c.mass(set); !(math.Abs(held-mass) <= 1e-3) {
		return nil
	}
	for i := range set {
		set[i] = Interval{c.value(set[i].Low), c.value(set[i].High)}
	}
	return set
}

// central returns the interval that leaves the same probability on both sides.
func central(d Distribution, mass float64) []Interval {
	return []Interval{{d.Quantile((1 - mass) / 2), d.Quantile((1 + mass) / 2)}}
}

// Modes returns the places of the density's local maxima, the highest first. They are those of a
// [Mixture], a [GaussianMixture], their [Exp] or a [TwoScales]; another distribution has none, and neither has an Exp
// whose density only falls from 0 on.
func Modes(d Distribution) []float64 {
	if s, ok := d.(Supported); ok {
		return s.modes()
	}
	curve, ok := curveOf(d)
	if !ok {
		return nil
	}
	var modes []point
	points := curve.points(1e-6)
	for i, p := range points {
		if i > 0 && i+1 < len(points) && p.log >= points[i-1].log && p.log > points[i+1].log {
			modes = append(modes, p)
		}
	}
	slices.SortStableFunc(modes, func(a, b point) int { return cmp.Compare(b.log, a.log) })
	places := make([]float64, len(modes))
	for i, m := range modes {
		places[i] = curve.value(m.at)
	}
	return places
}

// A point is a place of a curve and the logarithm of the density there.
type point struct{ at, log float64 }

// points returns places between which the density is monotone, in increasing order. Outside them,
// each tail holds at most the mass tail.
func (c curve) points(tail float64) []point {
	places := c.breaks(tail)
	points := make([]point, 0, 2*len(places))
	slope := 0.0 // to the right of the last point
	for i, at := range places {
		log, left, right := c.at(at)
		if i > 0 && left*slope < 0 {
			// The density has one extremum between these breaks. A small shift of it changes nothing.
			before := places[i-1]
			inner := root(func(y float64) float64 { _, _, s := c.at(y); return s }, before, slope, at, left, 1e-7*(at-before))
			log, _, _ := c.at(inner)
			points = append(points, point{inner, log})
		}
		points = append(points, point{at, log})
		slope = right
	}
	return points
}

// A landscape is a curve with the points between which its density is monotone.
type landscape struct {
	curve
	points []point
	open   bool      // the density grows without bound before the first point, and that part counts
	cut    bool      // what lies before the first point counts nowhere
	last   []float64 // where the last level was crossed after each point, NaN at first: the search begins there
}

// sliver is the largest probability of a fall from an infinite density at 0 that no set has. Where a
// model with quantile levels predicts log y, exp of its exponential tails has such a fall however far
// from 0 the bulk is.
const sliver = 0.01

// between returns the curve between the first point and the last.
func (c curve) between(points []point) landscape {
	l := landscape{curve: c, points: points, last: make([]float64, len(points))}
	for i := range l.last {
		l.last[i] = math.NaN()
	}
	return l
}

// landscape returns the curve with its points, without a fall at 0 that holds less than sliver.
func (c curve) landscape(points []point, sliver float64) landscape {
	l := c.between(points)
	_, left, _ := c.at(l.points[0].at)
	if l.open = c.exp && left < 0; !l.open {
		return l
	}
	valley := 0
	for valley+1 < len(l.points) && l.points[valley+1].log <= l.points[valley].log {
		valley++
	}
	if valley+1 < len(l.points) && c.cdf(l.points[valley].at) < sliver {
		l.points, l.open, l.cut = l.points[valley:], false, true
	}
	return l
}

// level returns the logarithm of the smallest density at which the set above it holds no more than
// mass.
func (l landscape) level(mass float64) float64 {
	low, high := math.Inf(1), math.Inf(-1)
	for _, p := range l.points {
		high = math.Max(high, p.log)
		if !math.IsInf(p.log, -1) { // a valley whose density is 0 in float64
			low = math.Min(low, p.log)
		}
	}
	excess := func(level float64) (held, slope float64) {
		set, slope := l.above(level)
		return l.mass(set) - mass, slope
	}
	return newtonRoot(excess, high, low, l.guess(mass, high), 1e-9, 1e-10)
}

// guess returns about the level of a mass: each segment between two points belongs to the set or not.
func (l landscape) guess(mass, high float64) float64 {
	type segment struct{ log, mass float64 }
	segments, total := make([]segment, 0, len(l.points)), 0.0
	before := l.probabilityDensity(l.points[0])
	for i, p := range l.points[1:] {
		density := l.probabilityDensity(p)
		s := segment{(l.points[i].log + p.log) / 2, (p.at - l.points[i].at) * (before + density) / 2}
		segments, total, before = append(segments, s), total+s.mass, density
	}
	const deepest = 30 // where a density is exp(−30) of the highest, there is hardly a mass
	low := high - deepest
	for range 12 {
		level, held := (low+high)/2, 0.0
		for _, s := range segments {
			if s.log >= level {
				held += s.mass
			}
		}
		if held > mass*total {
			low = level
		} else {
			high = level
		}
	}
	return (low + high) / 2
}

// probabilityDensity returns the probability per unit of the curve's coordinate.
func (c curve) probabilityDensity(p point) float64 {
	if c.exp {
		return math.Exp(p.log + p.at)
	}
	return math.Exp(p.log)
}

// above returns the set between the points on which the density's logarithm is at least level, in
// the curve's coordinate, and the derivative of its mass by the level: where that rises by a little, each end
// moves by as much over the slope of the logarithm there.
func (l landscape) above(level float64) (set []Interval, slope float64) {
	low := l.points[0].at
	inside := l.points[0].log >= level
	if inside && l.open {
		low = math.Inf(-1)
	}
	for i, p := range l.points[1:] {
		if (p.log >= level) == inside {
			continue
		}
		at, steep := l.crossing(i, level)
		slope -= l.probabilityDensity(point{at, level}) / math.Abs(steep)
		if inside = !inside; inside {
			low = at
		} else {
			set = append(set, Interval{low, at})
		}
	}
	if inside {
		set = append(set, Interval{low, l.points[len(l.points)-1].at})
	}
	return set, slope
}

// crossing returns where the density's logarithm is level between point i and the next, and its slope there.
func (l landscape) crossing(i int, level float64) (at, slope float64) {
	a, b := l.points[i], l.points[i+1]
	if at = l.last[i]; math.IsNaN(at) {
		at = a.at + (level-a.log)/(b.log-a.log)*(b.at-a.at)
	}
	f := func(z float64) (float64, float64) {
		log, _, right := l.at(z)
		slope = right
		return log - level, right
	}
	low, high := a.at, b.at // in log
	if a.log > b.log {
		low, high = high, low
	}
	l.last[i] = newtonRoot(f, low, high, at, 1e-7, 1e-12*(b.at-a.at))
	return l.last[i], slope
}

// mass returns the probability of a set.
func (c curve) mass(set []Interval) float64 {
	sum := 0.0
	for _, i := range set {
		sum += c.cdf(i.High) - c.cdf(i.Low)
	}
	return sum
}

// RegionRank returns the probability of the smallest highest-density region that holds y: that of
// all places at which the density is at least as high. It is 0 at the highest mode and near 1 far
// out in the tails, and 1 in a part at 0 that [HighestDensity] leaves out. y lies in
// HighestDensity(d, mass) if its rank is below mass, for masses up to 0.99.
func RegionRank(d Distribution, y float64) float64 {
	if s, ok := d.(Supported); ok {
		return s.regionRank(y)
	}
	curve, ok := curveOf(d)
	if g, one := d.(GaussianMixture); !ok || one && len(g.components) == 1 {
		return math.Abs(d.CDF(y) - d.Survival(y)) // the central interval's
	}
	z := y
	if curve.exp {
		if !(y > 0) {
			return 1
		}
		z = math.Log(y)
	}
	log, _, _ := curve.at(z)
	l := curve.landscape(curve.points(1e-9), sliver)
	if l.cut && z < l.points[0].at {
		return 1
	}
	set, _ := l.above(log)
	return math.Min(math.Max(l.mass(set), 0), 1)
}
