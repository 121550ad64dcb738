package pretrained_test

import (
	"testing"

	"github.com/acqnp/acqnp/internal/fit/pretrained"
)

// A sample has whole groups, or at least 6 rows of each, however many groups there are.
func TestSamplesKeepGroupsWhole(t *testing.T) {
	const most = 240
	for _, size := range []int{6, 20} {
		for _, groups := range []int{8, 12, 13, 40, 41, 100, 240, 241, 1000} {
			m := pretrained.New(lines(groups, size), most)
			rows := 0
			for _, g := range m.Groups {
				if rows += g.Len(); g.Len() < min(size, 6) {
					t.Fatalf("%d groups of %d rows: a sample has %d rows of a group", groups, size, g.Len())
				}
			}
			if all := groups * size; rows > most || rows < min(all, most)*3/4 {
				t.Errorf("%d groups of %d rows: a sample has %d rows of %d", groups, size, rows, all)
			}
		}
	}
}

// Groups beyond those that a sample holds change predictions little: with 41 to 320 groups of 6 rows, of which
// a sample of 240 rows has 40, the mean log density of new rows is that of 40 groups. Means of 60 groups under
// other siblings of the same process differ by 0.01 to 0.03. With a row of each group it fell by 4.
func TestMoreGroupsPredictNoWorse(t *testing.T) {
	const most, known = 240, 3
	fresh := lines(400, 6)[340:]
	score := func(groups int) (mean float64) {
		m := pretrained.New(lines(groups, 6), most)
		for _, g := range fresh {
			for i, d := range m.Given(g.Cut(0, known), g.Cut(known, g.Len())) {
				mean += d.LogDensity(g.Y[known+i]) / float64(len(fresh)*(6-known))
			}
		}
		return mean
	}
	want := score(40)
	for _, groups := range []int{41, 120, 240, 320} {
		if got := score(groups); got < want-0.06 {
			t.Errorf("the log density is %.3f with %d groups and %.3f with 40", got, groups, want)
		}
	}
}
