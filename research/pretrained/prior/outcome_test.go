package prior

import (
	"math"
	"slices"
	"testing"
)

// An ending makes of normal numbers what it says.
func TestEndings(t *testing.T) {
	whole := func(v float64) bool { return v == math.Floor(v) }
	natural := func(v float64) bool { return v >= 0 && whole(v) }
	positive := func(v float64) bool { return v > 0 }
	for e, is := range map[ending]func(v float64) bool{
		exponential: positive,
		count:       natural,
		marks:       natural,
		rounded:     whole,
		limited:     func(v float64) bool { return math.Abs(v) <= 8 },
		zeros:       func(v float64) bool { return v >= 0 },
		powered:     positive,
		share:       func(v float64) bool { return v >= 0 && v <= 1 },
	} {
		atEdge := 0
		const sets = 100
		for i := range sets {
			s := &sketch{Dice: throw(i)}
			y := make([]float64, 300)
			for r := range y {
				y[r] = s.Normal()
			}
			x := slices.Clone(y)
			e.make(s, y)
			for _, v := range y {
				if !is(v) {
					t.Fatalf("ending %d makes %g", e, v)
				}
			}
			if r := correlation(x, y); r < 0.1 && e != zeros { // zeros may come at large values only
				t.Errorf("ending %d, set %d: correlation %.2f with what it was made of", e, i, r)
			}
			edge := 0
			lo, hi := slices.Min(y), slices.Max(y)
			for _, v := range y {
				if v == lo || v == hi {
					edge++
				}
			}
			if edge >= 6 { // ceilings up to 2 have 2% of 300 rows
				atEdge++
			}
		}
		switch e {
		case limited, zeros:
			if atEdge < 75 {
				t.Errorf("ending %d: %d of %d sets have rows at the edge", e, atEdge, sets)
			}
		case exponential, powered, share:
			if atEdge > 0 {
				t.Errorf("ending %d: %d sets have rows at the edge", e, atEdge)
			}
		}
	}
}

// Whole numbers stay so to the end of a sketch, and half of the other sets have a resolution.
func TestResolution(t *testing.T) {
	coarse := 0
	const sets = 400
	for i := range sets {
		s := newSketch(throw(i), plan{}, 200)
		if i%2 == 0 {
			s.kind = []ending{count, marks, rounded}[i/2%3]
		}
		for r := range s.y {
			s.y[r] = s.Normal()
		}
		before := slices.Clone(s.y)
		s.end()
		if s.kind != asItIs {
			if slices.ContainsFunc(s.y, func(v float64) bool { return v != math.Floor(v) }) {
				t.Fatalf("set %d: ending %d leaves no whole numbers", i, s.kind)
			}
			continue
		}
		standardise(before)
		if slices.Max(before) < 8 && !slices.Equal(before, s.y) {
			coarse++
		}
	}
	if share := 2 * float64(coarse) / sets; math.Abs(share-0.55) > 0.14 { // four standard errors of 200 sets
		t.Errorf("%.3f of the sets are rounded", share)
	}
}
