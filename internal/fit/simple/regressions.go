package simple

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/points"
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
	Units  `json:"units"`
	Powers int `json:"powers"`

	Edges   []Edge    `json:"edges"` // of standardised x, beyond which powers go on as lines
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

// mean returns the class as the mean of a number of points has it.
func (c class) mean(number float64) class {
	c.Noise /= math.Sqrt(number)
	return c
}

// mostAssignments bounds the assignments of classes that are kept for a group.
const mostAssignments = 32

// features returns p(x) and q(x) of a standardised x [DX].
func (m *Regressions) features(x []float64) (p, q []float64) {
	p, q = []float64{1}, []float64{1}
	for c, v := range x {
		q = append(q, v)
		p = m.Edges[c].AppendPowers(p, v, m.Powers)
	}
	return p, q
}

// A described group has the features of its points.
type described struct {
	points.Points
	p, q [][]float64
}

// describe returns a standardised group with its features.
func (m *Regressions) describe(g points.Points) described {
	d := described{Points: g}
	for i := range g.Len() {
		p, q := m.features(g.Row(i))
		d.p, d.q = append(d.p, p), append(d.q, q)
	}
	return d
}

// An assignment is what is known of a group if its points have some classes: b ~ N(mean, cov).
type assignment struct {
	log    float64   // of its probability, up to a constant
	counts []float64 // points of each class
	mean   []float64
	cov    []float64 // [q, q]
}

// assignments returns n of them, which share their memory, for K classes and q.
func assignments(n, classes, q int) []assignment {
	each := classes + q + q*q
	all, list := make([]float64, n*each), make([]assignment, n)
	for i := range list {
		own := all[i*each:][:each:each]
		list[i] = assignment{counts: own[:classes:classes], mean: own[classes:][:q:q], cov: own[classes+q:]}
	}
	return list
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

// classesOf returns the classes of the points of assignment number at, by the steps kept at each point.
func classesOf(steps [][]step, at int) []int {
	classes := make([]int, len(steps))
	for i := len(steps) - 1; i >= 0; i-- {
		classes[i], at = steps[i][at].k, steps[i][at].from
	}
	return classes
}

// given returns the most probable assignments of a standardised group, at most keep of them, with
// logarithms of probabilities that sum to 1, the steps to them, and the log of the group's density.
func (m *Regressions) given(g described, keep int) (list []assignment, kept [][]step, log float64) {
	n := 1 + len(m.Units.X)
	list, next := assignments(keep, len(m.Classes), n), assignments(keep, len(m.Classes), n)
	copy(list[0].cov, m.Cov)
	list = list[:1]
	spread := make([]float64, n)
	var logs []float64
	for i, y := range g.Y {
		p, q := g.p[i], g.q[i]
		times := g.Weight(i) // one that counts more often has as many copies, all of its class
		logs = logs[:0]
		steps := make([]step, 0, len(list)*len(m.Classes))
		for from := range list {
			for k, c := range m.Classes {
				mean, variance := list[from].expect(c.mean(times), p, q, spread)
				e := y - mean
				l := list[from].log + times*math.Log(m.share(k, list[from].counts, i)) - e*e/(2*variance) - math.Log(2*math.Pi*variance)/2
				if times != 1 {
					l -= (times-1)/2*math.Log(2*math.Pi*c.Noise*c.Noise) + math.Log(times)/2
				}
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
		next = next[:len(steps)]
		sum := 0.0
		for s, t := range steps {
			list[t.from].extend(&next[s], t.k, m.Classes[t.k].mean(times), p, q, y, spread)
			next[s].log = t.log - steps[0].log
			sum += math.Exp(next[s].log)
		}
		for s := range next {
			next[s].log -= math.Log(sum)
		}
		list, next, kept = next, list[:cap(list)], append(kept, steps)
	}
	return list, kept, log
}

// share returns the probability of class k for a further point of a group that has n points, in these
// classes.
func (m *Regressions) share(k int, counts []float64, n int) float64 {
	if m.Alpha == 0 {
		return m.Classes[k].Share
	}
	return (m.Alpha*m.Classes[k].Share + counts[k]) / (m.Alpha + float64(n))
}

// negligible is the logarithm of how much less probable than the first an assignment must be to be
// left out.
const negligible = 12

// extend sets next to the assignment after a further point of class k.
func (a *assignment) extend(next *assignment, k int, c class, p, q []float64, y float64, spread []float64) {
	n := len(q)
	mean, variance := a.expect(c, p, q, spread)
	gain := (y - mean) / variance
	copy(next.counts, a.counts)
	next.counts[k]++
	for i, v := range spread {
		next.mean[i] = a.mean[i] + v*gain
		for j, w := range spread {
			next.cov[i*n+j] = a.cov[i*n+j] - v*w/variance
		}
	}
}

// SeesOuter implements [Model].
func (m *Regressions) SeesOuter() bool { return false }

// Check implements [Model].
func (m *Regressions) Check() error {
	q := 1 + len(m.Units.X)
	if len(m.Classes) == 0 || len(m.Classes) > 255 || len(m.Edges) != len(m.Units.X) || m.Powers < 0 || m.Powers > 9 {
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
func (m *Regressions) Given(context, targets points.Points) []likelihood.GaussianMixture {
	known := m.Units.group(context).Thin(mostOfRegressions)
	list, _, _ := m.given(m.describe(known), mostAssignments)
	spread := make([]float64, 1+len(m.Units.X))
	targets = m.Units.group(targets)
	out := make([]likelihood.GaussianMixture, targets.Len())
	for t := range out {
		p, q := m.features(targets.Row(t))
		var parts []likelihood.Gaussian
		var logs []float64
		for _, a := range list {
			for k, c := range m.Classes {
				log := a.log + math.Log(m.share(k, a.counts, known.Len()))
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

func dot(a, b []float64) float64 {
	sum := 0.0
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}
