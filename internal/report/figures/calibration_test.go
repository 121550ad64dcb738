package figures_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/acqnp/acqnp/internal/likelihood/score"
	"github.com/acqnp/acqnp/internal/random"
	"github.com/acqnp/acqnp/internal/report/figures"
)

// calibrationOf returns the scores of 2000 outcomes that are standard normal, under the prediction
// N(0, sd²). They belong to 40 groups.
func calibrationOf(sd float64) figures.Calibration {
	const groups, each, bins = 40, 50, 20
	g := random.New(7, random.Draws)
	c := figures.Calibration{Means: score.Means{Targets: groups * each, PIT: make([]float64, bins)}}
	for f := range groups {
		list := score.Group{Group: fmt.Sprintf("f%02d", f), Points: each}
		for i := range each {
			y := distuv.UnitNormal.Quantile(g.Float(0, uint64(f*each+i)))
			pit := distuv.Normal{Sigma: sd}.CDF(y)
			c.Means.PIT[min(int(pit*bins), bins-1)] += 1. / (groups * each)
			if math.Abs(pit-0.5) <= 0.25 {
				list.Coverage.Half += 1. / each
			}
			if math.Abs(pit-0.5) <= 0.45 {
				list.Coverage.Most += 1. / each
			}
		}
		c.Groups = append(c.Groups, list)
	}
	return c
}

func TestUniformPITStaysInTheBand(t *testing.T) {
	c := calibrationOf(1)
	low, high := c.Band()
	if below, above := c.BinsOutside(); below+above != 0 {
		t.Errorf("%d and %d bars outside %g to %g: %v", below, above, low, high, c.Means.PIT)
	}
	// Three standard deviations of a share of 1/20 of 2000 are 0.015.
	if math.Abs(low-0.035) > 0.004 || math.Abs(high-0.065) > 0.004 {
		t.Errorf("band from %g to %g", low, high)
	}
	for _, r := range c.Reliability() {
		if r.Observed < r.Low || r.Observed > r.High {
			t.Errorf("%+v", r)
		}
	}
}

func TestNarrowPredictionsLeaveTheBand(t *testing.T) {
	c := calibrationOf(0.5)
	_, high := c.Band()
	if c.Means.PIT[0] <= high || c.Means.PIT[19] <= high {
		t.Errorf("the ends of %v lie below %g", c.Means.PIT, high)
	}
	if below, above := c.BinsOutside(); below < 10 || above != 2 {
		t.Errorf("%d bars below the band, %d above", below, above)
	}
	for _, r := range c.Reliability() {
		if r.Observed >= r.Low {
			t.Errorf("%+v, want less", r)
		}
	}
}

// Of 100 throws of a coin, 40 to 60 are heads with a probability above 95%; of 41 to 59 this is not so.
func TestRangeOfACoin(t *testing.T) {
	c := figures.Calibration{Means: score.Means{Targets: 100, PIT: make([]float64, 20)}}
	if r := c.Reliability()[4]; r.Nominal != 0.5 || r.Low != 0.4 || r.High != 0.6 {
		t.Errorf("%+v", r)
	}
}

// If all targets of a group are inside or all are outside, each group counts as one target.
func TestAlikeTargetsCountLess(t *testing.T) {
	c := figures.Calibration{Means: score.Means{Targets: 1000}}
	for i := range 20 {
		in := float64(i % 2)
		c.Groups = append(c.Groups, score.Group{Points: 50, Coverage: score.Coverage{Half: in, Most: in}})
	}
	if n := c.Independent(); n != 20 {
		t.Errorf("%d, want 20", n)
	}
	for i := range c.Groups {
		c.Groups[i].Coverage = score.Coverage{Half: 0.5, Most: 0.9}
	}
	if n := c.Independent(); n != 1000 {
		t.Errorf("%d of groups of equal coverage, want 1000", n)
	}
}

func TestCalibrationPictures(t *testing.T) {
	pictures, err := calibrationOf(1).Pictures()
	if err != nil || len(pictures) != 2 {
		t.Fatalf("%d pictures, error %v", len(pictures), err)
	}
	for _, p := range pictures {
		if p.Alt == "" || p.Title == "" || p.Width != 400 || p.Height != 300 || len(p.SVG) > 100_000 {
			t.Errorf("%s: %q, %d × %d, %d bytes", p.Title, p.Alt, p.Width, p.Height, len(p.SVG))
		}
		texts(t, p.SVG)
	}
	if !strings.Contains(pictures[0].Alt, "all 20 bars") {
		t.Errorf("%q", pictures[0].Alt)
	}
}
