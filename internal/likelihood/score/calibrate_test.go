package score_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/acqnp/acqnp/internal/likelihood/score"
	"github.com/acqnp/acqnp/internal/random"
)

// world draws functions whose points share an offset, so that they are alike, and predicts them with
// a distribution that is too narrow and lies too low.
type world struct {
	g    random.Generator
	next uint64
}

func (w *world) normal() float64 {
	w.next++
	return w.g.Normal(0, w.next)
}

// function returns the outcomes of a function of n points under the prediction N(−0.5, 0.6²); they
// are N(b, 0.5²) with an offset b ~ N(0, 1) of the function.
func (w *world) function(n int) []score.Outcome {
	b := w.normal()
	outcomes := make([]score.Outcome, n)
	for i := range outcomes {
		pit := distuv.UnitNormal.CDF((b + 0.5*w.normal() + 0.5) / 0.6)
		outcomes[i] = score.Outcome{PIT: pit, Rank: math.Abs(2*pit - 1)}
	}
	return outcomes
}

// calibrate returns the calibration of functions with the given numbers of points.
func (w *world) calibrate(points ...int) score.Calibration {
	o := score.Outcomes{}
	for k, n := range points {
		for _, outcome := range w.function(n) {
			o.Add([]score.Point{{Function: fmt.Sprint(k), PIT: outcome.PIT, Rank: outcome.Rank}})
		}
	}
	return o.Calibrations()[0]
}

// The functions have 1 to 30 points, which are alike. In 2000 repeats, calibrated intervals hold a new
// function's point with the probability that the theorem states, ⌈(K+1)m⌉/(K+1), up to what 999 of 1000
// seeds keep to. Those of the prediction hold it far less often.
func TestCalibratedIntervalsHoldWhatTheySay(t *testing.T) {
	const repeats = 2000
	for _, functions := range []int{9, 19, 30} {
		w := &world{g: random.New(uint64(functions), random.Draws)}
		held, points := map[string]float64{}, make([]int, functions)
		for k := range points {
			points[k] = 1 + k%30
		}
		for range repeats {
			c, o := w.calibrate(points...), w.function(1)[0]
			count := func(name string, inside bool) {
				if inside {
					held[name]++
				}
			}
			for _, m := range []float64{0.5, 0.9} {
				low, ok := c.Level((1 - m) / 2)
				high, ok2 := c.Level((1 + m) / 2)
				mass, ok3 := c.Mass(m)
				if !ok || !ok2 || !ok3 {
					t.Fatalf("%d functions are too few for %v", functions, m)
				}
				count(fmt.Sprint("interval ", m), low <= o.PIT && o.PIT <= high)
				count(fmt.Sprint("region ", m), o.Rank <= mass)
				count(fmt.Sprint("plain ", m), math.Abs(2*o.PIT-1) <= m)
			}
		}
		for name, m := range map[string]float64{"interval 0.5": 0.5, "region 0.5": 0.5, "interval 0.9": 0.9, "region 0.9": 0.9} {
			want := math.Ceil(float64(functions+1)*m-1e-9) / float64(functions+1)
			slack := 3.3 * math.Sqrt(want*(1-want)/repeats)
			if share := held[name] / repeats; math.Abs(share-want) > slack {
				t.Errorf("%s of %d functions: %v of %d outcomes inside, want %v within %v", name, functions, share, repeats, want, slack)
			}
		}
		if plain := held["plain 0.9"] / repeats; plain > 0.75 {
			t.Errorf("the prediction itself holds %v of the outcomes at 0.9: nothing to calibrate", plain)
		}
	}
}

