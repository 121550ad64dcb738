package stack_test

import (
	"math"
	"testing"

	"github.com/acqnp/acqnp/internal/fit/stack"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/random"
	"github.com/acqnp/acqnp/internal/test/must"
)

// slopes draws groups of points on lines of slope 0.7, with a level of each group, all about a base.
func slopes(groups int, base float64) (all []points.Group) {
	g := random.New(28, random.Validation)
	for k := range uint64(groups) {
		one := points.Group{Points: points.New(1, 1, nil, nil)}
		for i := range uint64(8) {
			x := 10 * g.Float(k, 10+i)
			one.X, one.Y = append(one.X, x), append(one.Y, base+g.Normal(k, 0)+0.7*x+0.5*g.Normal(k, 30+i))
		}
		all = append(all, one)
	}
	return all
}

// Known points on a line far from all groups: predictions follow the line as they follow one among the groups, on
// the scale of y and on that of log y. One point is not followed but is unlike; groups of the data are like
// the data.
func TestPredictionsFollowKnownPointsUnlikeAnyGroup(t *testing.T) {
	for name, test := range map[string]struct {
		base float64
		log  bool
	}{"y": {}, "log y": {20, true}} {
		t.Run(name, func(t *testing.T) {
			data := slopes(20, test.base)
			s := must.Get(stack.Fit(t.Context(), data, stack.Options{Threads: 2, Kinds: stack.Kinds()[:1], Log: test.log}))(t)
			for _, off := range []float64{0, 100, -15, 1e6} {
				known := points.New(1, 1, nil, nil)
				for _, x := range []float64{1, 2, 4, 7, 9} {
					known.X, known.Y = append(known.X, x), append(known.Y, test.base+off+0.7*x)
				}
				if _, _, is := s.Unlike(known); is != (off != 0) {
					t.Errorf("%v off: unlike %v", off, is)
				}
				d := stack.Predicted(t, s, points.Question{Known: known, Targets: points.New(1, 0, []float64{5}, nil)})[0]
				// The deviation on the scale of log y grows with y, whose base is 20.
				width := 1.0
				if test.log {
					width = math.Abs(test.base+off) / 20
				}
				if want, sd := test.base+off+3.5, math.Sqrt(d.Variance()); math.Abs(d.Mean()-want) > 2*width || sd > 2*width {
					t.Errorf("%v off: %v ± %v, want %v ± 0.6", off, d.Mean(), sd, want)
				}
			}
			one := points.New(1, 1, []float64{3}, []float64{test.base + 300})
			if place, farthest, is := s.Unlike(one); !is || !(place > 10*farthest) {
				t.Errorf("a point 300 off: unlike %v at %v of %v", is, place, farthest)
			}
			for i, g := range data {
				for n := range g.Len() {
					if place, _, is := s.Unlike(g.Cut(0, n)); is {
						t.Errorf("group %d of the data is unlike the data with %d points, at %v", i, n, place)
					}
				}
			}
		})
	}
}
