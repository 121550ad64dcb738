package likelihood

import "math"

// inside returns the curve of a density and the points between which it is monotone, from atom to atom; outside of
// them, a tail without an atom holds at most the mass tail. They begin a little above the lower atom, where the density may
// be infinite. There are none if a number is not finite, no density is left, or a central interval does as well.
func inside(d Distribution, tail float64) (c curve, points []point) {
	c, ok := d.curve()
	if !ok || c.central {
		return c, nil
	}
	all, s := c.points(tail), d.Support()
	if s.Real() {
		return c, all
	}
	low, high := s.Bounds()
	first, last := max(all[0].at, c.begin(low)), min(all[len(all)-1].at, c.scale.Place(high))
	if !(first < last) {
		return c, nil
	}
	add := func(at float64) {
		log, _, _ := c.at(at)
		points = append(points, point{at, log})
	}
	add(first)
	for _, p := range all {
		if p.at > first && p.at < last {
			points = append(points, p)
		}
	}
	add(last)
	return c, points
}

// begin returns a place just above the lower atom.
func (c curve) begin(low float64) float64 {
	middle := ApproximateQuantiles(c.d, 0.25, 0.75)
	return c.scale.Place(low) + 1e-9*(middle[1]-middle[0])
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

// landscape returns the curve with its points, without a fall at 0 that holds less than sliver. With a support, it is
// the curve between the first point and the last.
func (c curve) landscape(s Support, points []point, sliver float64) landscape {
	l := landscape{curve: c, points: points, last: make([]float64, len(points))}
	for i := range l.last {
		l.last[i] = math.NaN()
	}
	_, left, _ := c.at(l.points[0].at)
	if l.open = c.scale == LogY && left < 0 && s.Real(); !l.open {
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
	return newtonRoot(excess, high, low, l.guess(mass, high), stop{value: 1e-9, width: 1e-10})
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
	if c.scale == LogY {
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
	l.last[i] = newtonRoot(f, low, high, at, stop{value: 1e-7, width: 1e-12 * (b.at - a.at)})
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
