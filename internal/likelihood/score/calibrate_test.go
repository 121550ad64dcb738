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

// group returns the outcomes of a group of n points under the prediction N(−0.5, 0.6²); they
// are N(b, 0.5²) with an offset b ~ N(0, 1) of the group.
func (w *world) group(n int) []score.Outcome {
	b := w.normal()
	outcomes := make([]score.Outcome, n)
	for i := range outcomes {
		pit := distuv.UnitNormal.CDF((b + 0.5*w.normal() + 0.5) / 0.6)
		outcomes[i] = score.Outcome{PIT: pit, Rank: math.Abs(2*pit - 1), Weight: 1 / float64(n)}
	}
	return outcomes
}

// calibrate returns the calibration of groups with the given numbers of points.
func (w *world) calibrate(points ...int) score.Calibration {
	o := score.Outcomes{}
	for k, n := range points {
		for _, outcome := range w.group(n) {
			o.Add([]score.Point{{Group: fmt.Sprint(k), PIT: outcome.PIT, Rank: outcome.Rank}})
		}
	}
	return o.Calibrations()[0]
}

// The groups have 1 to 30 points, which are alike. In 2000 repeats, calibrated intervals hold a new
// group's point with a probability that the theorem states, between m and m + 2/(K+1), up to what 999 of 1000
// seeds keep to. Those of the prediction hold it far less often.
func TestCalibratedIntervalsHoldWhatTheySay(t *testing.T) {
	const repeats = 2000
	for _, groups := range []int{9, 19, 30} {
		w := &world{g: random.New(uint64(groups), random.Draws)}
		held, points := map[string]float64{}, make([]int, groups)
		for k := range points {
			points[k] = 1 + k%30
		}
		for range repeats {
			c, o := w.calibrate(points...), w.group(1)[0]
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
					t.Fatalf("%d groups are too few for %v", groups, m)
				}
				count(fmt.Sprint("interval ", m), low <= o.PIT && o.PIT <= high)
				count(fmt.Sprint("region ", m), o.Rank <= mass)
				count(fmt.Sprint("plain ", m), math.Abs(2*o.PIT-1) <= m)
			}
		}
		for name, m := range map[string]float64{"interval 0.5": 0.5, "region 0.5": 0.5, "interval 0.9": 0.9, "region 0.9": 0.9} {
			most := m + 2/float64(groups+1)
			slack := 3.3 * math.Sqrt(m*(1-m)/repeats)
			if share := held[name] / repeats; share < m-slack || share > most+slack {
				t.Errorf("%s of %d groups: %v of %d outcomes inside, want %v to %v within %v", name, groups, share, repeats, m, most, slack)
			}
		}
		if plain := held["plain 0.9"] / repeats; plain > 0.75 {
			t.Errorf("the prediction itself holds %v of the outcomes at 0.9: nothing to calibrate", plain)
		}
	}
}

// One outcome of each group counts, whatever its size.
func TestGroupsCalibrateEqually(t *testing.T) {
	o := score.Outcomes{}
	for range 10000 {
		o.Add([]score.Point{{Group: "large", PIT: 0.999, Rank: 0.999}})
	}
	for i := range 19 {
		v := 0.05 * float64(i+1)
		o.Add([]score.Point{{Group: fmt.Sprint(i), PIT: (1 + v) / 2, Rank: v}})
	}
	c := o.Calibrations()[0]
	if c.Groups != 20 || o.Targets() != 10019 {
		t.Errorf("%d groups, %d targets", c.Groups, o.Targets())
	}
	// Of 20 groups, the eleventh smallest score has 11/21 = 0.5238 of them up to it.
	if level, _ := c.Level(0.7605); math.Abs(level-(1+0.05*11)/2) > 1e-12 {
		t.Errorf("level %v", level)
	}
	if level, _ := c.Level(0.2395); math.Abs(level-(1-0.05*11)/2) > 1e-12 {
		t.Errorf("level %v", level)
	}
	if mass, _ := c.Mass(0.523); math.Abs(mass-0.05*11) > 1e-12 {
		t.Errorf("mass %v", mass)
	}
	// No score is beyond 20/21 = 0.9524 of them: that is the mass between the levels 0.0238 and 0.9762. Beyond, the
	// level is in proportion to what is left: the 20th outcome leaves 0.001 of the model's probability at 0.024.
	for p, want := range map[float64]float64{0.012: 0.0005, 0.988: 0.9995, 0.024: 0.001, 0.976: 0.999} {
		enough := p == 0.024 || p == 0.976
		if level, ok := c.Level(p); ok != enough || math.Abs(level-want) > 1e-12 {
			t.Errorf("level %v of %v, %t, want %v", level, p, ok, want)
		}
	}
	if low, high, mass := c.Limits(); low != 0.024 || high != 0.976 || mass != 0.952 {
		t.Errorf("limits %v, %v and %v", low, high, mass)
	}
}

