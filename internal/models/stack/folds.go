package stack

import (
	"slices"

	"github.com/acqnp/acqnp/internal/models/simple"
	"github.com/acqnp/acqnp/internal/random"
)

// Numbers of folds, and of groups from which on folds are of groups.
const (
	folds        = 5
	fewestGroups = 4
)

// A question asks for the points of a group that a fold holds out, given a context of the group.
type question struct {
	fold    int
	group   int
	context simple.Group
	targets simple.Group
}

// contextSizes are the sizes of the contexts that questions have, as far as groups have more points.
// The last stands for all but one in five points.
var contextSizes = []int{0, 1, 3, 10, -1}

// Bounds of the targets of a question, and of the questions by points in one group.
const (
	mostTargets = 10
	mostAsked   = 1000
)

// A split is how data are cut: for each fold what models are fitted to, and the questions about the
// rest.
type split struct {
	byPoint   bool
	training  [folds][]simple.Group
	questions []question
}

// splitOf cuts the groups into folds. With fewer than four groups it cuts the points of each.
func splitOf(groups []simple.Group, seed uint64) split {
	s := split{byPoint: len(groups) < fewestGroups}
	g := random.New(seed, random.Validation)
	if s.byPoint {
		s.cutPoints(groups, g)
	} else {
		s.cutGroups(groups, g)
	}
	return s
}

func (s *split) cutGroups(groups []simple.Group, g random.Generator) {
	order := make([]int, len(groups))
	g.Perm(0, order)
	for place, i := range order {
		for k := range folds {
			if place%folds != k {
				s.training[k] = append(s.training[k], groups[i])
			}
		}
		points := make([]int, groups[i].Points())
		for n, size := range contextSizes {
			if size < 0 {
				size = max(len(points)*4/5, 11)
			}
			if size >= len(points) {
				continue
			}
			g.Perm(uint64(1+i*len(contextSizes)+n), points)
			s.questions = append(s.questions, question{place % folds, i, pick(groups[i], points[:size]),
				pick(groups[i], points[size:min(len(points), size+mostTargets)])})
		}
	}
	slices.SortStableFunc(s.questions, func(a, b question) int { return a.fold - b.fold })
}

// cutPoints holds out a fifth of the points of each group in turn. The context of a question is all
// points that are not held out.
func (s *split) cutPoints(groups []simple.Group, g random.Generator) {
	for k := range folds {
		for i, group := range groups {
			order := make([]int, group.Points())
			g.Perm(uint64(i), order)
			var kept, held []int
			for place, p := range order {
				if place%folds == k {
					held = append(held, p)
				} else {
					kept = append(kept, p)
				}
			}
			context := pick(group, kept)
			s.training[k] = append(s.training[k], context)
			if held = held[:min(len(held), mostAsked/folds)]; len(held) > 0 {
				s.questions = append(s.questions, question{k, i, context, pick(group, held)})
			}
		}
	}
}

// pick returns some points of a group.
func pick(g simple.Group, points []int) simple.Group {
	some := simple.Group{DX: g.DX}
	for _, i := range points {
		some.X, some.Y = append(some.X, g.X[i*g.DX:][:g.DX]...), append(some.Y, g.Y[i])
	}
	return some
}
