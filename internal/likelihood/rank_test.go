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
			ys, ranks = append(ys, y), append(ranks, likelihood.RegionRank(d, y, 0))
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
			if rank := likelihood.RegionRank(d, y, 0); !(rank > 1-1e-5 && rank <= 1) {
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
		if likelihood.RegionRank(d, d.Quantile((float64(i)+0.5)/n), 0) < 0.7 {
			below++
		}
	}
	if math.Abs(float64(below)/n-0.7) > 0.02 { // a few intervals, each with an error of 1/n
		t.Errorf("%d of %d quantiles have a rank below 0.7", below, n)
	}
}

// Ranks of outcomes of a distribution of whole numbers are uniform if each takes a uniform part of its own probability.
func TestRanksOfWholeNumbersAreUniform(t *testing.T) {
	one := 1.0
	binary := likelihood.Support{Low: new(0.0), High: &one, Whole: true}.Of(likelihood.WeightedGaussians(
		[]likelihood.Gaussian{{Mean: 0, Scale: 0.1}, {Mean: 1, Scale: 0.1}}, []float64{math.Log(0.36), math.Log(0.64)}))
	whole := likelihood.Support{Low: new(0.0), Whole: true}.Of(likelihood.GaussianMixtureOf([]likelihood.Gaussian{{Mean: 2, Scale: 2}}))
	for name, d := range map[string]likelihood.Distribution{"0 and 1": binary, "whole numbers": whole} {
		for _, mass := range []float64{0.3, 0.5, 0.8, 0.9} {
			below := 0.0
			for y := range 20 {
				const parts = 1000
				for i := range parts {
					if likelihood.RegionRank(d, float64(y), (float64(i)+0.5)/parts) < mass {
						below += math.Exp(d.LogDensity(float64(y))) / parts
					}
				}
			}
			if math.Abs(below-mass) > 2e-3 { // of 1000 parts and what lies beyond 1e-4
				t.Errorf("%s: ranks are below %v with probability %v", name, mass, below)
			}
		}
	}
}
