package stack

import (
	"encoding/json"

	"github.com/acqnp/acqnp/internal/fit/simple"
)

// A Kind is a model that a stack can have.
type Kind struct {
	Name    string
	Fit     func([]simple.Group) (simple.Model, error) // the same groups give the same bits; an error leaves the kind out
	Read    func(content []byte) (simple.Model, error) // reads what json.Marshal writes of a model
	Grouped bool                                       // it needs several groups
	Most    int                                        // the most rows that it is fitted to, a sample of larger data; 0 for all
	// PerRow is roughly the cost of a row in all fits together, five folds on y and log y, in seconds of an
	// ordinary core.
	PerRow float64
}

// Cost returns about how many seconds of an ordinary core all fits to a number of rows take.
func (k Kind) Cost(rows int) float64 {
	if k.Most > 0 {
		rows = min(rows, k.Most)
	}
	return k.PerRow * float64(rows)
}

// mostFitted bounds the rows that a statistical model is fitted to.
const mostFitted = 10_000

// MixedModel returns the kind of [simple.Mixed].
func MixedModel() Kind {
	k := kindOf("mixed model", simple.FitMixed, 0.3e-3)
	k.Grouped = true
	return k
}

// Kinds returns the statistical models, in the order in which they are fitted.
func Kinds() []Kind {
	quadratics := func(groups []simple.Group) (*simple.Regressions, error) { return simple.FitRegressions(groups, 2) }
	return []Kind{MixedModel(), kindOf("Gaussian process", simple.FitGP, 2e-3), kindOf("regressions", quadratics, 5e-3)}
}

// kindOf returns the kind of a type of models.
func kindOf[M any, P interface {
	*M
	simple.Model
}](name string, fit func([]simple.Group) (P, error), perRow float64) Kind {
	return Kind{
		Name: name,
		Fit: func(groups []simple.Group) (simple.Model, error) {
			m, err := fit(groups)
			if err != nil {
				return nil, err
			}
			return m, nil
		},
		Read: func(content []byte) (simple.Model, error) {
			m := P(new(M))
			return m, json.Unmarshal(content, m)
		},
		Most: mostFitted, PerRow: perRow,
	}
}
