package likelihood_test

import (
	"math"
	"testing"

	"github.com/acqnp/acqnp/internal/likelihood"
)

// A highest-density region holds the places whose rank is below its mass. Both are exact to about
// 1e-6, the part of the mass that the search of a region cuts off.
func TestRegionsHoldThePlacesOfLowRank(t *testing.T) {
	for name, d := range regions() {
		var ys, ranks []float64
		for p := 0.0005; p < 1; p += 0.037 {
			y := d.Quantile(p)
			ys, ranks = append(ys, y), append(ranks, likelihood.RegionRank(d, y))
		}
		for _, mass := range []float64{0.1, 0.5, 0.9} {
			set := likelihood.HighestDensity(d, mass)
			for i, y := range ys {
				inside := false
				for _, s := range set {
					inside = inside || s.Low <= y && y <= s.High
				}
				if inside && ranks[i] > mass+1e-5 || !inside && ranks[i] < mass-1e-5 {
					t.Errorf("%s: %v has the rank %v, and lies in the region %v of %v: %t", name, y, ranks[i], set, mass, inside)
				}
			}
		}
		for _, y := range []float64{-1e300, 1e300} {
			if rank := likelihood.RegionRank(d, y); !(rank > 1-1e-5 && rank <= 1) {
				t.Errorf("%s: the rank of %v is %v", name, y, rank)
			}
		}
	}
}

// The ranks of draws are uniform, as those of a probability.
func TestRanksOfQuantilesAreUniform(t *testing.T) {
	d := regions()["decoder 1"]
	const n = 400
	below := 0
	for i := range n {
		if likelihood.RegionRank(d, d.Quantile((float64(i)+0.5)/n)) < 0.7 {
			below++
		}
	}
	if math.Abs(float64(below)/n-0.7) > 0.02 { // a few intervals, each with an error of 1/n
		t.Errorf("%d of %d quantiles have a rank below 0.7", below, n)
	}
}
