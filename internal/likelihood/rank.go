package likelihood

import "math"

// RegionRank returns the probability of the smallest highest-density region that holds y: that of
// all places at which the density is at least as high. It is 0 at the highest mode and near 1 far
// out in the tails, and 1 in a part at 0 that [HighestDensity] leaves out. y lies in
// HighestDensity(d, mass) if its rank is below mass, for masses up to 0.99.
func RegionRank(d Distribution, y float64) float64 {
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
	l := curve.landscape(1e-9, sliver)
	if l.cut && z < l.points[0].at {
		return 1
	}
	rank := l.mass(l.above(log))
	return math.Min(math.Max(rank, 0), 1)
}
