package simple

import (
	"errors"
	"math"

	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/points"
)

// Hurdle is a model of an outcome whose least value is an atom: a logistic mixed model says whether y is above it, and a
// mixed model of the points above it how much. The deviations of a group in the two are independent.
type Hurdle struct {
	Units `json:"units"` // those of y change nothing
	Over  glmm           `json:"over"`
	Much  Mixed          `json:"much"`
	Low   float64        `json:"low"`   // the atom
	Below float64        `json:"below"` // a number that stands for the atom
}

// FitHurdle fits the two models. Points at the atom are those below a bound.
func FitHurdle(groups []points.Group) (Model, error) {
	m := &Hurdle{Units: unitsOf(groups)}
	m.Y = scaling{0, 1}
	var above []points.Group
	for _, g := range groups {
		for i := range g.Len() {
			if g.Side(i) < 0 {
				m.Low, m.Below = g.Y[i]-g.Beyond[i], g.Y[i]+999*g.Beyond[i]
			}
		}
		if some := aboveOf(g.Points); some.Len() > 0 {
			above = append(above, points.Group{Name: g.Name, Outer: g.Outer, Points: some})
		}
	}
	if len(above) < 2 || m.Low == m.Below {
		return nil, errors.New("the values above the least one are those of one group, or the least one is none of the others'")
	}
	much, err := FitMixed(above)
	if err != nil {
		return nil, err
	}
	m.Much = *much.(*Mixed)
	m.Over, err = fitGLMM(m.Units, groups, 0, isAbove)
	return m, err
}

// aboveOf returns the points that are not at the atom.
func aboveOf(p points.Points) points.Points {
	var at []int
	for i := range p.Len() {
		if p.Side(i) >= 0 {
			at = append(at, i)
		}
	}
	return p.Take(at)
}

// isAbove appends whether points are above the atom.
func isAbove(z points.Points, c *observed) {
	for i := range z.Len() {
		c.y = append(c.y, 1)
		if z.Side(i) < 0 {
			c.y[i] = 0
		}
	}
}

// Given implements [Model]. What the amounts have below the atom counts for it.
func (m *Hurdle) Given(context, targets points.Points) []likelihood.GaussianMixture {
	context.Weights = nil
	means, variances := m.Over.predict(m.group(context).Thin(mostContext), isAbove, m.group(targets))
	out := m.Much.Given(aboveOf(context), targets)
	for t, d := range out {
		atom := likelihood.GaussianMixtureOf([]likelihood.Gaussian{{Mean: m.Below, Scale: (m.Low - m.Below) / 100}})
		over, beyond := logistic(means[t], math.Sqrt(variances[t])), d.CDF(m.Low)
		if at := 1 - over/(1-beyond); at > 0 {
			out[t] = likelihood.MixtureOfMixtures([]likelihood.GaussianMixture{d, atom}, []float64{1 - at, at})
		}
	}
	return out
}

// logistic returns the mean of 1/(1 + e^−η) for a normal η.
func logistic(mean, deviation float64) (p float64) {
	for _, n := range normalNodes {
		p += n.weight / (1 + math.Exp(-mean-deviation*n.z))
	}
	return p
}

// AddFarTails implements [Model].
func (m *Hurdle) AddFarTails() { m.Much.AddFarTails() }

// SeesOuter implements [Model].
func (m *Hurdle) SeesOuter() bool { return false }

// Work implements [Model].
func (m *Hurdle) Work(known, targets int) float64 { return m.Over.work(known, targets) }

// Check implements [Model].
func (m *Hurdle) Check() error {
	if m.Over.Shape != 0 || !(m.Below < m.Low) || m.Much.Columns() != m.Columns() {
		return errDamaged
	}
	return errors.Join(sound(lengthOf{[]float64{m.Low, m.Below}, 2}), m.Units.check(), m.Over.check(len(m.X)), m.Much.Check())
}
