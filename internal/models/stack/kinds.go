package stack

import (
	"context"
	"encoding/json"

	"github.com/acqnp/acqnp/internal/models/simple"
)

// A Training is what a model is fitted to: the groups of all folds but one.
type Training struct {
	Groups []simple.Group
	Fold   int    // that is left out
	Log    bool   // whether Y has logarithms
	Seed   uint64 // of the whole fit
}

// A Kind is a model that a stack can have.
type Kind struct {
	Name string
	// Fit fits a model. The same training gives the same bits. An error leaves the kind out.
	Fit func(ctx context.Context, t Training) (simple.Model, error)
	// Read reads what json.Marshal writes of a model.
	Read    func(content []byte) (simple.Model, error)
	Grouped bool // it needs several groups
}

// GaussianProcess is the name of the kind that networks correct.
const GaussianProcess = "Gaussian process"

// Kinds returns the models that need no network, in the order in which they are fitted.
func Kinds() []Kind {
	return []Kind{
		{Name: "mixed model", Fit: as(simple.FitMixed), Read: read[simple.Mixed], Grouped: true},
		{Name: GaussianProcess, Fit: as(simple.FitGP), Read: read[simple.GP]},
		{Name: "normal of the grid", Fit: as(simple.FitGridNormal), Read: read[simple.GridNormal], Grouped: true},
		{Name: "two regressions", Fit: as(regressions(2, 2)), Read: read[simple.Regressions]},
		{Name: "kernel density", Fit: as(simple.FitKernel), Read: read[simple.Kernel]},
	}
}

// as returns a fit as that of a Kind.
func as[M simple.Model](fit func([]simple.Group) (M, error)) func(context.Context, Training) (simple.Model, error) {
	return func(_ context.Context, t Training) (simple.Model, error) { return fit(t.Groups) }
}

// read reads a model of type M.
func read[M any, P interface {
	*M
	simple.Model
}](content []byte) (simple.Model, error) {
	m := P(new(M))
	return m, json.Unmarshal(content, m)
}

func regressions(k, powers int) func([]simple.Group) (*simple.Regressions, error) {
	return func(groups []simple.Group) (*simple.Regressions, error) {
		return simple.FitRegressions(groups, k, powers)
	}
}
