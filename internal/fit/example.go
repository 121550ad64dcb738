package fit

import (
	"math"
	"slices"

	"github.com/acqnp/acqnp/internal/fit/answer"
	"github.com/acqnp/acqnp/internal/points"
)

// An Example shows what a fit predicts: some groups, by models that were not fitted to them. The y of
// targets are known.
type Example struct {
	answer.Predictor
	Groups []points.Question
}

// The number of groups of an Example, and of points of each that are known.
const (
	exampleGroups = 4
	exampleKnown  = 6
)

// example returns groups of the first fold or, if folds are of points, all groups with the points of the
// first fold as targets. There are none if the data are a sample, or if a y is missing, which the folds lack.
func (f *fitting) example() (e Example) {
	missing := func(p points.Group) bool { return slices.ContainsFunc(p.Y, math.IsNaN) }
	if f.Stacks[0].Points < f.Rows || slices.ContainsFunc(f.groups, missing) {
		return e
	}
	e.Fit = f.OfFold(0)
	s, groups := f.Stacks[0], slices.Clone(f.groups)
	for i := range groups { // a picture has no points of which a limit is known
		groups[i].Points = groups[i].Seen()
	}
	if s.ByPoint {
		e.File += ", by models that were not fitted to the targets"
		for _, p := range groups {
			var held, kept []int
			for k, row := range p.Rows {
				if s.Held[row] == 0 {
					held = append(held, k)
				} else {
					kept = append(kept, k)
				}
			}
			if held != nil {
				e.Groups = append(e.Groups, exampleGroup(p, kept, held))
			}
		}
		return e
	}
	e.File += ", by models that were not fitted to these groups"
	seen := map[int]bool{}
	for _, asked := range s.Asked { // groups in a random order, those of the first fold first
		if len(e.Groups) == exampleGroups || s.Held[asked.Row] != 0 {
			break
		}
		i := slices.IndexFunc(f.groups, func(p points.Group) bool { return asked.Row <= p.Rows[len(p.Rows)-1] })
		p := groups[i]
		if seen[i] || p.Len() < 3 {
			continue
		}
		seen[i] = true
		known := points.Spread(p.Len(), min(exampleKnown, (p.Len()+1)/2))
		rest := slices.DeleteFunc(points.Spread(p.Len(), p.Len()), func(k int) bool { return slices.Contains(known, k) })
		e.Groups = append(e.Groups, exampleGroup(p, known, rest))
	}
	return e
}

// exampleGroup returns a group with a context of some of its points and targets at others.
func exampleGroup(g points.Group, known, targets []int) points.Question {
	q := points.Question{Name: g.Name, Known: g.Take(known), Targets: g.Take(targets)}
	q.Known.Weights = nil
	return q
}
