package simple

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/acqnp/acqnp/internal/likelihood"
	"github.com/acqnp/acqnp/internal/points"
)

// A field is a normal distribution of the function of a new group, in standardised units.
type field interface {
	mean(p points.Points) []float64            // at points
	variances(p points.Points) []float64       // at points
	covariances(a, b points.Points) *mat.Dense // of points a with b of the same group, [n, m]
	across(a, b points.Points) *mat.Dense      // of points a of a group with b of another one in the same outer group
	root(p points.Points) *mat.Dense           // R [n, rank] with the covariances RRᵀ of points of several groups; nil if none is of low rank
}

// Bounds of a context: the points that predictions read, and those that the group's scale is learnt
// from.
const (
	mostContext = 1000
	mostOfScale = 64
)

// given returns the distribution of y at the targets of a group with this context, whose function is drawn from one of
// these fields, each as likely as the others, and whose points have noise.
func given(fields []field, n *noise, u Units, context, targets points.Points) []likelihood.GaussianMixture {
	if targets.Len() == 0 {
		return nil
	}
	c := u.group(context).Thin(mostContext)
	targets = u.group(targets)
	scales := n.scales(targets)
	parts, logs := make([][]likelihood.Gaussian, len(scales)), make([][]float64, len(scales))
	for _, f := range fields {
		n.addGiven(parts, logs, f, c, targets, scales)
	}
	out := make([]likelihood.GaussianMixture, len(scales))
	for t := range out {
		out[t] = u.mixture(parts[t], logs[t])
	}
	return out
}

// addGiven adds the parts that a field gives, with the logarithms of how likely each is by the context c.
func (n *noise) addGiven(parts [][]likelihood.Gaussian, logs [][]float64, f field, c, targets points.Points, scales []float64) {
	states, means, variances := n.condition(f, c), f.mean(targets), f.variances(targets)
	var cross, solved *mat.Dense // [n, m]
	if c.Len() > 0 {
		cross = covariancesOf(f, c, targets)
	}
	for _, s := range states {
		if s.alpha != nil {
			solved = s.cov.inverseTimes(cross)
		}
		for t := range scales {
			mean, variance := means[t], variances[t]
			if s.alpha != nil {
				mean += mat.Dot(cross.ColView(t), s.alpha)
				variance -= mat.Dot(cross.ColView(t), solved.ColView(t))
			}
			parts[t], logs[t] = n.parts(parts[t], logs[t], mean, variance, scales[t]*s.factor, s.log)
		}
	}
}

// sideRounds is how often noise is approximated in turn where points are beyond a bound.
const sideRounds = 10

// A state is a context with the noise that its points seem to have, if the group's scale is factor.
type state struct {
	factor, log float64 // and the log of its probability
	cov         covariance
	alpha       *mat.VecDense // the inverse of the covariance times what is left of y; nil without a context
}

// condition returns the states of a standardised context.
func (n *noise) condition(f field, c points.Points) []*state {
	factors, logs := n.nodes()
	if few := c.OfGroup().Thin(mostOfScale); few.Len() < c.OfGroup().Len() && len(factors) > 1 {
		factor, most := 1.0, math.Inf(-1)
		for _, s := range n.condition(f, few) {
			if s.log > most {
				factor, most = s.factor, s.log
			}
		}
		factors, logs = []float64{factor}, []float64{0}
	}
	states := make([]*state, len(factors))
	for j := range states {
		states[j] = &state{factor: factors[j], log: logs[j]}
	}
	if c.Len() == 0 {
		return states
	}
	left := mat.NewVecDense(c.Len(), nil)
	for i, v := range f.mean(c) {
		left.SetVec(i, c.Y[i]-v)
	}
	for i, v := range c.Beyond {
		left.SetVec(i, left.AtVec(i)-v)
	}
	scales := n.scales(c)
	covariance := covarianceOf(f, c)
	var kept []*state
	for _, s := range states {
		s.cov = covariance()
		if n.solve(s, left, scales, factorsOf(s.factor, c.Sibling, len(scales)), c) {
			kept = append(kept, s)
		}
	}
	if len(kept) == 0 { // too close to singular for float64: predict without a context
		for _, s := range states {
			s.alpha = nil
		}
		return states
	}
	return kept
}

