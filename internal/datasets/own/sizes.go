package own

import (
	"fmt"
	"slices"

	"github.com/acqnp/acqnp/internal/config"
	"github.com/acqnp/acqnp/internal/config/catalogue"
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/random"
)

// setPoints leaves out the groups that are too small for the model, sets the bounds of N in training, and makes the rounds.
func (s *source) setPoints() error {
	if err := s.leaveOut(); err != nil {
		return err
	}
	s.points = s.e.Data.Points
	if s.points == nil {
		s.points = []int{config.MaxCSVPoints, config.MaxCSVPoints}
	}
	sizes := make([]int, len(s.training))
	for k, i := range s.training {
		sizes[k] = min(s.spans[i].train, s.points[1])
	}
	most := slices.Max(sizes)
	s.points = []int{min(s.points[0], most), min(s.points[1], most)}
	s.rounds = newRounds(s.training, sizes, s.e.Train.BatchSize, random.New(s.e.Train.Seed, random.Shuffle))
	return nil
}

// leaveOut removes the groups that have too few points for a context of the least size and, if
// groups are held out or in training, a target.
func (s *source) leaveOut() error {
	least := s.leastContext()
	held := least + 1 // a target besides the context
	if s.byPoint() && !s.keepsAll() {
		held = least
	}
	without := func(list []int, few int) []int {
		return slices.DeleteFunc(list, func(i int) bool {
			n := s.spans[i].points
			if s.byPoint() {
				n = s.spans[i].train
			}
			if n < few {
				s.unused[i] = true
			}
			return n < few
		})
	}
	s.training, s.valid, s.test = without(s.training, least+1), without(s.valid, held), without(s.test, held)
	what := fmt.Sprintf("at least one group with %s or more", invalid.Plural(least+1, "point", "points"))
	switch {
	case len(s.training) == 0:
		return datasets.Refuse("data.file", "no training group that the model can use", "%s for training", what)
	case len(s.test) == 0:
		return datasets.Refuse("data.file", "no held-out group that the model can use", "%s for the test", what)
	}
	return nil
}

// leastContext returns the least context that the model takes.
func (s *source) leastContext() int {
	if s.e.Model.Name == catalogue.BNP { // resamples the context
		return 1
	}
	return 0
}

// contexts returns the bounds of N_c among n points of a group.
func (s *source) contexts(n int) (lo, hi int) {
	c := s.e.Data.Context
	if c == nil {
		c = []int{0, config.MaxCSVContext}
	}
	return min(max(c[0], s.leastContext()), n-1), min(c[1], n-1)
}
