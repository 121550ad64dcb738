package simple

import (
	"math"

	"github.com/acqnp/acqnp/internal/points"
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
func FitRegressions(groups []points.Group) (Model, error) {
	u := unitsOf(groups)
	all := u.groups(groups, max(mostOfRegressions, mostOfFewGroups/len(groups)))
	edges := EdgesOf(all)
	plain, seen := &Regressions{Powers: powers, Edges: edges}, make([]described, len(all))
	for i, g := range all {
		seen[i] = plain.describe(g.Points)
	}
	var best *Regressions
	most := math.Inf(-1)
	for k := 2; k <= 3; k++ {
		if m, score := fitClasses(u, edges, seen, k); m != nil && score > most {
			best, most = m, score
		}
	}
	if best == nil {
		return nil, errNoFit
	}
	best.chooseAlpha(seen)
	return best, nil
}

// fitClasses fits K regressions to standardised groups by expectation and maximisation, from the best of
// three starts: classes above one another, classes whose slopes differ, and classes that differ in
// their noise. It returns the model with −½ BIC, or nil if the data do not determine it.
func fitClasses(u Units, edges []Edge, groups []described, k int) (*Regressions, float64) {
	points, some := 0, 0
	for i, g := range groups {
		if points < pointsOfStart {
			some = i + 1
		}
		points += g.Len()
	}
	if points < 4*k*(1+powers*len(u.X)) {
		return nil, 0
	}
	var best *Regressions
	most := math.Inf(-1)
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
func (m *Regressions) chooseAlpha(groups []described) {
	best, most := 0.0, math.Inf(-1)
	for _, m.Alpha = range []float64{0, 100, 30, 10, 3, 1} {
		sum := 0.0
		for _, g := range groups {
			_, _, log := m.given(g, fewAssignments)
			sum += log
		}
		if sum > most {
			best, most = m.Alpha, sum
		}
	}
	m.Alpha = best
}

// startOf returns one of three starts of K classes.
func startOf(u Units, k, start int) *Regressions {
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
func (m *Regressions) climb(groups []described, rounds, keep int) (log float64, ok bool) {
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

// An assignedPoint is what the assignments of its group say of it in a class.
type assignedPoint struct {
	weight  float64   // of the assignments with the class
	p       []float64 // p(x)
	y, over float64   // the means of y less bᵀq, and of its square and the variance of bᵀq
}

// assigned returns what the assignments, each with its classes of all points, say of point i in class k.
func (m *Regressions) assigned(g described, list []assignment, classes [][]int, i, k int, spread []float64) (s assignedPoint) {
	for n := range list {
		if classes[n][i] != k {
			continue
		}
		a, q := &list[n], g.q[i]
		_, variance := a.expect(class{}, nil, q, spread)
		left, weight := g.Y[i]-dot(a.mean, q), math.Exp(a.log)*g.Weight(i)
		s.weight, s.y, s.over = s.weight+weight, s.y+weight*left, s.over+weight*(left*left+variance)
	}
	s.p = g.p[i]
	return s
}

// improve makes one round: it assigns the points to the classes, and fits the classes and G to the
// assignment. It returns the log density of a point before the round.
func (m *Regressions) improve(groups []described, keep int) (log float64, ok bool) {
	q := 1 + len(m.Units.X)
	all := make([][]assignedPoint, len(m.Classes))
	cov, spread := make([]float64, q*q), make([]float64, q)
	points := 0.0
	for _, g := range groups {
		list, steps, density := m.given(g, keep)
		log += density
		classes := make([][]int, len(list))
		for n, a := range list {
			weight := math.Exp(a.log)
			for i, v := range a.cov {
				cov[i] += weight * (v + a.mean[i/q]*a.mean[i%q])
			}
			classes[n] = classesOf(steps, n)
		}
		for i := range g.Len() {
			points += g.Weight(i)
			for k := range m.Classes {
				if s := m.assigned(g, list, classes, i, k, spread); s.weight > 0 {
					all[k] = append(all[k], s)
				}
			}
		}
	}
	for k := range m.Classes {
		if !m.Classes[k].fit(all[k], points, len(m.Classes)) {
			return 0, false
		}
	}
	for i := range cov {
		if i%(q+1) == 0 { // the diagonal
			cov[i] += 0.1
		}
		m.Cov[i] = cov[i] / (float64(len(groups)) + 1)
	}
	return log / points, true
}

// fit fits the class, one of several, to its points, of so many in all.
func (c *class) fit(own []assignedPoint, points float64, classes int) bool {
	size := len(c.Beta)
	normal, right, count := make([]float64, size*size), make([]float64, size), 0.0
	for _, s := range own {
		count += s.weight
		for i, v := range s.p {
			right[i] += s.y * v
			for j, w := range s.p[:i+1] {
				normal[i*size+j] += s.weight * v * w
			}
		}
	}
	for i := range size {
		normal[i*(size+1)] += 0.1 // a weak prior: coefficients of deviation 3 noises
	}
	if !factorise(normal, size) {
		return false
	}
	forward(normal, right)
	backward(normal, right)
	copy(c.Beta, right)
	squares := 0.0
	for _, s := range own {
		mean := dot(c.Beta, s.p)
		squares += max(0, s.over-2*mean*s.y+s.weight*mean*mean)
	}
	// The prior of noise and shares keeps a class from shrinking onto a few points.
	c.Noise = math.Sqrt((squares + 2*0.05) / (count + 2))
	c.Share = (count + 2) / (points + 2*float64(classes))
	return true
}
