package simple

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// Bounds of a fit of Regressions: points of a group (more if there are few groups), points of a start,
// rounds of each start and of the best one, and assignments kept in these rounds. A further round needs a
// gain of leastGain in the log density of a point.
const (
	mostOfRegressions = 100
	mostOfFewGroups   = 1500 // of all together
	pointsOfStart     = 1000
	roundsOfStart     = 12
	roundsOfBest      = 60
	fewAssignments    = 6
	leastGain         = 2e-4
	powers            = 2 // of x
)

// FitRegressions fits a mixture of two or three regressions, whichever has the better BIC (Schwarz
// 1978), with squares of x. It returns an error if the data do not determine the model.
func FitRegressions(groups []Group) (Model, error) {
	u := unitsOf(groups)
	all := u.groups(groups, max(mostOfRegressions, mostOfFewGroups/len(groups)))
	var best *Regressions
	most := math.Inf(-1)
	for k := 2; k <= 3; k++ {
		if m, score := fitClasses(u, all, k); m != nil && score > most {
			best, most = m, score
		}
	}
	if best == nil {
		return nil, errNoFit
	}
	best.chooseAlpha(all)
	return best, nil
}

// fitClasses fits K regressions to standardised groups by expectation and maximisation, from the best of
// three starts: classes above one another, classes whose slopes differ, and classes that differ in
// their noise. It returns the model with −½ BIC, or nil if the data do not determine it.
func fitClasses(u units, groups []Group, k int) (*Regressions, float64) {
	points, some := 0, 0
	for i, g := range groups {
		if points < pointsOfStart {
			some = i + 1
		}
		points += g.Points()
	}
	if points < 4*k*(1+powers*len(u.X)) {
		return nil, 0
	}
	var best *Regressions
	most := math.Inf(-1)
	x := make([][]float64, len(groups))
	for i, g := range groups {
		x[i] = g.X
	}
	edges := EdgesOf(len(u.X), x...)
	for start := range 3 {
		m := startOf(u, k, start)
		m.Edges = edges
		if log, ok := m.climb(groups[:some], roundsOfStart, fewAssignments); ok && log > most {
			best, most = m, log
		}
	}
	if best == nil {
		return nil, 0
	}
	log, ok := best.climb(groups, roundsOfBest, fewAssignments)
	if !ok {
		return nil, 0
	}
	q, n := 1+len(u.X), float64(points)
	parameters := k*(2+powers*len(u.X)+1) - 1 + q*(q+1)/2
	return best, n*log - float64(parameters)*math.Log(n)/2
}

// chooseAlpha sets Alpha to the one of a few under which the groups are most probable.
func (m *Regressions) chooseAlpha(groups []Group) {
	best, most := 0.0, math.Inf(-1)
	for _, m.Alpha = range []float64{0, 100, 30, 10, 3, 1} {
		sum := 0.0
		for _, g := range groups {
			_, log := m.given(g, fewAssignments)
			sum += log
		}
		if sum > most {
			best, most = m.Alpha, sum
		}
	}
	m.Alpha = best
}

// startOf returns one of three starts of K classes.
func startOf(u units, k, start int) *Regressions {
	m := &Regressions{Units: u, Powers: powers, Cov: make([]float64, (1+len(u.X))*(1+len(u.X)))}
	for i := range 1 + len(u.X) {
		m.Cov[i*(2+len(u.X))] = 0.05
	}
	m.Cov[0] = 0.3
	for j := range k {
		apart := 2*float64(j)/max(float64(k-1), 1) - 1 // −1 … 1
		c := class{Share: 1 / float64(k), Noise: 0.5, Beta: make([]float64, 1+powers*len(u.X))}
		switch start {
		case 0:
			c.Beta[0] = 0.7 * apart
		case 1:
			c.Beta[1] = 0.7 * apart
		case 2:
			c.Noise = 0.5 * math.Exp(0.8*apart)
		}
		m.Classes = append(m.Classes, c)
	}
	return m
}

// climb repeats rounds until they gain little. It returns the log density of a point before the last
// round.
func (m *Regressions) climb(groups []Group, rounds, keep int) (log float64, ok bool) {
	before := math.Inf(-1)
	for range rounds {
		if log, ok = m.improve(groups, keep); !ok || math.IsNaN(log) {
			return 0, false
		}
		if log-before < leastGain {
			break
		}
		before = log
	}
	return log, true
}

// An assignedPoint is a point in one of the assignments.
type assignedPoint struct {
	k              int
	p              *mat.VecDense
	weight, y, own float64 // y less bᵀq, and the variance of bᵀq
}

// improve makes one round: it assigns the points to the classes, and fits the classes and G to the
// assignment. It returns the log density of a point before the round.
func (m *Regressions) improve(groups []Group, keep int) (log float64, ok bool) {
	q := 1 + len(m.Units.X)
	size := len(m.Classes[0].Beta)
	normal, right := make([]*mat.SymDense, len(m.Classes)), make([]*mat.VecDense, len(m.Classes))
	count, squares := make([]float64, len(m.Classes)), make([]float64, len(m.Classes))
	for k := range m.Classes {
		normal[k], right[k] = mat.NewSymDense(size, nil), mat.NewVecDense(size, nil)
	}
	cov, spread, none := make([]float64, q*q), make([]float64, q), class{Beta: make([]float64, size)}
	points := 0.0
	var all []assignedPoint
	for _, g := range groups {
		list, density := m.given(g, keep)
		log += density
		for i := range g.Points() {
			points += g.times(i)
		}
		for _, a := range list {
			weight := math.Exp(a.log)
			for i, v := range a.cov {
				cov[i] += weight * (v + a.mean[i/q]*a.mean[i%q])
			}
			for i, k := range a.classes {
				p, features := m.features(g.row(i))
				_, variance := a.expect(none, p, features, spread)
				own := weight * g.times(i)
				s := assignedPoint{int(k), mat.NewVecDense(size, p), own, g.Y[i] - dot(a.mean, features), variance}
				all = append(all, s)
				normal[k].SymRankOne(normal[k], own, s.p)
				right[k].AddScaledVec(right[k], own*s.y, s.p)
				count[k] += own
			}
		}
	}
	for k := range m.Classes {
		for i := range size {
			normal[k].SetSym(i, i, normal[k].At(i, i)+0.1) // a weak prior: coefficients of deviation 3 noises
		}
		var chol mat.Cholesky
		if !chol.Factorize(normal[k]) {
			return 0, false
		}
		var beta mat.VecDense
		_ = chol.SolveVecTo(&beta, right[k])
		copy(m.Classes[k].Beta, beta.RawVector().Data)
	}
	for _, s := range all {
		e := s.y - mat.Dot(mat.NewVecDense(size, m.Classes[s.k].Beta), s.p)
		squares[s.k] += s.weight * (e*e + s.own)
	}
	for k := range m.Classes {
		// The prior of noise and shares keeps a class from shrinking onto a few points.
		m.Classes[k].Noise = math.Sqrt((squares[k] + 2*0.05) / (count[k] + 2))
		m.Classes[k].Share = (count[k] + 2) / (points + 2*float64(len(m.Classes)))
	}
	for i := range cov {
		if i%(q+1) == 0 { // the diagonal
			cov[i] += 0.1
		}
		m.Cov[i] = cov[i] / (float64(len(groups)) + 1)
	}
	return log / points, true
}
