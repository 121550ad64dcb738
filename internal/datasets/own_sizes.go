package datasets

import (
	"fmt"
	"math"
	"slices"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/datasets/rows"
	"github.com/acqnp/acqnp/internal/random"
)

// mixed reports whether groups of all sizes take part.
func (s *ownSource) mixed() bool { return s.e.Data.Sizes == config.AllSizes }

// setPoints sets the bounds of N in training. With data.sizes: all it leaves out the groups that
// are too small for the model.
func (s *ownSource) setPoints(groups []rows.Group) error {
	if !s.mixed() {
		return s.setSmallest(groups)
	}
	if err := s.leaveOut(); err != nil {
		return err
	}
	most := config.MaxCSVPoints
	if d := s.e.Data; d.Points != nil {
		s.points, most = d.Points, d.Points[1]
	}
	sizes := make([]int, len(s.training))
	for k, i := range s.training {
		sizes[k] = min(s.spans[i].train, most)
	}
	if s.points == nil {
		s.points = []int{most, most}
	}
	s.points = []int{min(s.points[0], slices.Max(sizes)), min(s.points[1], slices.Max(sizes))}
	s.rounds = newRounds(s.training, sizes, s.e.Train.BatchSize, random.New(s.e.Train.Seed, random.Shuffle))
	return nil
}

// leaveOut removes the groups that have too few points for a context of the least size and, if
// groups are held out or in training, a target.
func (s *ownSource) leaveOut() error {
	least := s.leastContext()
	few := func(points int) func(int) bool {
		return func(i int) bool {
			n := s.spans[i].points
			if s.byPoint() {
				n = s.spans[i].train
			}
			return n < points
		}
	}
	held := least + 1 // a target besides the context
	if s.byPoint() && !s.keepsAll() {
		held = least
	}
	s.unused = map[int]bool{}
	for _, c := range []struct {
		list   *[]int
		points int
	}{{&s.training, least + 1}, {&s.valid, held}, {&s.test, held}} {
		for _, i := range *c.list {
			if few(c.points)(i) {
				s.unused[i] = true
			}
		}
		*c.list = slices.DeleteFunc(*c.list, few(c.points))
	}
	what := fmt.Sprintf("at least one group with %s or more", countOf(least+1, "point"))
	switch {
	case len(s.training) == 0:
		return refuse("data.file", "no training group that the model can use", "%s for training", what)
	case len(s.test) == 0:
		return refuse("data.file", "no held-out group that the model can use", "%s for the test", what)
	}
	return nil
}

// leastContext returns the least context that the model takes.
func (s *ownSource) leastContext() int {
	if s.e.Model.Name == "bnp" { // resamples the context
		return 1
	}
	return 0
}

// setSmallest sets the bounds of N to those of data.points, or to the size of the smallest
// group, held out or not. So every context that training draws leaves targets in every
// evaluation.
func (s *ownSource) setSmallest(groups []rows.Group) error {
	smallest, least := 0, math.MaxInt
	for i, f := range s.spans {
		if !s.byPoint() && slices.Contains(s.calibration, i) {
			continue
		}
		n := f.points
		if s.byPoint() {
			n = f.train
		}
		if n < least {
			smallest, least = i, n
		}
	}
	n := min(least, config.MaxCSVPoints)
	s.points = []int{n, n}
	need, why := 6, "a context of 3 points and 3 targets"
	switch d := s.e.Data; {
	case d.Points != nil:
		s.points = d.Points
		need, why = d.Points[1], "what data.points asks for"
	case d.Context != nil:
		need, why = d.Context[1]+1, "the context of data.context and a target"
	}
	if least < need {
		f := &groups[smallest]
		found := fmt.Sprintf("with %d points", f.N)
		if s.byPoint() {
			found = fmt.Sprintf("with %d points, %d of them for training", f.N, least)
		}
		return f.Refuse(found, "at least %d (%s)", need, why)
	}
	return nil
}

// contexts returns the bounds of N_c among n points of a group.
func (s *ownSource) contexts(n int) (lo, hi int) {
	c := s.e.Data.Context
	switch {
	case !s.mixed() && c != nil:
		return c[0], c[1]
	case !s.mixed():
		return 3, n - 3
	case c == nil:
		c = []int{s.leastContext(), config.MaxCSVContext}
	}
	return min(max(c[0], s.leastContext()), n-1), min(c[1], n-1)
}
