package score_test

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/likelihood/score"
	"github.com/acqnp/acqnp/internal/random"
	"github.com/acqnp/acqnp/internal/test/must"
)

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s = %.10g, want %.10g within %g", what, got, want, tolerance)
	}
}

func TestScoresOfANormal(t *testing.T) {
	p := score.Of(likelihood.GaussianMixtureOf([]likelihood.Gaussian{{Mean: 1, Scale: 2}}), 3, 0.5)
	near(t, "log density", p.LogDensity, -0.5-math.Log(2)-math.Log(2*math.Pi)/2, 1e-12)
	near(t, "PIT", p.PIT, distuv.UnitNormal.CDF(1), 1e-12)
	z, n := 1.0, distuv.UnitNormal
	near(t, "CRPS", p.CRPS, 2*(z*(2*n.CDF(z)-1)+2*n.Prob(z)-1/math.Sqrt(math.Pi)), 1e-12)
	for i, level := range score.Levels {
		e := 3 - (1 + 2*n.Quantile(level))
		near(t, "pinball loss", p.Pinball[i], math.Max(level*e, (level-1)*e), 1e-8)
	}
	must.Same(t, 3.0, p.Y)
}

// Outcomes that the prediction itself draws have a uniform PIT, and half of them lie in the interval
// of 50%. The bounds hold for 999 of 1000 seeds.
func TestScoresOfTheModelsOwnDraws(t *testing.T) {
	m := likelihood.MixtureOf([]likelihood.AsymmetricLaplace{{Location: 0, Scale: 0.3, Logit: -1}, {Location: 2, Scale: 0.1, Logit: 2}, {Location: 1, Scale: 1}},
		[]float64{0, 0.5, 1})
	g, tally := random.New(5, random.Draws), score.NewTally([]string{"y"})
	const n = 4000
	for i := range uint64(n) {
		tally.Add([]score.Point{score.Of(m, m.Draw(g.Float(0, i), g.Float(1, i)), 0.5)})
	}
	s := tally.Summary()
	checkUniform(t, s.PIT, n)
	near(t, "coverage of 50%", s.Coverage.Half, 0.5, 3.3*math.Sqrt(0.25/n))
	near(t, "coverage of 90%", s.Coverage.Most, 0.9, 3.3*math.Sqrt(0.09/n))
	if s.Targets != n || s.LogDensity.StdError == nil || len(s.PerChannel) != 0 || len(s.PerGroup) != 1 {
		t.Errorf("%+v", s)
	}
	// Twice the pinball losses at evenly spaced levels have the CRPS as their mean; five levels are coarse.
	p := s.Pinball
	near(t, "CRPS", s.CRPS, 2*(0.15*p.P05+0.225*p.P25+0.25*p.P50+0.225*p.P75+0.15*p.P95), 0.03)
}

func checkUniform(t *testing.T, shares []float64, n float64) {
	t.Helper()
	chi, sum := 0.0, 0.0
	for _, share := range shares {
		chi += n * 20 * (share - 0.05) * (share - 0.05)
		sum += share
	}
	if bound := 43.8; len(shares) != 20 || chi > bound || math.Abs(sum-1) > 1e-12 {
		t.Errorf("PIT %v sums to %g, chi squared %g, bound %g", shares, sum, chi, bound)
	}
}

