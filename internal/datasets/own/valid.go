package own

import (
	"cmp"
	"slices"

	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/invalid"
	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/random"
)

// Bounds of a validation, which keep its cost small beside that of training.
const (
	ownValidTargets = 2000 // target points, all together
	ownValidItems   = 500  // pairs of a group and a size of its context
	ownValidContext = 2000 // context points of a group of which points are held out
	ownValidGroups  = 32   // groups of a batch
)

// validContexts are the sizes of the contexts of validation.
var validContexts = []int{0, 1, 2, 5, 10, 20, 50, 100, 200}

// A validBatch is a validation batch: groups with a context of one size and as many targets.
type validBatch struct {
	context, targets int
	groups           []int
}

// planValidation sets the validation batches, none if train.validate_every is 0. Each validation group is taken with contexts of
// several sizes. If that is too many, a random part of the groups is taken; if they have too
// many targets, a random part of the targets.
func (s *source) planValidation() (all datasets.Batches, err error) {
	if !s.validates {
		return all, nil
	}
	var items []validBatch
	for _, i := range points.Pick(s.valid, 1, s.validRandom().Order(0, len(s.valid))) {
		for _, context := range s.validSizes(i) {
			targets := s.spans[i].points - context
			if s.byPoint() {
				targets = s.spans[i].valid
			}
			items = append(items, validBatch{context, targets, []int{i}})
		}
		if len(items) >= ownValidItems {
			break
		}
	}
	if len(items) == 0 {
		return all, datasets.Refuse("data.valid_fraction", s.e.Data.ValidFraction,
			"a group of %s or more in validation", invalid.Plural(s.leastContext()+1, "point", "points"))
	}
	most := max(1, ownValidTargets/len(items))
	for k := range items {
		items[k].targets = min(items[k].targets, most)
	}
	slices.SortFunc(items, func(a, b validBatch) int {
		return cmp.Or(a.context-b.context, a.targets-b.targets, a.groups[0]-b.groups[0])
	})
	for _, item := range items {
		last := len(s.validation) - 1
		if last >= 0 && s.validation[last].context == item.context && s.validation[last].targets == item.targets &&
			len(s.validation[last].groups) < ownValidGroups {
			s.validation[last].groups = append(s.validation[last].groups, item.groups[0])
		} else {
			s.validation = append(s.validation, item)
		}
	}
	all.Count, all.Make = len(s.validation), s.validate
	for _, b := range s.validation {
		all.Size.Groups = max(all.Size.Groups, len(b.groups))
		all.Size.Points = max(all.Size.Points, b.context+b.targets)
		all.Size.Context = max(all.Size.Context, b.context)
	}
	return all, nil
}

// validRandom returns the generator of the validation's choices, which depend on data.seed alone.
func (s *source) validRandom() random.Generator {
	return random.New(s.e.Data.Seed, random.Split|random.Validation)
}

// validSizes returns the sizes of the contexts that validation takes of group i: those that
// training draws. If points are held out, predictions have all others for their context, so it takes
// all training points, up to ownValidContext.
func (s *source) validSizes(i int) []int {
	f := s.spans[i]
	if s.byPoint() {
		return []int{min(f.train, ownValidContext)}
	}
	lo, hi := s.contexts(min(f.points, s.points[1]))
	sizes := []int{lo}
	for _, context := range validContexts {
		if lo < context && context <= hi {
			sizes = append(sizes, context)
		}
	}
	return sizes
}

// validate makes a validation batch. The points of a group depend only on data.seed and on the
// group: a larger context holds the smaller ones.
func (s *source) validate(i int, dst *datasets.Batch) error {
	if i < 0 || i >= len(s.validation) {
		return datasets.Refuse("validation batch", i, "at most %d", len(s.validation)-1)
	}
	batch := s.validation[i]
	n := batch.context + batch.targets
	dst.Reshape(datasets.Size{Groups: len(batch.groups), Points: n, Context: batch.context}, s.dx, s.dy)
	s.picked = slices.Grow(s.picked[:0], n)[:n]
	g := s.validRandom()
	for b, i := range batch.groups {
		f, step := s.spans[i], 1+2*uint64(i)
		if s.byPoint() {
			context, targets := s.picked[:batch.context], s.picked[batch.context:]
			s.deck.draw(g, step, f.train, context)
			s.deck.draw(g, step+1, f.valid, targets)
			for k := range targets {
				targets[k] += f.train
			}
		} else {
			s.deck.draw(g, step, f.points, s.picked)
		}
		s.fill(dst, b, i)
	}
	return nil
}
