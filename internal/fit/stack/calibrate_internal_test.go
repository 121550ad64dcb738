package stack

import (
	"math"
	"slices"
	"testing"

	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/likelihood/score"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/random"
	"github.com/acqnp/acqnp/internal/test/must"
)

// levels draws groups in which y is the group's level, to a hundredth of what levels differ by.
func levels(first, groups, each int) (all []points.Group) {
	g := random.New(3, random.Validation)
	for k := first; k < first+groups; k++ {
		one := points.Group{Points: points.New(1, 1, nil, nil)}
		for i := range each {
			one.X = append(one.X, g.Float(uint64(k), uint64(100+i)))
			one.Y = append(one.Y, -5+g.Normal(uint64(k), 0)+0.01*g.Normal(uint64(k), uint64(200+i)))
		}
		all = append(all, one)
	}
	return all
}

// Of a group that is one level, a point says all and nothing is known without one. Intervals of both hold what they
// say: each within four standard errors of 300 groups, and of the 30 groups that calibrate.
func TestEachNumberOfKnownPointsHasItsCalibration(t *testing.T) {
	s := must.Get(Fit(t.Context(), levels(0, 30, 8), Options{Threads: 2, Kinds: Kinds()[:1]}))(t)
	const fresh = 300
	for _, known := range []int{0, 1, 3} {
		held := map[float64]float64{}
		c := CalibrationFor(known, s.Calibrations)
		for _, g := range levels(1000, fresh, 4) {
			d := Predicted(t, s, points.Question{Known: points.New(1, 1, g.X[:known], g.Y[:known]), Targets: points.New(1, 0, g.X[known:][:1], nil)})[0]
			for _, mass := range []float64{0.5, 0.9} {
				low, _ := c.Level((1 - mass) / 2)
				high, enough := c.Level((1 + mass) / 2)
				if q := likelihood.ApproximateQuantiles(d, low, high); enough && g.Y[known] >= q[0] && g.Y[known] <= q[1] {
					held[mass] += 1.0 / fresh
				}
			}
		}
		for mass, share := range held {
			if slack := 4 * math.Sqrt(mass*(1-mass)*(1.0/fresh+1.0/30)); math.Abs(share-mass) > slack {
				t.Errorf("of %d known points, intervals of %v hold %.3f, want that within %.3f", known, mass, share, slack)
			}
		}
	}
}

// Spans of contexts that few groups have share a calibration, and a number of known points beyond those that any
// group had is not covered.
func TestRareNumbersOfKnownPointsShareACalibration(t *testing.T) {
	for _, test := range []struct {
		large   int // groups of 40 points, beside 30 of 8
		from    []int
		covered map[int]bool
	}{
		{0, []int{0, 1, 2}, map[int]bool{0: true, 5: true, 6: false, 30: false}},
		{5, []int{0, 1, 2}, map[int]bool{0: true, 5: true, 6: true, 30: true}},
		{30, []int{0, 1, 2, 6, 26}, map[int]bool{0: true, 400: true}},
	} {
		s := newSplit(append(levels(0, 30, 8), levels(100, test.large, 40)...), Options{Seed: 1})
		all := s.calibrations(slices.Repeat([]score.Outcome{{Weight: 1}}, len(s.targets)), folds)
		var from []int
		for _, c := range all {
			from = append(from, c.From)
			if c.Groups < leastCalibrated {
				t.Errorf("%d large groups: the calibration from %d is of %d outcomes", test.large, c.From, c.Groups)
			}
		}
		if !slices.Equal(from, test.from) {
			t.Errorf("%d large groups: calibrations from %v, want %v", test.large, from, test.from)
		}
		for known, want := range test.covered {
			if got := Covers(all, known); got != want {
				t.Errorf("%d large groups: %d known points covered: %v", test.large, known, got)
			}
		}
	}
}
