package stack

import (
	"context"
	"encoding/json"

	"github.com/acqnp/acqnp/internal/fit/simple"
)

// A Training is what a model is fitted to: the groups of all folds but one.
type Training struct {
	Groups []simple.Group
	Fold   int    // that is left out
	Log    bool   // whether Y has logarithms
	LogX   bool   // whether X has
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
	// After is a kind. This one is fitted on the scale alone on which that one predicts best. "" for all
	// scales.
	After string
	// Ensemble is true if the mean of the models without each fold predicts, not one model fitted to all.
	// Models that vary by chance gain more from the mean than from more data.
	Ensemble bool
	Most     int // the most rows that it is fitted to, a sample of larger data; 0 for all
	// PerRow is roughly the cost of a row in all fits together, five folds on y and log y, or on the one scale
	// of After, in seconds of an ordinary core.
	PerRow float64
}

// Cost returns about how many seconds of an ordinary core all fits to a number of rows take.
func (k Kind) Cost(rows int) float64 {
	if k.Most > 0 {
		rows = min(rows, k.Most)
	}
	return k.PerRow * float64(rows)
}

// GaussianProcess is the name of the kind that networks correct.
const GaussianProcess = "Gaussian process"

// Kinds returns the models that need no network, in the order in which they are fitted.
func Kinds() []Kind {
	kinds := []Kind{
		{Name: "mixed model", Fit: as(simple.FitMixed), Read: read[simple.Mixed], Grouped: true, PerRow: 0.3e-3},
		{Name: GaussianProcess, Fit: as(simple.FitGP), Read: read[simple.GP], PerRow: 2e-3},
		{Name: "regressions", Fit: as(quadratics), Read: read[simple.Regressions], PerRow: 5e-3},
		{Name: "kernel density", Fit: as(simple.FitKernel), Read: read[simple.Kernel], PerRow: 0.4e-3},
	}
	for i := range kinds {
		kinds[i].Most = 10_000
	}
	return kinds
}

// as converts a fit to that of a Kind. It adds far tails to models of y, but not to those of log y.
func as[M simple.Model](fit func([]simple.Group) (M, error)) func(context.Context, Training) (simple.Model, error) {
	return func(_ context.Context, t Training) (simple.Model, error) {
		m, err := fit(t.Groups)
		if err != nil {
			return nil, err
		}
		if !t.Log {
			simple.AddFarTails(m)
		}
		return m, nil
	}
}

// read reads a model of type M.
func read[M any, P interface {
	*M
	simple.Model
}](content []byte) (simple.Model, error) {
	m := P(new(M))
	return m, json.Unmarshal(content, m)
}

// quadratics fits regressions with the first two powers of x.
func quadratics(groups []simple.Group) (*simple.Regressions, error) {
	return simple.FitRegressions(groups, 2)
}
