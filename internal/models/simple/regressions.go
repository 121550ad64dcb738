package simple

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/acqnp/acqnp/internal/likelihood"
)

// Regressions is a mixture of regressions: each point belongs to one of K classes, such as new and
// refurbished goods, and
//
//	y = β_kᵀp(x) + bᵀq(x) + ε,   ε ~ N(0, noise_k²)
//
// with a probability of class k that a group draws from a Dirichlet distribution with mean share and
// sum Alpha. p(x) has the powers of x, q(x) is 1 and the columns of x, and b ~ N(0, G) is drawn anew
// for each group. The class of a point is not known. So the
// distribution of b given a context is a mixture of normal distributions, one for each way to
// assign classes to its points. Of these the most probable ones are kept.
type Regressions struct {
	Units   units     `json:"units"`
	Powers  int       `json:"powers"`
	Classes []class   `json:"classes"`
	Cov     []float64 `json:"cov"`   // G [q, q]
	Alpha   float64   `json:"alpha"` // 0: all groups have the same probabilities
}

// A class is one of the regressions.
type class struct {
	Share float64   `json:"share"`
	Noise float64   `json:"noise"`
	Beta  []float64 `json:"beta"` // [p]
}

// mostAssignments bounds the assignments of classes that are kept for a group.
const mostAssignments = 32

// features returns p(x) and q(x) of a standardised x [DX].
func (m *Regressions) features(x []float64) (p, q []float64) {
	p, q = []float64{1}, []float64{1}
	for _, v := range x {
		q = append(q, v)
		power := 1.0
		for range m.Powers {
			power *= v
			p = append(p, power)
		}
	}
	return p, q
}

// An assignment is what is known of a group if its points have these classes: b ~ N(mean, cov).
type assignment struct {
	log     float64 // of its probability, up to a constant
	classes []uint8 // of the points so far
	mean    []float64
	cov     []float64 // [q, q]
}

// expect returns mean and variance of y at features p and q in class c. It sets spread [q] to cov·q.
func (a *assignment) expect(c class, p, q, spread []float64) (mean, variance float64) {
	mean, variance = dot(c.Beta, p)+dot(a.mean, q), c.Noise*c.Noise
	for i, v := range q {
		spread[i] = dot(a.cov[i*len(q):][:len(q)], q)
		variance += v * spread[i]
	}
	return mean, variance
}

// A step is an assignment with a further point of class k.
type step struct {
	from, k int
	log     float64
}

// given returns the most probable assignments of a standardised group, at most keep of them, with
// logarithms of probabilities that sum to 1, and the log of the group's density.
func (m *Regressions) given(g Group, keep int) (list []assignment, log float64) {
	n := 1 + len(m.Units.X)
	list = []assignment{{mean: make([]float64, n), cov: m.Cov}}
	spread := make([]float64, n)
	var steps []step
	var logs []float64
	for i, y := range g.Y {
		p, q := m.features(g.row(i))
		steps, logs = steps[:0], logs[:0]
		for from := range list {
			for k, c := range m.Classes {
				mean, variance := list[from].expect(c, p, q, spread)
				e := y - mean
				l := list[from].log + math.Log(m.share(k, list[from].classes)) - e*e/(2*variance) - math.Log(2*math.Pi*variance)/2
				steps, logs = append(steps, step{from, k, l}), append(logs, l)
			}
		}
		total := likelihood.LogSumExp(logs)
		log += total
		slices.SortStableFunc(steps, func(a, b step) int { return cmp.Compare(b.log, a.log) })
		steps = steps[:min(len(steps), keep)]
		for len(steps) > 1 && steps[len(steps)-1].log < steps[0].log-negligible {
			steps = steps[:len(steps)-1]
		}
		next, kept := make([]assignment, len(steps)), 0.0
		for s, t := range steps {
			next[s] = list[t.from].with(t.k, m.Classes[t.k], p, q, y, spread)
			next[s].log = t.log - steps[0].log
			kept += math.Exp(next[s].log)
		}
		for s := range next {
			next[s].log -= math.Log(kept)
		}
		list = next
	}
	return list, log
}

// share returns the probability of class k for a further point of a group that has points of these
// classes.
func (m *Regressions) share(k int, classes []uint8) float64 {
	if m.Alpha == 0 {
		return m.Classes[k].Share
	}
	n := 0.0
	for _, c := range classes {
		if int(c) == k {
			n++
		}
	}
	return (m.Alpha*m.Classes[k].Share + n) / (m.Alpha + float64(len(classes)))
}

// negligible is the logarithm of how much less probable than the first an assignment must be to be
// left out.
const negligible = 12

// with returns the assignment after a further point of class k.
func (a *assignment) with(k int, c class, p, q []float64, y float64, spread []float64) assignment {
	n := len(q)
	mean, variance := a.expect(c, p, q, spread)
	gain := (y - mean) / variance
	next := assignment{classes: append(slices.Clip(a.classes), uint8(k)), mean: slices.Clone(a.mean), cov: slices.Clone(a.cov)}
	for i, v := range spread {
		next.mean[i] += v * gain
		for j, w := range spread {
			next.cov[i*n+j] -= v * w / variance
		}
	}
	return next
}

