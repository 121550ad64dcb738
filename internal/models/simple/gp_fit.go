package simple

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/optimize"
)

// Bounds of what the hyperparameters are fitted to: points of all groups, and of one.
const (
	mostFitted        = 1500
	mostFittedOfGroup = 60
	mostOfMean        = 200 // of a group, for the shared mean
)

// FitGP fits a GP by the marginal likelihood. The hyperparameters are those of at most 60 points of a
// group, evenly spread over it, and of 1,500 points in all. Given these, the shared mean is that of
// all groups, with at most 200 points of each. It returns an error if the data do not determine the
// model.
func FitGP(groups []Group) (*GP, error) {
	m := &GP{Units: unitsOf(groups)}
	var all, some []Group
	points := 0
	for _, g := range groups {
		if g.Points() == 0 {
			continue
		}
		g = m.Units.group(g)
		all = append(all, thin(g, mostOfMean))
		if t := thin(g, mostFittedOfGroup); points+t.Points() <= mostFitted {
			some, points = append(some, t), points+t.Points()
		}
	}
	if len(all) == 0 {
		return nil, errNoFit
	}
	if len(some) == 0 {
		some = []Group{thin(all[0], mostFitted)}
	}
	m.Basis = newBasis(all)
	theta, err := maximise(some, m.Basis)
	if err != nil {
		return nil, err
	}
	m.Hyper = hyperOf(theta)
	e, ok := newEvidence(all, m.Basis).at(theta, false)
	if !ok {
		return nil, errNoFit
	}
	m.W = e.w
	for i := range m.W {
		for j := range m.W {
			m.Cov = append(m.Cov, e.cov.At(i, j))
		}
	}
	return m, nil
}

// maximise returns the logarithms of the hyperparameters with the largest marginal likelihood times
// their prior, from two starts: a rough and a smooth curve of each group.
func maximise(groups []Group, b basis) ([]float64, error) {
	e := newEvidence(groups, b)
	var best []float64
	least := math.Inf(1)
	for _, length := range []float64{0.3, 1.5} {
		start := slices.Concat([]float64{math.Log(0.5), math.Log(0.5), math.Log(0.3), math.Log(0.3), math.Log(0.5), 0},
			slices.Repeat([]float64{math.Log(length)}, groups[0].DX))
		value := math.Inf(1)
		gradient := make([]float64, len(start))
		at := slices.Repeat([]float64{math.NaN()}, len(start))
		evaluate := func(theta []float64) {
			if slices.Equal(theta, at) {
				return
			}
			copy(at, theta)
			if r, ok := e.at(theta, true); ok {
				value = -r.log
				copy(gradient, r.gradient)
			} else {
				value = math.Inf(1)
			}
		}
		problem := optimize.Problem{
			Func: func(theta []float64) float64 { evaluate(theta); return value },
			Grad: func(grad, theta []float64) {
				evaluate(theta)
				for i, v := range gradient {
					grad[i] = -v
				}
			},
		}
		settings := &optimize.Settings{GradientThreshold: 1e-3, MajorIterations: 40,
			Converger: &optimize.FunctionConverge{Absolute: 1e-4, Iterations: 5}}
		r, err := optimize.Minimize(problem, start, settings, &optimize.LBFGS{})
		if r == nil || math.IsNaN(r.F) || math.IsInf(r.F, 0) {
			continue
		}
		_ = err // a line search that cannot go on ends at the best point so far
		if r.F < least {
			least, best = r.F, slices.Clone(r.X)
		}
	}
	if best == nil {
		return nil, errNoFit
	}
	return best, nil
}
