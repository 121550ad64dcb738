package likelihood

import "math"

// RegionRank returns the probability of the smallest highest-density region that holds y: that of
// all places at which the density is at least as high. It is 0 at the highest mode and near 1 far
// out in the tails. y lies in [HighestDensity](d, mass) if its rank is below mass.
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
	rank := curve.mass(curve.above(curve.points(1e-9), log))
	return math.Min(math.Max(rank, 0), 1)
}
