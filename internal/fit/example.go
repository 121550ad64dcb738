package fit

import (
	"math"
	"slices"

	"github.com/acqnp/acqnp/internal/datasets/rows"
	"github.com/acqnp/acqnp/internal/fit/stack"
	"github.com/acqnp/acqnp/internal/predict"
)

// An Example shows what a fit predicts: some groups, by models that were not fitted to them. The y of
// targets are known.
type Example struct {
	Fitted
	Groups []predict.Function
}

// The number of groups of an Example, and of points of each that are known.
const (
	exampleGroups = 4
	exampleKnown  = 6
)

// exampleOf returns groups of the first fold or, if folds are of points, all groups with the points of the
// first fold as targets. There are none if the data are a sample, or if a y is missing, which the folds lack.
func exampleOf(f Fitted, points []rows.Group, seed uint64) (e Example) {
	missing := func(p rows.Group) bool { return slices.ContainsFunc(p.Y, math.IsNaN) }
	if f.Stacks[0].Points < f.Rows || slices.ContainsFunc(points, missing) {
		return e
	}
	e.Fitted = f.OfFold(0)
	if f.Stacks[0].ByPoint {
		e.File += ", by models that were not fitted to the targets"
		for i, p := range points {
			if held, kept := stack.HeldOut(i, p.N, seed, 0); len(held) > 0 {
				e.Groups = append(e.Groups, exampleGroup(f, p, kept, held))
			}
		}
		return e
	}
	e.File += ", by models that were not fitted to these groups"
	outer := make([]string, len(points))
	for i, p := range points {
		outer[i] = f.outerOf(p.Name)
	}
	for _, i := range stack.HeldOutGroups(outer, seed, 0) {
		p := points[i]
		if p.N < 3 || len(e.Groups) == exampleGroups {
			continue
		}
		var known, rest []int
		n := min(exampleKnown, (p.N+1)/2)
		for k := range p.N {
			if len(known) < n && k == len(known)*p.N/n { // evenly spread
				known = append(known, k)
			} else {
				rest = append(rest, k)
			}
		}
		e.Groups = append(e.Groups, exampleGroup(f, p, known, rest))
	}
	return e
}

// exampleGroup returns a group with a context of some of its points and targets at others.
func exampleGroup(f Fitted, p rows.Group, known, targets []int) predict.Function {
	g, dx, dy := predict.Function{Name: p.Name}, len(f.X), len(f.Y)
	for _, k := range known {
		g.ContextX, g.ContextY = append(g.ContextX, p.X[k*dx:][:dx]...), append(g.ContextY, p.Y[k*dy:][:dy]...)
	}
	for _, k := range targets {
		g.TargetX, g.TargetY = append(g.TargetX, p.X[k*dx:][:dx]...), append(g.TargetY, p.Y[k*dy:][:dy]...)
	}
	return g
}