// Three groups of 1, 2 and 3 targets of two channels. The means are those over all outcomes; the
// errors count each group once.
func TestMeansOverGroupsAndChannels(t *testing.T) {
	tally := score.NewTally([]string{"a", "b"})
	values := map[string][][2]float64{"f": {{1, 2}}, "g": {{2, 4}, {4, 2}}, "h": {{-3, 0}, {0, 0}, {6, 3}}}
	for _, name := range []string{"f", "g", "h"} {
		for _, v := range values[name] {
			tally.Add([]score.Point{{Group: name, LogDensity: v[0], CRPS: 1, PIT: 0.2}, {Group: name, LogDensity: v[1], CRPS: 3, PIT: 1}})
		}
	}
	s := tally.Summary()
	near(t, "mean", s.LogDensity.Mean, 21.0/12, 1e-12)
	near(t, "CRPS", s.CRPS, 2, 1e-12)
	// Sums less the mean's share: 3−3.5, 12−7, 6−10.5.
	near(t, "error", *s.LogDensity.StdError, math.Sqrt((0.25+25+20.25)*1.5)/12, 1e-12)
	a := s.PerChannel[0]
	near(t, "mean of a", a.LogDensity.Mean, 10.0/6, 1e-12)
	near(t, "error of a", *a.LogDensity.StdError, math.Sqrt((4.0/9+64.0/9+4)*1.5)/6, 1e-12)
	near(t, "CRPS of b", s.PerChannel[1].CRPS, 3, 1e-12)
	if a.Channel != "a" || a.Targets != 6 || a.Coverage != (score.Coverage{Half: 0, Most: 1}) || s.PIT[19] != 0.5 || s.PIT[4] != 0.5 {
		t.Errorf("%+v", s)
	}
	want := score.Group{Group: "h", Points: 3, LogDensity: 1, CRPS: 2, Coverage: score.Coverage{Half: 0, Most: 0.5}}
	if len(s.PerGroup) != 3 || s.PerGroup[2] != want {
		t.Errorf("%+v, want %+v", s.PerGroup, want)
	}
	var b bytes.Buffer
	must.Do(t, s.Print(&b, "kg"))
	for _, text := range []string{"all outputs", "1.7500 ± ", "worst groups", "50.0%", "h "} {
		if !strings.Contains(b.String(), text) {
			t.Errorf("%q is not in\n%s", text, b.String())
		}
	}
}

// With one group, the error is that over its targets; with one target there is none.
func TestErrorOfOneGroup(t *testing.T) {
	tally := score.NewTally([]string{"y"})
	tally.Add([]score.Point{{LogDensity: 1}})
	if e := tally.Summary().LogDensity; e.Mean != 1 || e.StdError != nil || e.String() != "1.0000" {
		t.Errorf("%v", e)
	}
	tally.Add([]score.Point{{LogDensity: 2}})
	tally.Add([]score.Point{{LogDensity: 6}})
	e := tally.Summary().LogDensity
	near(t, "mean", e.Mean, 3, 1e-12)
	near(t, "error", *e.StdError, math.Sqrt(7.0/3), 1e-12)
}

// The mean of one target is its score, also if its weight is below 1.
func TestMeanOfASmallWeight(t *testing.T) {
	tally := score.NewTally([]string{"y"})
	tally.Add([]score.Point{{LogDensity: -3, Weight: 0.2}})
	near(t, "mean", tally.Summary().LogDensity.Mean, -3, 1e-12)
}

// A weight of 3 is three such points: in means, in standard errors over targets and over groups, and in histograms.
func TestAWeightIsARepeatedPoint(t *testing.T) {
	for _, groups := range []int{1, 3} {
		weighted, repeated := score.NewTally([]string{"y"}), score.NewTally([]string{"y"})
		for i := range 12 {
			p := score.Of(likelihood.GaussianMixtureOf([]likelihood.Gaussian{{Scale: 2}}), math.Sin(float64(5*i)), 0.5)
			p.Group = string(rune('a' + i%groups))
			times := 1 + (i*i)%3
			for range times {
				repeated.Add([]score.Point{p})
			}
			p.Weight = float64(times)
			weighted.Add([]score.Point{p})
		}
		a, b := weighted.Summary(), repeated.Summary()
		if a.Targets != 12 || b.Targets <= 12 {
			t.Errorf("%d and %d targets", a.Targets, b.Targets)
		}
		near(t, "log density", a.LogDensity.Mean, b.LogDensity.Mean, 1e-12)
		near(t, "its error", *a.LogDensity.StdError, *b.LogDensity.StdError, 1e-12)
		near(t, "CRPS", a.CRPS, b.CRPS, 1e-12)
		near(t, "pinball loss", a.Pinball.P25, b.Pinball.P25, 1e-12)
		near(t, "coverage", a.Coverage.Half, b.Coverage.Half, 1e-12)
		for i, share := range a.PIT {
			near(t, "PIT", share, b.PIT[i], 1e-12)
		}
		near(t, "CRPS of a group", float64(a.PerGroup[0].CRPS), float64(b.PerGroup[0].CRPS), 1e-12)
	}
}
