package simple

import (
	"errors"

	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/models/mixed"
)

// Mixed is a linear mixed model of package mixed, in standardised x and y.
type Mixed struct {
	Units units       `json:"units"`
	Model mixed.Model `json:"model"`
}

// FitMixed fits a mixed model of the degrees that cross-validation over the groups prefers. It
// returns an error if none can be fitted.
func FitMixed(groups []Group) (*Mixed, error) {
	m := &Mixed{Units: unitsOf(groups)}
	var functions []mixed.Function
	for _, g := range groups {
		if g.Points() > 0 {
			z := m.Units.group(g)
			functions = append(functions, mixed.Function{X: z.X, Y: z.Y, DX: z.DX})
		}
	}
	choice, ok := mixed.Choose(functions, make([]float64, len(functions)))
	if !ok {
		return nil, errNoFit
	}
	fitted, err := mixed.Fit(functions, mixed.FormOf(functions, choice.Fixed, choice.Random))
	if err != nil {
		return nil, err
	}
	m.Model = fitted.Model
	return m, nil
}

// Columns implements [Model].
func (m *Mixed) Columns() int { return len(m.Units.X) }

// Check implements [Model].
func (m *Mixed) Check() error { return errors.Join(m.Units.check(), m.Model.Check(len(m.Units.X))) }

// Given implements [Model].
func (m *Mixed) Given(context Group, x []float64) []likelihood.GaussianMixture {
	z, dx := m.Units.group(context), len(m.Units.X)
	posterior, targets := m.Model.Given(z.X, z.Y), m.Units.points(x)
	out := make([]likelihood.GaussianMixture, len(targets)/dx)
	for t := range out {
		mean, deviation := posterior.Predict(targets[t*dx:][:dx])
		out[t] = m.Units.mixture([]likelihood.Gaussian{{Mean: mean, Scale: deviation}}, []float64{0})
	}
	return out
}
