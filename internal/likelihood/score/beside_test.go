package score_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/likelihood/score"
)

// Of one normal distribution, the pair has its closed forms, and quantiles at many levels and draws come to the same.
func TestPairOfANormal(t *testing.T) {
	const mean, sd, y, n = 1.0, 2.0, 2.5, 4000
	p := score.Normal(y, likelihood.Gaussian{Mean: mean, Scale: sd})
	z, unit := (y-mean)/sd, distuv.UnitNormal
	crps := sd * (z*(2*unit.CDF(z)-1) + 2*unit.Prob(z) - 1/math.Sqrt(math.Pi))
	near(t, "log density", p.LogDensity, unit.LogProb(z)-math.Log(sd), 1e-12)
	near(t, "CRPS", p.CRPS, crps, 1e-12)
	if p.Half != 0 || p.Most != 1 {
		t.Errorf("inside 50%%: %v, inside 90%%: %v; expected 0 and 1, as P(Z < %v) is %v", p.Half, p.Most, z, unit.CDF(z))
	}
	var levels, quantiles []float64
	for i := range n {
		levels = append(levels, (float64(i)+0.5)/n)
		quantiles = append(quantiles, mean+sd*unit.Quantile(levels[i]))
	}
	near(t, "score of quantiles", score.Quantiles(y, levels, quantiles), crps, 1e-3)
	near(t, "score of evenly spread draws", score.Draws(y, quantiles), crps, 1e-3)
	near(t, "rank among them", score.Rank(y, quantiles), unit.CDF(z), 1e-3)
}

// The score of draws is E|X − y| − ½E|X − X'| over pairs of different draws.
func TestDrawsAreScoredByPairs(t *testing.T) {
	draws, y := []float64{-2, 0, 0.5, 4}, 0.25
	near, apart := 0.0, 0.0
	for i, v := range draws {
		near += math.Abs(v-y) / 4
		for j, w := range draws {
			if i != j {
				apart += math.Abs(v-w) / 12
			}
		}
	}
	if got, want := score.Draws(y, draws), near-apart/2; math.Abs(got-want) > 1e-12 {
		t.Errorf("score %v, want %v", got, want)
	}
}

func TestRankCountsEqualDrawsHalf(t *testing.T) {
	for y, want := range map[float64]float64{0: 0.1, 1: 0.4, 1.5: 0.7, 2: 0.8, 3: 0.9} {
		near(t, "rank", score.Rank(y, []float64{1, 1, 1, 2}), want, 1e-12)
	}
}

// A paired difference has the standard error of the mean over groups: two groups of different sizes by hand. A pair without
// a log density counts in the other scores, and a row of weight 2 as two.
func TestPairedDifferencesCountGroupsOnce(t *testing.T) {
	var s score.Paired
	nan := math.NaN()
	add := func(group string, weight, crps, ours, density, ourDensity float64) {
		s.Add(score.Point{Group: group, Weight: weight}, score.Pair{CRPS: crps, OurCRPS: ours, LogDensity: density, OurLogDensity: ourDensity, Half: 1, Most: nan})
	}
	add("a", 0, 3, 1, -1, -2)
	add("a", 0, 2, 1, nan, nan)
	add("b", 2, 5, 5, -3, -1)
	got := s.Tool()
	near(t, "CRPS", got.CRPS, 15.0/4, 1e-12)
	near(t, "our CRPS", got.OurCRPS, 12.0/4, 1e-12)
	near(t, "difference", got.CRPSDifference.Mean, 3.0/4, 1e-12)
	near(t, "its error", *got.CRPSDifference.StdError, math.Sqrt(2*(1.5*1.5+1.5*1.5))/4, 1e-12)
	near(t, "log density", float64(got.LogDensity), -7.0/3, 1e-12)
	near(t, "our log density", float64(got.OurLogDensity), -4.0/3, 1e-12)
	near(t, "difference", got.LogDensityDifference.Mean, -1, 1e-12)
	near(t, "its error", *got.LogDensityDifference.StdError, math.Sqrt(2*(2*2+2*2))/3, 1e-12)
	if got.Targets != 3 || !math.IsNaN(got.Coverage.Most) || got.Coverage.Half != 1 {
		t.Errorf("%+v", got)
	}
}

// Without several groups, targets are independent.
func TestPairedDifferencesOfOneGroup(t *testing.T) {
	var s score.Paired
	differences := []float64{1, 2, 6}
	for _, d := range differences {
		s.Add(score.Point{}, score.Pair{CRPS: 1 + d, OurCRPS: 1, LogDensity: math.NaN(), OurLogDensity: math.NaN()})
	}
	got := s.Tool()
	near(t, "difference", got.CRPSDifference.Mean, 3, 1e-12)
	near(t, "its error", *got.CRPSDifference.StdError, math.Sqrt(7.0/3), 1e-12)
	if !math.IsNaN(float64(got.LogDensity)) || got.LogDensityDifference != nil {
		t.Errorf("%+v", got)
	}
}