// Outcomes of a group of n count 1/n each, in whatever order they and the groups come. 39 groups have ranks of
// 0 to 0.95 in steps of 0.05 each: of a mass m, the share m·40/39 of them is what counts.
func TestOutcomesOfAGroupCountTogether(t *testing.T) {
	const groups, targets = 39, 20
	var points []score.Point
	for k := range groups {
		for i := range targets {
			points = append(points, score.Point{Group: fmt.Sprint(k), PIT: 0.5 + float64(i)/targets/2, Rank: float64(i) / targets})
		}
	}
	calibrate := func(order []int) score.Calibration {
		o := score.Outcomes{}
		for _, i := range order {
			o.Add(points[i : i+1])
		}
		return o.Calibrations()[0]
	}
	order := make([]int, len(points))
	random.New(1, random.Draws).Perm(0, order)
	a := calibrate(order)
	for i := 1; i < targets; i++ {
		edge := float64(i) / targets * groups / (groups + 1)
		for off, want := range map[float64]float64{-0.002: float64(i-1) / targets, 0.002: float64(i) / targets} {
			if mass, _ := a.Mass(edge + off); math.Abs(mass-max(want, 1e-6)) > 1e-12 {
				t.Errorf("mass %v of %v, want %v", mass, edge+off, want)
			}
		}
	}
	random.New(2, random.Draws).Perm(0, order)
	if b := calibrate(order); !slices.Equal(a.Levels, b.Levels) || !slices.Equal(a.Masses, b.Masses) {
		t.Error("the order of outcomes changes a calibration")
	}
}

// The share that one calibration holds has the beta distribution. Simulated are calibrations of 19 exact
// predictions, whose intervals hold exactly the mass between their levels.
func TestSharesOfCalibrations(t *testing.T) {
	const repeats, groups = 4000, 19
	g, inside := random.New(5, random.Draws), 0.0
	for r := range repeats {
		outcomes := make([][]score.Outcome, groups)
		for i := range outcomes {
			outcomes[i] = []score.Outcome{{PIT: g.Float(uint64(r), uint64(i)), Weight: 1}}
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
	if _, _, ok := score.Calibrate(make([][]score.Outcome, 8)).Share(0.9); ok {
		t.Error("8 groups have an interval of 90%")
	}
}

// What is calibrated is a distribution: P(Y ≤ y) grows from 0 to 1 with the model's, P(Y > y) is what is left of it, and
// levels invert it, also of 1, 8 and 60 groups and beyond all that these calibrate.
func TestACalibratedPredictionIsADistribution(t *testing.T) {
	for _, groups := range []int{1, 8, 60} {
		w := &world{g: random.New(4, random.Draws)}
		c := w.calibrate(slices.Repeat([]int{7}, groups)...)
		if c.Groups != groups {
			t.Errorf("%d groups", c.Groups)
		}
		for _, f := range []float64{c.CDF(0), 1 - c.CDF(1), c.Survival(0), 1 - c.Survival(1)} {
			if f != 0 {
				t.Errorf("%d groups: %v beyond all y, want 0", groups, f)
			}
		}
		last, u := 0.0, 1e-30
		for range 4000 {
			u = min(u+max(u/50, 0.0003)*min(1, u*1e6+1e-3), 1-1e-12)
			p, above := c.CDF(u), c.Survival(1-u)
			if p < last || p <= 0 || p >= 1 || math.Abs(p+above-1) > 1e-9 { // 1−u has 16 digits
				t.Fatalf("%d groups: CDF %v of %v after %v, survival %v", groups, p, u, last, above)
			}
			if s := c.Survival(u); u < 0.4 && math.Abs(s-c.CDF(u)) > 0.002 { // but for steps of a flat map
				t.Fatalf("%d groups: the tails %v and %v of %v differ", groups, s, c.CDF(u), u)
			}
			last = p
		}
		last = 0
		for p := 0.0003; p < 1; p += 0.0007 {
			level, _ := c.Level(p)
			if level < last || level <= 0 || level >= 1 {
				t.Fatalf("%d groups: level %v of %v after %v", groups, level, p, last)
			}
			last = level
			for _, u := range []float64{1e-12, 1e-4, 0.1, 0.33, 0.5, 0.7, 0.9, 0.999, 1 - 1e-9} {
				if (level <= u) != (p <= c.CDF(u)) && math.Abs(level-u) > 1e-9 {
					t.Errorf("%d groups: level %v of %v, but %v has %v below it", groups, level, p, u, c.CDF(u))
				}
			}
		}
		if mass, enough := c.Mass(0.9999); enough || !(mass < 1) {
			t.Errorf("%d groups: mass %v, %v", groups, mass, enough)
		}
	}
}

// Far tails keep the proportions of the model's: half of its probability is half of the calibrated one.
func TestFarTailsAreTheModels(t *testing.T) {
	w := &world{g: random.New(9, random.Draws)}
	c := w.calibrate(slices.Repeat([]int{5}, 12)...)
	for _, u := range []float64{1e-6, 1e-40, 1e-300} {
		for name, of := range map[string]func(float64) float64{"below": c.CDF, "above": c.Survival} {
			if ratio := of(u) / of(u/2); math.Abs(ratio-2) > 1e-9 {
				t.Errorf("%s: %v and %v of %v and half of it", name, of(u), of(u/2), u)
			}
		}
	}
}

// With outcomes of one group all alike there are as many independent ones as groups; with outcomes that have nothing in
// common nearly as many as outcomes. The variance of 200 shares is known to a tenth, three standard errors are 0.3.
func TestIndependentOutcomes(t *testing.T) {
	const groups, each = 200, 10
	g := random.New(6, random.Draws)
	for alike, want := range map[bool]float64{true: groups, false: groups * each} {
		all := make([][]score.Outcome, groups)
		for k := range all {
			for i := range each {
				at := uint64(i)
				if alike {
					at = 0
				}
				all[k] = append(all[k], score.Outcome{PIT: g.Float(uint64(k), at), Weight: 1.0 / each})
			}
		}
		if n := score.Calibrate(all).Independent; n < 0.7*want || n > 1.3*want {
			t.Errorf("alike %t: %v independent outcomes, want about %v", alike, n, want)
		}
	}
}
