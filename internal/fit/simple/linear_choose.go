package simple

import (
	"math"

	"github.com/acqnp/acqnp/internal/points"
	"github.com/acqnp/acqnp/internal/random"
)

// mostChosen is the largest number of groups that chooseDegrees looks at, evenly spread over all. The degrees
// that more of them prefer hardly differ, and each takes a fit for every fold and pair of degrees.
const mostChosen = 500

// folds is the number of parts that chooseDegrees holds out in turn.
const folds = 5

// contexts are the sizes of the contexts that chooseDegrees predicts from.
var contexts = []int{0, 1, 2, 5, 10, 20, 50}

// mostByBIC is the largest number of groups whose degrees BIC chooses: a cross-validation over as few chooses by chance.
const mostByBIC = 8

// chooseDegrees returns the degrees whose model predicts held-out groups best, from contexts of several
// sizes, or of few groups those with the best BIC. It returns false if no model can be fitted.
func chooseDegrees(groups []points.Group) (fixed, random int, ok bool) {
	if len(groups) < 2 {
		return 0, 0, false
	}
	groups = points.Pick(groups, 1, points.Spread(len(groups), mostChosen))
	most := math.Inf(-1)
	points := 0
	for _, f := range groups {
		points += f.Len()
	}
	for _, p := range []int{1, 2, 3, 5} {
		for q := range min(p, 2) + 1 {
			form, smaller := degreesOf(groups, p, q), degreesOf(groups, p-1, q)
			n, own := form.count()
			if fewer, same := smaller.count(); 4*n > points || own > 4 || p > 1 && fewer == n && same == own {
				continue
			}
			judge := crossValidated
			if len(groups) <= mostByBIC {
				judge = bic
			}
			if ll := judge(groups, form); ll > most {
				most, fixed, random = ll, p, q
			}
		}
	}
	return fixed, random, !math.IsInf(most, -1)
}

// crossValidated returns the log density of held-out points. Each group and each size of its
// context counts the same. It returns −∞ if the model cannot be fitted.
func crossValidated(groups []points.Group, form degrees) float64 {
	sum, n := 0.0, 0
	for k := range min(folds, len(groups)) {
		var rest []points.Group
		for i, f := range groups {
			if i%folds != k {
				rest = append(rest, f)
			}
		}
		m, err := fitLinear(rest, nil, form, 0)
		if err != nil {
			return math.Inf(-1)
		}
		for i := k; i < len(groups); i += folds {
			for _, size := range contexts {
				if size < groups[i].Len() {
					sum += m.logDensity(mixedUp(groups[i], uint64(i)), size)
					n++
				}
			}
		}
	}
	if math.IsNaN(sum) {
		return math.Inf(-1)
	}
	return sum / float64(n)
}

// bic returns −½ of the criterion of Schwarz: the log likelihood less a half of log(points) for each coefficient β and σ,
// and of log(groups) for each number of G. It returns −∞ if the model cannot be fitted.
func bic(groups []points.Group, form degrees) float64 {
	f, err := fitLinear(groups, nil, form, 0)
	if err != nil {
		return math.Inf(-1)
	}
	n, p, q := float64(f.n), float64(f.p), float64(f.q)
	s, ok := f.solve(f.theta, -1)
	if !ok {
		return math.Inf(-1)
	}
	// The deviance of the likelihood, at the θ of the restricted one and the σ² that maximises it.
	deviance := s.deviance - logDet(s.lx, f.p) - (n-p)*math.Log(s.sigma2) + n*math.Log(s.sigma2*(n-p)/n)
	return -(deviance + (p+1)*math.Log(n) + q*(q+1)/2*math.Log(float64(len(groups)))) / 2
}

// mixedUp returns the points of group i in a random order.
func mixedUp(g points.Group, i uint64) points.Points {
	return g.Take(random.New(0, random.Validation).Order(i, g.Len()))
}

// logDensity returns the mean log density of the points after the first ones, the context.
func (m linear) logDensity(g points.Points, context int) float64 {
	s, sum, total := m.given(g.Cut(0, context)), 0.0, 0.0
	for k, y := range g.Y[context:] {
		mean, sd := s.predict(g.Row(context + k))
		z := (y - mean) / sd
		sum -= g.Weight(context+k) * (z*z/2 + math.Log(sd) + math.Log(2*math.Pi)/2)
		total += g.Weight(context + k)
	}
	return sum / total
}