// solve finds the noise of the points of a state by expectation propagation (Minka 2001). left, y − mean or, beyond a
// bound, the bound less the mean, is f + ε with the field f ~ N(0, K). A site N(m_i, v_i) stands for the noise ε_i of each
// point, so that with D = diag(v)
//
//	α = (K + D)⁻¹(left − m),   C = (K + D)⁻¹
//
// Without its own site, the cavity, the error of point i is α_i/C_ii + m_i, and f_i has the variance 1/C_ii − v_i. The next
// m_i and v_i are those of the Gaussian that approximates the noise given this error, in turn for a number of rounds. The
// evidence, the log of the state, is that of the Gaussian N(m, K + D) with each site's density replaced by that of the
// noise. factors are those of the scales of context c.
func (n *noise) solve(s *state, left *mat.VecDense, scales, factors []float64, c points.Points) bool {
	number := left.Len()
	shift, variance := make([]float64, number), make([]float64, number)
	each := make([]float64, len(n.Parts))
	for i, v := range scales {
		v *= factors[i]
		shift[i], variance[i] = n.normal(miss{variance: 1e4 * v * v}, v, each)
	}
	rounds := 4
	if number > 2*mostOfScale {
		rounds = 2
	}
	if len(each) == 1 {
		rounds = 1
	}
	for i, v := range c.Beyond {
		if shift[i] -= v; v != 0 { // begin with the guess
			rounds = sideRounds
		}
	}
	y := mat.NewVecDense(number, nil)
	for round := range rounds + 1 {
		for i := range number {
			y.SetVec(i, left.AtVec(i)-shift[i])
		}
		if !s.cov.factorise(variance) {
			return false
		}
		s.alpha = s.cov.inverseTimes(y).ColView(0).(*mat.VecDense)
		if round == rounds {
			break
		}
		inverse := s.cov.inverseDiagonal()
		log := -s.cov.logDet()/2 - mat.Dot(s.alpha, y)/2 - float64(number)/2*math.Log(2*math.Pi)
		for i := range number {
			by := s.alpha.AtVec(i)/inverse[i] + shift[i]
			e := miss{by: by, variance: max(1/inverse[i]-variance[i], 0), side: c.Side(i)}
			z, v := e.by-shift[i], e.variance+variance[i]
			log += n.logDensity(e, scales[i]*factors[i], each) + z*z/(2*v) + math.Log(2*math.Pi*v)/2
			shift[i], variance[i] = n.normal(e, scales[i]*factors[i], each)
		}
		if round == rounds-1 {
			s.log += log
		}
	}
	return true
}

// MostOfOuter bounds the points of siblings in a context.
const MostOfOuter = 100

// covariancesOf returns the covariances of points a with points b, which may be of several groups.
func covariancesOf(f field, a, b points.Points) *mat.Dense {
	own := f.covariances(a, b)
	if a.Sibling == nil {
		return own
	}
	across := f.across(a, b)
	n, m := own.Dims()
	for i := range n {
		for j := range m {
			to := 0 // a target is of the group itself
			if b.Sibling != nil {
				to = b.Sibling[j]
			}
			if a.Sibling[i] != to {
				own.Set(i, j, across.At(i, j))
			}
		}
	}
	return own
}

// factorsOf returns the factor of the noise of each point: that of the group for its own, and 1 for those of others.
func factorsOf(factor float64, of []int, n int) []float64 {
	all := make([]float64, n)
	for i := range all {
		if all[i] = factor; of != nil && of[i] != 0 {
			all[i] = 1
		}
	}
	return all
}

// outerGroups returns the indices of the groups of each outer group, nil unless there are two outer groups and one of
// them has several.
func outerGroups(groups []points.Group) (all [][]int) {
	at, several := map[string]int{}, false
	for i, g := range groups {
		name := g.Outer
		if name == "" {
			return nil
		}
		k, known := at[name]
		if !known {
			k, at[name] = len(all), len(all)
			all = append(all, nil)
		}
		all[k] = append(all[k], i)
		several = several || known
	}
	if !several || len(all) < 2 {
		return nil
	}
	return all
}
