package simple

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"
)

// A covarianceFit is what n groups say of the covariance Σ of points that they share. Σ has the inverse Wishart
// distribution whose mean is a target S and whose weight κ counts as groups do. So it is expected to be
//
//	(κ·S + T)/(κ + n − 1),   T = Σ_g (y_g − mean)(y_g − mean)ᵀ
//
// the sample's covariance, of a rank below n, shrunk to the target. The target has variances of its own at
// each point, themselves shrunk, and stationary correlations:
//
//	level + curve·exp(−(|a − b|/length)^power) + nugget·[a = b],   level + curve + nugget = 1
//
// with a power of 1 or 2, for rough and smooth curves. κ and the correlations have the largest evidence.
type covarianceFit struct {
	n       int
	scatter *mat.SymDense // T [G, G]
	scale   []float64     // [G]: the deviations of the target
	target
}

// A target is the prior of correlations.
type target struct {
	correlation *mat.SymDense // [G, G]
	nugget      float64       // the share of the variance that is noise
	weight      float64       // κ
	rough       bool          // the power is 1
}

// learnCovariance fits a covariance to a scatter of n groups at points in increasing order.
func learnCovariance(at []float64, scatter *mat.SymDense, n int) (c covarianceFit, ok bool) {
	c = covarianceFit{n: n, scatter: scatter, scale: shrunkScales(scatter, n)}
	c.target, ok = chooseTarget(at, c.scaled(scatter, -1), n)
	return c, ok
}

// covariance returns what Σ is expected to be given the scatter of n groups.
func (c *covarianceFit) covariance(scatter *mat.SymDense, n int) *mat.SymDense {
	cov := c.scaled(c.correlation, 1)
	cov.ScaleSym(c.weight, cov)
	cov.AddSym(cov, scatter)
	cov.ScaleSym(1/(c.weight+float64(n)-1), cov)
	return cov
}

// withoutGroup returns the covariance of a point's error without a group that lies off the mean by left, of which the
// mean of the others is a part.
func (c *covarianceFit) withoutGroup(left mat.Vector) *mat.SymDense {
	n, others := float64(c.n), mat.NewSymDense(len(c.scale), nil)
	others.SymRankOne(c.scatter, -n/(n-1), left)
	cov := c.covariance(others, c.n-1)
	cov.ScaleSym(n/(n-1), cov)
	return cov
}

// noise returns the variance that is noise, over the squares of the scales: what the target has, or less where Σ leaves
// less room.
func (c *covarianceFit) noise() float64 {
	var e mat.EigenSym
	if !e.Factorize(c.scaled(c.covariance(c.scatter, c.n), -1), false) {
		return 0
	}
	return max(0, 0.99*min(c.nugget, slices.Min(e.Values(nil)))) // a little less, so that rounding leaves Σ positive definite
}

// scaled returns a matrix whose rows and columns are multiplied by a power of the scales.
func (c *covarianceFit) scaled(a *mat.SymDense, power float64) *mat.SymDense {
	out := mat.NewSymDense(len(c.scale), nil)
	for i, s := range c.scale {
		for j := range i + 1 {
			out.SetSym(i, j, a.At(i, j)*math.Pow(s*c.scale[j], power))
		}
	}
	return out
}

// shrunkScales returns the deviations of points. The logarithms of their variances shrink to the mean of all, by the
// share of their spread that n groups leave to chance (James and Stein).
func shrunkScales(scatter *mat.SymDense, n int) []float64 {
	scales, centre, squares := make([]float64, scatter.SymmetricDim()), 0.0, 0.0
	for k := range scales {
		scales[k] = math.Log(scatter.At(k, k)/float64(n-1) + 1e-12)
		centre += scales[k] / float64(len(scales))
	}
	for _, l := range scales {
		squares += (l - centre) * (l - centre)
	}
	chance := 2 / float64(n-1) * float64(len(scales)-1) // the variance of the logarithm of a sample's variance is 2/(n−1)
	for k, l := range scales {
		scales[k] = math.Exp((centre + max(0, 1-chance/max(squares, 1e-12))*(l-centre)) / 2)
	}
	return scales
}

// Bounds of the search for a target: evaluations for each power, fewer for long grids, and its weight.
const (
	mostTried      = 150
	mostTriedLong  = 60
	longGrid       = 64
	heaviestTarget = 1e6
	usualNugget    = 0.1
	nuggetSpread   = 1.5
)

// chooseTarget returns the target with the largest evidence of a scatter of n groups, whose points have deviations of
// about 1.
func chooseTarget(at []float64, scatter *mat.SymDense, n int) (best target, ok bool) {
	span, least := at[len(at)-1]-at[0], math.Inf(1)
	tries := mostTried
	if len(at) > longGrid {
		tries = mostTriedLong
	}
	for _, power := range []float64{1, 2} {
		cost := func(theta []float64) float64 {
			t := targetOf(at, theta, power)
			off := math.Log(t.nugget/usualNugget) / nuggetSpread
			return off*off/2 - t.evidence(scatter, n)
		}
		start := []float64{math.Log(float64(len(at))), -0.5, -1, math.Log(span / 4)}
		result, _ := optimize.Minimize(optimize.Problem{Func: cost}, start, &optimize.Settings{FuncEvaluations: tries}, &optimize.NelderMead{SimplexSize: 0.7})
		if result != nil && result.F < least { // the error says that the evaluations are used up
			best, least, ok = targetOf(at, result.X, power), result.F, true
		}
	}
	return best, ok
}

// targetOf returns the target of a vector: the logarithms of weight, level over curve, nugget over curve, and length.
func targetOf(at, theta []float64, power float64) target {
	span := at[len(at)-1] - at[0]
	length := span * math.Exp(min(max(theta[3]-math.Log(span), -8), 3))
	level, nugget := math.Exp(min(max(theta[1], -12), 12)), math.Exp(min(max(theta[2], -12), 12))
	total := level + 1 + nugget
	t := target{mat.NewSymDense(len(at), nil), nugget / total, math.Exp(min(max(theta[0], 0), math.Log(heaviestTarget))), power == 1}
	for i, a := range at {
		for j, b := range at[:i] {
			t.correlation.SetSym(i, j, (level+math.Exp(-math.Pow((a-b)/length, power)))/total)
		}
		t.correlation.SetSym(i, i, 1)
	}
	return t
}

// evidence returns the log density of a scatter of n groups, up to a constant.
func (t target) evidence(scatter *mat.SymDense, n int) float64 {
	size := float64(scatter.SymmetricDim())
	prior, after := new(mat.SymDense), new(mat.SymDense)
	prior.ScaleSym(t.weight, t.correlation)
	after.AddSym(prior, scatter)
	var before, both mat.Cholesky
	if !before.Factorize(prior) || !both.Factorize(after) {
		return math.Inf(-1)
	}
	free, more := t.weight+size+1, float64(n-1)
	log := free/2*before.LogDet() - (free+more)/2*both.LogDet()
	for k := range scatter.SymmetricDim() {
		a, _ := math.Lgamma((free + more - float64(k)) / 2)
		b, _ := math.Lgamma((free - float64(k)) / 2)
		log += a - b
	}
	return log
}
