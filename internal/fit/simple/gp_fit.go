package simple

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/optimize"

	"github.com/acqnp/acqnp/internal/points"
)

// Bounds of the points of a fit. Hyperparameters are fitted in two stages, to mostOfStart and to
// mostFitted points of all groups, at most mostFittedOfGroup of each. If there are only one or two groups,
// the stages take startOfOneGroup and mostOfOneGroup points of each. Mean and noise are fitted to
// mostOfMean points of a group, and fewer if groups are many.
const (
	mostOfStart       = 400
	mostFitted        = 1500
	mostFittedOfGroup = 60
	mostOfMean        = 120
	mostOfAll         = 50_000
	startOfOneGroup   = 120
	mostOfOneGroup    = 250
)

// noiseAlternations is how often FitGP fits hyperparameters and noise in turn.
const noiseAlternations = 2

// FitGP fits a GP by the marginal likelihood, and in turn its noise, the distribution of the leave-one-out
// errors of the points. Outliers count little in the next turn.
//
// The hyperparameters are those of at most 60 points of a group, evenly spread over it, and of
// 1,500 points in all, 250 if there is one group. Given these, mean and noise are those of all
// groups, with at most 120 points of each. It returns an error if the data do not determine the model.
func FitGP(groups []points.Group) (Model, error) {
	m := &GP{Units: unitsOf(groups)}
	per := min(mostOfMean, max(mostOfAll/len(groups), 10))
	if len(groups) <= 2 {
		per = mostOfOneGroup
	}
	all := m.Units.groups(groups, per)
	if len(all) == 0 {
		return nil, errNoFit
	}
	m.Basis = newBasis(all, 24)
	m.Basis.Products, m.Basis.Crossings = m.Basis.products(), crossingsOf(all)
	whole := newEvidence(all, m.Basis)
	theta := maximise(whole.subset(mostOfStart, startOfOneGroup), nil)
	for range noiseAlternations {
		if theta = maximise(whole.subset(mostFitted, mostOfOneGroup), theta); theta == nil {
			return nil, errNoFit
		}
		r, ok := whole.evaluate(theta, false)
		if !ok {
			return nil, errNoFit
		}
		misses := whole.misses(theta, r)
		m.Noise = fitNoise(all, misses, newBasis(all, 6), math.Exp(theta[0]))
		for k, g := range all {
			whole.shift[k], whole.noise[k] = m.Noise.normals(g.Points, misses[k])
		}
		theta[0] = 0 // the scale is now in the weights
	}
	r, ok := whole.evaluate(theta, false)
	if !ok {
		return nil, errNoFit
	}
	m.Hyper = hyperOf(theta, whole.of)
	m.W, m.Cov = r.coefficients()
	if outers := outerGroups(all); outers != nil {
		m.Share = whole.share(m, outers)
	}
	return m, nil
}

// subset returns an evidence of about most points, at most 60 of a group unless there are only one or two. Each counts
// once: of points that stand there twice, a rough curve without noise would be the most probable.
func (e *evidence) subset(most, ofOneGroup int) *evidence {
	per := mostFittedOfGroup
	if len(e.groups) <= 2 {
		per = ofOneGroup
	}
	s := &evidence{basis: e.basis, of: e.of, p: e.p}
	all := 0
	for _, g := range e.groups {
		all += min(g.Len(), per)
	}
	stride := max(1, float64(all)/float64(most))
	for at := 0.0; int(at) < len(e.groups); at += stride {
		k := int(at)
		some, g := points.Spread(e.groups[k].Len(), per), e.groups[k]
		g.Points = g.Take(some)
		g.Weights = nil
		s.groups, s.phi = append(s.groups, g), append(s.phi, e.basis.evaluate(g.Points))
		s.noise, s.shift = append(s.noise, points.Pick(e.noise[k], 1, some)), append(s.shift, points.Pick(e.shift[k], 1, some))
	}
	return s
}

// maximise returns the hyperparameters with the largest marginal likelihood times their prior. It begins
// at start or, if start is nil, at two points: a rough and a smooth curve of each group. It returns nil if
// there are none.
func maximise(e *evidence, start []float64) []float64 {
	if start != nil {
		theta, _ := e.climb(start, 12)
		return theta
	}
	var best []float64
	most := math.Inf(-1)
	for _, length := range []float64{0.3, 1.5} {
		start := slices.Concat([]float64{math.Log(0.5), math.Log(0.5), math.Log(0.3), math.Log(0.5), 0, math.Log(0.3), math.Log(0.1)},
			slices.Repeat([]float64{math.Log(0.3)}, e.p), slices.Repeat([]float64{math.Log(length * math.Sqrt(float64(e.p)))}, e.p), make([]float64, e.p),
			slices.Repeat([]float64{math.Log(0.1)}, len(e.basis.Crossings)))
		if theta, log := e.climb(start, 25); theta != nil && log > most {
			best, most = theta, log
		}
	}
	return best
}

// climb returns the best hyperparameters that so many steps find, and their evidence.
func (e *evidence) climb(start []float64, steps int) ([]float64, float64) {
	value := math.Inf(1)
	gradient := make([]float64, len(start))
	at := slices.Repeat([]float64{math.NaN()}, len(start))
	evaluate := func(theta []float64) {
		if slices.Equal(theta, at) {
			return
		}
		copy(at, theta)
		if r, ok := e.evaluate(theta, true); ok {
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
	settings := &optimize.Settings{GradientThreshold: 1e-2, MajorIterations: steps,
		Converger: &optimize.FunctionConverge{Absolute: 1e-3, Iterations: 3}}
	r, err := optimize.Minimize(problem, start, settings, &optimize.LBFGS{})
	if r == nil || math.IsNaN(r.F) || math.IsInf(r.F, 0) {
		return nil, math.Inf(-1)
	}
	_ = err // a line search that cannot go on ends at the best point so far
	return slices.Clone(r.X), -r.F
}
