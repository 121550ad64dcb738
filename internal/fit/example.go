package fit

import (
	"github.com/acqnp/acqnp/internal/datasets"
	"github.com/acqnp/acqnp/internal/models/stack"
	"github.com/acqnp/acqnp/internal/predict"
)

// An Example shows what a fit predicts: some groups, by models that were not fitted to them. The y of
// targets are known.
type Example struct {
	predict.Trained
	Groups []predict.Function
}

// The number of groups of an Example, and of points of each that are known.
const (
	exampleGroups = 4
	exampleKnown  = 6
)

// exampleOf returns groups of the first fold. There are none if folds are of points, or if the data are a sample.
func exampleOf(f predict.Fitted, points []datasets.Points, seed uint64) (e Example) {
	if f.Stacks[0].ByPoint || f.Stacks[0].Points < f.Rows {
		return e
	}
	e.Trained = f.OfFold(0).Trained("")
	e.File += ", by models that were not fitted to these groups"
	dx, dy := len(f.X), len(f.Y)
	for _, i := range stack.HeldOut(len(points), seed, 0) {
		p := points[i]
		if p.N < 3 || len(e.Groups) == exampleGroups {
			continue
		}
		g := predict.Function{Name: p.Function}
		for k := range p.N {
			x, y := p.X[k*dx:][:dx], p.Y[k*dy:][:dy]
			if k%2 == 0 && len(g.ContextY) < exampleKnown*dy {
				g.ContextX, g.ContextY = append(g.ContextX, x...), append(g.ContextY, y...)
			} else {
				g.TargetX, g.TargetY = append(g.TargetX, x...), append(g.TargetY, y...)
			}
		}
		e.Groups = append(e.Groups, g)
	}
	return e
}