// Columns implements [Model].
func (m *Regressions) Columns() int { return len(m.Units.X) }

// Check implements [Model].
func (m *Regressions) Check() error {
	q := 1 + len(m.Units.X)
	if len(m.Classes) == 0 || len(m.Classes) > 255 || m.Powers < 0 || m.Powers > 9 {
		return errDamaged
	}
	if !(m.Alpha >= 0) || math.IsInf(m.Alpha, 0) {
		return errDamaged
	}
	for _, c := range m.Classes {
		if !(c.Share > 0 && c.Share <= 1 && c.Noise > 0) || sound(lengthOf{c.Beta, 1 + m.Powers*(q-1)}, lengthOf{[]float64{c.Noise}, 1}) != nil {
			return errDamaged
		}
	}
	return errors.Join(m.Units.check(), sound(lengthOf{m.Cov, q * q}))
}

// Given implements [Model]. It takes at most 100 points of a larger context, evenly spread.
func (m *Regressions) Given(context Group, x []float64) []likelihood.GaussianMixture {
	list, _ := m.given(thin(m.Units.group(context), mostOfRegressions), mostAssignments)
	spread := make([]float64, 1+len(m.Units.X))
	targets, dx := m.Units.points(x), len(m.Units.X)
	out := make([]likelihood.GaussianMixture, len(targets)/dx)
	for t := range out {
		p, q := m.features(targets[t*dx:][:dx])
		var parts []likelihood.Gaussian
		var logs []float64
		for _, a := range list {
			for k, c := range m.Classes {
				log := a.log + math.Log(m.share(k, a.classes))
				if log < -negligible {
					continue
				}
				mean, variance := a.expect(c, p, q, spread)
				parts, logs = append(parts, likelihood.Gaussian{Mean: mean, Scale: math.Sqrt(variance)}), append(logs, log)
			}
		}
		out[t] = m.Units.mixture(parts, logs)
	}
	return out
}

// Bounds of a fit of Regressions: points of a group, more where groups are few, rounds of each start and of the best one, the
// assignments that these keep, and by how much the log density of a point must grow for another
// round.
const (
	mostOfRegressions = 100
	mostOfFewGroups   = 1500 // of all together
	roundsOfStart     = 12
	roundsOfBest      = 60
	fewAssignments    = 6
	leastGain         = 2e-4
)

// FitRegressions fits a mixture of K regressions with these powers of x by expectation and
// maximisation, from three starts: classes above one another, classes whose slopes differ, and
// classes that differ in their noise. It returns an error if the data do not determine the model.
func FitRegressions(groups []Group, k, powers int) (*Regressions, error) {
	u := unitsOf(groups)
	var all []Group
	points := 0
	per := max(mostOfRegressions, mostOfFewGroups/len(groups))
	for _, g := range groups {
		if g.Points() > 0 {
			all = append(all, thin(u.group(g), per))
			points += all[len(all)-1].Points()
		}
	}
	if points < 4*k*(1+powers*len(u.X)) {
		return nil, errNoFit
	}
	var best *Regressions
	most := math.Inf(-1)
	for start := range 3 {
		m := startOf(u, k, powers, start)
		if log, ok := m.climb(all, roundsOfStart, fewAssignments); ok && log > most {
			best, most = m, log
		}
	}
	if best == nil {
		return nil, errNoFit
	}
	if _, ok := best.climb(all, roundsOfBest, fewAssignments); !ok {
		return nil, errNoFit
	}
	best.chooseAlpha(all)
	return best, nil
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
func startOf(u units, k, powers, start int) *Regressions {
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

// climb makes rounds until they gain little. It returns the log density of a point before the last.
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

// A seen is a point in one of the assignments.
type seen struct {
	k              int
	p              *mat.VecDense
	weight, y, own float64 // y less bᵀq, and the variance of bᵀq
}

// improve makes one round: it assigns the points to the classes, and fits the classes and G to that. It
// returns the log density of a point before.
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
	var all []seen
	for _, g := range groups {
		list, density := m.given(g, keep)
		log += density
		points += float64(g.Points())
		for _, a := range list {
			weight := math.Exp(a.log)
			for i, v := range a.cov {
				cov[i] += weight * (v + a.mean[i/q]*a.mean[i%q])
			}
			for i, k := range a.classes {
				p, features := m.features(g.row(i))
				_, variance := a.expect(none, p, features, spread)
				s := seen{int(k), mat.NewVecDense(size, p), weight, g.Y[i] - dot(a.mean, features), variance}
				all = append(all, s)
				normal[k].SymRankOne(normal[k], weight, s.p)
				right[k].AddScaledVec(right[k], weight*s.y, s.p)
				count[k] += weight
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
		if err := chol.SolveVecTo(&beta, right[k]); err != nil && !isCondition(err) {
			return 0, false
		}
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
		m.Cov[i] = (cov[i] + map[bool]float64{true: 0.1}[i%(q+1) == 0]) / (float64(len(groups)) + 1)
	}
	return log / points, true
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}