// One outcome of each function counts, whatever its size.
func TestFunctionsCalibrateEqually(t *testing.T) {
	o := score.Outcomes{}
	for range 10000 {
		o.Add([]score.Point{{Function: "large", PIT: 0.999, Rank: 0.999}})
	}
	for i := range 19 {
		v := 0.05 * float64(i+1)
		o.Add([]score.Point{{Function: fmt.Sprint(i), PIT: (1 + v) / 2, Rank: v}})
	}
	c := o.Calibrations()[0]
	if c.Groups != 20 || o.Targets() != 10019 {
		t.Errorf("%d groups, %d targets", c.Groups, o.Targets())
	}
	// Of 20 functions, the eleventh smallest score has 11/21 = 0.5238 of them up to it.
	if level, _ := c.Level(0.7605); math.Abs(level-(1+0.05*11)/2) > 1e-12 {
		t.Errorf("level %v", level)
	}
	if level, _ := c.Level(0.2395); math.Abs(level-(1-0.05*11)/2) > 1e-12 {
		t.Errorf("level %v", level)
	}
	if mass, _ := c.Mass(0.523); math.Abs(mass-0.05*11) > 1e-12 {
		t.Errorf("mass %v", mass)
	}
	// No score is beyond 20/21 = 0.9524 of them: that is the mass between the levels 0.0238 and 0.9762.
	if level, ok := c.Level(0.977); ok || level != 1 {
		t.Errorf("level %v, %t", level, ok)
	}
	if level, ok := c.Level(0.023); ok || level != 0 {
		t.Errorf("level %v, %t", level, ok)
	}
	if low, high, mass := c.Limits(); low != 0.024 || high != 0.976 || mass != 0.952 {
		t.Errorf("limits %v, %v and %v", low, high, mass)
	}
}

// Every target of a function is drawn with the same probability.
func TestTargetsOfAFunctionAreDrawnEvenly(t *testing.T) {
	const functions, targets = 6000, 3
	o := score.Outcomes{}
	for k := range functions {
		for i := range targets {
			o.Add([]score.Point{{Function: fmt.Sprint(k), PIT: 0.5, Rank: float64(i) / targets}})
		}
	}
	c := o.Calibrations()[0]
	// Masses up to 1/3 and 2/3 are those of ranks 0 and 1/3. Shares have a deviation of 0.006.
	for i := range targets {
		edge := float64(i+1) / targets
		below, _ := c.Mass(edge - 0.025)
		above, ok := c.Mass(min(edge+0.025, 0.999))
		if want := float64(i) / targets; math.Abs(below-max(want, 1e-6)) > 1e-12 || !ok || i+1 < targets && math.Abs(above-edge) > 1e-12 {
			t.Errorf("masses %v and %v beside %v: targets are not drawn evenly", below, above, edge)
		}
	}
}

// The share that one calibration holds has the beta distribution. Simulated are calibrations of 19 exact
// predictions, whose intervals hold exactly the mass between their levels.
func TestSharesOfCalibrations(t *testing.T) {
	const repeats, groups = 4000, 19
	g, inside := random.New(5, random.Draws), 0.0
	for r := range repeats {
		outcomes := make([]score.Outcome, groups)
		for i := range outcomes {
			outcomes[i].PIT = g.Float(uint64(r), uint64(i))
		}
		c := score.Calibrate(outcomes)
		low, high, ok := c.Share(0.9)
		from, _ := c.Level(0.05)
		to, _ := c.Level(0.95)
		if !ok {
			t.Fatal("too few groups")
		}
		if share := to - from; low <= share && share <= high {
			inside++
		}
	}
	// 90% within 3.3 standard errors of 0.0047.
	if share := inside / repeats; math.Abs(share-0.9) > 0.016 {
		t.Errorf("%v of the shares are inside, want 0.9", share)
	}
	if _, _, ok := score.Calibrate(make([]score.Outcome, 8)).Share(0.9); ok {
		t.Error("8 groups have an interval of 90%")
	}
}

// The levels never cross, and PIT inverts them: a point is inside a calibrated interval exactly if its
// calibrated PIT is between the levels.
func TestCalibratedLevelsAreMonotone(t *testing.T) {
	w := &world{g: random.New(4, random.Draws)}
	c, last := w.calibrate(slices.Repeat([]int{7}, 60)...), 0.0
	if c.Groups != 60 {
		t.Errorf("%d groups", c.Groups)
	}
	for p := 0.02; p < 0.98; p += 0.0007 {
		level, _ := c.Level(p)
		if level < last {
			t.Fatalf("level %v of %v is below the one before, %v", level, p, last)
		}
		last = level
	}
	for _, pit := range []float64{0, 1e-9, 0.1, 0.33, 0.7, 0.9, 0.999, 1} {
		for _, p := range []float64{0.05, 0.25, 0.75, 0.95} {
			level, _ := c.Level(p)
			if (pit <= level) != (c.PIT(pit) <= p) && math.Abs(pit-level) > 1e-12 {
				t.Errorf("PIT %v becomes %v, but level %v becomes %v", pit, c.PIT(pit), p, level)
			}
		}
	}
}
