package score_test

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/acqnp/acqnp/internal/random"
	"github.com/acqnp/acqnp/internal/score"
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

// The functions have 1 to 30 points. In 200 repeats, calibrated intervals hold a new function's point
// as often as they should: between m and m + 2/(K+1), up to what 999 of 1000 seeds keep to. Those
// of the prediction hold it far less often.
func TestCalibratedIntervalsHoldWhatTheySay(t *testing.T) {
	const repeats, functions = 200, 39
	w := &world{g: random.New(3, random.Draws)}
	held := map[string]float64{}
	for range repeats {
		var groups [][]score.Outcome
		for k := range functions {
			groups = append(groups, w.function(1+k%30))
		}
		c, o := score.Calibrate(groups), w.function(1)[0]
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
			count(fmt.Sprint("up to ", m), o.PIT <= high)
			count(fmt.Sprint("plain ", m), math.Abs(2*o.PIT-1) <= m)
		}
	}
	for name, want := range map[string]float64{"interval 0.5": 0.5, "region 0.5": 0.5, "up to 0.5": 0.75, "interval 0.9": 0.9, "region 0.9": 0.9, "up to 0.9": 0.95} {
		share := held[name] / repeats
		slack := 3.3 * math.Sqrt(want*(1-want)/repeats)
		if share < want-slack || share > want+2.0/(functions+1)+slack {
			t.Errorf("%s: %v of %d outcomes inside, want %v to %v, and %v of chance", name, share, repeats, want, want+2.0/(functions+1), slack)
		}
	}
	if plain := held["plain 0.9"] / repeats; plain > 0.75 {
		t.Errorf("the prediction itself holds %v of the outcomes at 0.9: nothing to calibrate", plain)
	}
}

// Each function has the same weight, whatever its size: the outcomes of one large function do not
// outweigh those of the others.
func TestFunctionsCalibrateEqually(t *testing.T) {
	groups := [][]score.Outcome{make([]score.Outcome, 10000)}
	for i := range groups[0] {
		groups[0][i] = score.Outcome{PIT: 0.999, Rank: 0.99}
	}
	for i := range 19 {
		groups = append(groups, []score.Outcome{{PIT: 0.05 * float64(i+1), Rank: 0.05 * float64(i+1)}})
	}
	c := score.Calibrate(groups)
	// 20 functions of weight 1/21: the eleventh smallest PIT has 11/21 of it up to it.
	if level, _ := c.Level(0.523); level != 0.05*11 {
		t.Errorf("level %v", level)
	}
	if mass, _ := c.Mass(0.5); mass != 0.05*11 {
		t.Errorf("mass %v", mass)
	}
	if level, ok := c.Level(0.953); ok || level != 1 { // above 20/21
		t.Errorf("level %v, %t", level, ok)
	}
	if level, ok := c.Level(0.04); ok || level != 0 {
		t.Errorf("level %v, %t", level, ok)
	}
	if low, high := c.Limits(); low != 1.0/21 || high != 20.0/21 {
		t.Errorf("limits %v and %v", low, high)
	}
}

// The levels never cross, and PIT inverts them: a point is inside a calibrated interval exactly if its
// calibrated PIT is between the levels.
func TestCalibratedLevelsAreMonotone(t *testing.T) {
	w := &world{g: random.New(4, random.Draws)}
	var groups [][]score.Outcome
	for range 60 {
		groups = append(groups, w.function(7))
	}
	c, last := score.Calibrate(append(groups, nil)), 0.0
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
