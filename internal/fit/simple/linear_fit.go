package simple

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/optimize"

	"github.com/acqnp/acqnp/internal/points"
)

// A linearFit fits a linear mixed model by restricted maximum likelihood, as lme4 and MixedModels.jl do. Of one group,
//
//	y = Xβ + Zb + ε,   b = Λ_θ·u,   u ~ N(0, σ²I),   ε ~ N(0, σ²I)
//
// where the rows of X and Z are p(x) and q(x). So y has the covariance σ²V with V = I + ZΛΛᵀZᵀ, whose inverse is by the
// formula of Woodbury
//
//	V⁻¹ = I − ZΛ(LLᵀ)⁻¹ΛᵀZᵀ,   LLᵀ = I + ΛᵀZᵀZΛ,   log det V = log det LLᵀ
//
// Summed over groups, XᵀV⁻¹X = L_X·L_Xᵀ gives β and σ² for a θ, the lower triangle of Λ:
//
//	β = (XᵀV⁻¹X)⁻¹XᵀV⁻¹y,   σ² = (y − Xβ)ᵀV⁻¹(y − Xβ)/(n − p)
//
// and θ minimises the restricted deviance Σ_g log det LLᵀ + log det L_X·L_Xᵀ + (n − p)·log σ². The coefficients of the cells
// of crossing k have normal priors of variance τ_k²σ²: 1/τ_k² is added to their places on the diagonal of XᵀV⁻¹X,
// 2·log τ_k for each cell to the deviance, and p counts the others. The log τ_k are the last numbers of θ. Only sums over the points
// of each group are needed: ZᵀZ, Zᵀ[X, y] and [X, y]ᵀ[X, y]. Groups in groups are the same twice, see elimination.
type linearFit struct {
	linear
	p, q     int
	flat     int       // coefficients β without those of cells
	n        float64   // points, each as often as it counts
	xx       []float64 // [X, y]ᵀ[X, y] of all groups [p+1, p+1]
	parts    []sums    // of the groups
	theta    []float64 // of the best likelihood
	outers   [][]int   // the groups of each outer group; nil for one level
	deviance float64   // at theta
	common   int       // coefficients that the groups of an outer one have in common: all, or the first; 0 for one level
	known    float64   // σ², if the weights are of variances that are known; 0 if it is fitted
	prior    []float64 // [p]: σ² over the prior variance of each coefficient, on the diagonal of XᵀV⁻¹X; nil for none
}

// sums are the products of X and Z of a group, whose rows are p(x) and q(x) of its points.
type sums struct {
	n  float64
	zz []float64 // ZᵀZ [q, q]
	xz []float64 // [X, y]ᵀZ [p+1, q]
	xx []float64 // [X, y]ᵀ[X, y] [p+1, p+1]
}

// ridge is added to XᵀV⁻¹X, relative to its mean diagonal. It makes β unique if columns of x depend
// on each other.
const ridge = 1e-10

// fitLinear fits a model by restricted maximum likelihood. Of groups in groups, outer groups differ in their level or,
// if that is likelier by more than its parameters are worth ([Schwarz] 1978), in all coefficients that groups differ in.
// precision [groups][n] is σ² over the variance of the noise of each point; nil for 1. known is σ², if these variances
// are known, and 0 if it is fitted. It returns an error if there are fewer points than coefficients.
//
// [Schwarz]: https://doi.org/10.1214/aos/1176344136
func fitLinear(groups []points.Group, precision [][]float64, form degrees, known float64) (*linearFit, error) {
	outers := outerGroups(groups)
	if outers == nil {
		return fitLevels(groups, precision, form, nil, 0, known)
	}
	best, err := fitLevels(groups, precision, form, outers, 1, known)
	if _, q := form.count(); err == nil && q > 1 {
		all, errAll := fitLevels(groups, precision, form, outers, q, known)
		if more := float64(q*(q+1)/2 - 1); errAll == nil && all.deviance+more*math.Log(float64(len(outers))) < best.deviance {
			best = all
		}
	}
	return best, err
}

// fitLevels fits a model whose outer groups have a number of coefficients in common.
func fitLevels(groups []points.Group, precision [][]float64, form degrees, outers [][]int, common int, known float64) (*linearFit, error) {
	f := &linearFit{linear: linear{Form: form}, outers: outers, common: common, known: known}
	f.p, f.q = form.count()
	f.flat = f.p - cellsOf(form.Crossings)
	f.xx = make([]float64, (f.p+1)*(f.p+1))
	for i, g := range groups {
		own := g.Weights
		if precision != nil {
			own = slices.Clone(precision[i])
			for k := range own {
				own[k] *= g.Weight(k)
			}
		}
		part := f.addUp(g.Points, own)
		f.n += part.n
		for i, v := range part.xx {
			f.xx[i] += v
		}
		f.parts = append(f.parts, part)
	}
	if f.n <= float64(f.flat) {
		return nil, fmt.Errorf("%g points for %d coefficients", f.n, f.flat)
	}
	var err error
	if f.theta, err = f.maximise(); err != nil {
		return nil, err
	}
	s, ok := f.solve(f.theta, -1)
	if !ok {
		return nil, errors.New("the points do not determine the coefficients")
	}
	f.linear, f.deviance = s.model(form, math.Sqrt(s.sigma2)), s.deviance
	return f, f.check(groups[0].DX)
}

// shrink gives the coefficients of redundant columns normal priors of mean 0, such that each power has slopes of this
// deviation where the data end. Otherwise nothing would bound what the model says off the line of two columns that
// depend on each other, where no data are.
func (f *linearFit) shrink(slope float64) {
	f.prior = make([]float64, f.p)
	redundant, at := f.redundant(), 1
	for c, most := range f.Form.Fixed {
		e := f.Form.Edges[c]
		end, power := max(1, -e.Low, e.High), 1.0
		for n := range most {
			if redundant[c] {
				deviation := slope / (float64(n+1) * power)
				f.prior[at+n] = f.Noise * f.Noise / (deviation * deviation)
			}
			power *= end
		}
		at += most
	}
	if s, ok := f.solve(f.theta, -1); ok {
		f.linear = s.model(f.Form, f.Noise)
	}
}

// leastOwn is the share of a column's variance that other columns do not have, below which it is redundant.
const leastOwn = 0.01

// redundant returns which columns of x hardly vary beyond the powers of those before them.
func (f *linearFit) redundant() []bool {
	all, at := make([]bool, len(f.Form.Fixed)), 1
	root, kept := make([]float64, f.p*f.p), []int{0} // a Cholesky factor of the kept groups
	take := func(j int) (own, variance float64) {
		own = f.xx[j*(f.p+1)+j]
		for i, k := range kept {
			if k == j {
				break
			}
			v := f.xx[j*(f.p+1)+k]
			for _, m := range kept[:i] {
				v -= root[j*f.p+m] * root[k*f.p+m]
			}
			v /= root[k*f.p+k]
			root[j*f.p+k] = v
			if own -= v * v; k == 0 {
				variance = own
			}
		}
		root[j*f.p+j] = math.Sqrt(max(own, 0))
		return own, variance
	}
	take(0)
	for c, most := range f.Form.Fixed {
		for j := at; j < at+most; j++ {
			own, variance := take(j)
			if all[c] = all[c] || j == at && own <= leastOwn*variance; all[c] {
				break
			}
			if own > ridge*variance {
				kept = append(kept, j)
			}
		}
		at += most
	}
	return all
}

// leaveOut returns the model whose β does not know group i. G and σ are those of all groups.
// For groups that the model was fitted to, it predicts as the model does for new ones.
func (f *linearFit) leaveOut(i int) linear {
	s, ok := f.solve(f.theta, i)
	if !ok { // the others do not determine β
		return f.linear
	}
	return s.model(f.Form, f.Noise)
}

// addUp returns the sums of a group whose points have these weights; nil for 1.
func (f *linearFit) addUp(g points.Points, weights []float64) sums {
	p, q := f.p, f.q
	s := sums{zz: make([]float64, q*q), xz: make([]float64, (p+1)*q), xx: make([]float64, (p+1)*(p+1))}
	var a, b []float64
	for k, y := range g.Y {
		x := g.Row(k)
		a, b = f.Form.powers(a[:0], x, f.Form.Random), append(f.Form.fixed(b[:0], x), y)
		s.n += g.Weight(k)
		if weights != nil {
			root := math.Sqrt(weights[k])
			floats.Scale(root, a)
			floats.Scale(root, b)
		}
		addProduct(s.zz, a, a)
		addProduct(s.xz, b, a)
		addProduct(s.xx, b, b)
	}
	return s
}

// addProduct adds a·bᵀ to m.
func addProduct(m, a, b []float64) {
	for i, v := range a {
		for j, w := range b {
			m[i*len(b)+j] += v * w
		}
	}
}

// maximise returns the θ of the best restricted likelihood: the lower triangle of Λ, with
// G = σ²ΛΛᵀ, then that of outer groups, and the logarithms of τ.
func (f *linearFit) maximise() ([]float64, error) {
	start := make([]float64, 0, f.q*(f.q+1)/2) // unit matrices
	for _, size := range []int{f.q, f.common} {
		for i := range size {
			start = append(append(start, make([]float64, i)...), 1)
		}
	}
	start = append(start, slices.Repeat([]float64{-1}, len(f.Form.Crossings))...)
	problem := optimize.Problem{Func: func(theta []float64) float64 {
		s, ok := f.solve(theta, -1)
		if !ok {
			return math.Inf(1)
		}
		return s.deviance
	}, Grad: f.gradient}
	settings := &optimize.Settings{GradientThreshold: 1e-4, MajorIterations: 60,
		Converger: &optimize.FunctionConverge{Absolute: 1e-6, Iterations: 4}}
	r, err := optimize.Minimize(problem, start, settings, &optimize.BFGS{})
	if r == nil || math.IsInf(r.F, 0) || math.IsNaN(r.F) {
		return nil, fmt.Errorf("the likelihood has no maximum (%v)", err)
	}
	return r.X, nil // an error of the line search leaves the best θ so far
}

// solution is what follows from θ.
type solution struct {
	deviance float64   // −2·log of the restricted likelihood, less a constant
	lambda   []float64 // Λ [q, q], lower triangular
	outer    []float64 // Λ of outer groups [q, q]; nil for one level
	beta     []float64 // [p]
	lx       []float64 // L_X [p, p], with L_X·L_Xᵀ = XᵀV⁻¹X
	sigma2   float64   // σ²
	cells    []float64 // 1/τ² of each cell
}

// leastLog and mostLog bound log τ.
const leastLog, mostLog = -10, 10

// cells returns 1/τ² of each cell at θ.
func (f *linearFit) cells(theta []float64) (all []float64) {
	for k, v := range theta[len(theta)-len(f.Form.Crossings):] {
		v = min(max(v, leastLog), mostLog)
		all = append(all, slices.Repeat([]float64{math.Exp(-2 * v)}, f.Form.Crossings[k].size())...)
	}
	return all
}

// solve returns β and the rest at θ, without the group of index out unless that is negative. It
// returns false if the matrices are singular.
func (f *linearFit) solve(theta []float64, out int) (s solution, ok bool) {
	p, q, n := f.p, f.q, f.n
	s.lambda, s.cells = lower(theta, q), f.cells(theta)
	total, logs := slices.Clone(f.xx), 0.0
	if f.outers != nil {
		s.outer = f.outerLambda(theta)
	}
	if out >= 0 {
		n -= f.parts[out].n
		for k, v := range f.parts[out].xx {
			total[k] -= v
		}
	}
	if !f.eliminate(s, out, func(e *elimination) { e.takeFrom(total); logs += logDet(e.l, q) }, nil) {
		return s, false
	}
	s.lx, s.beta = make([]float64, p*p), make([]float64, p)
	trace := 0.0
	for i := range p {
		trace += total[i*(p+1)+i]
	}
	for i := range p {
		copy(s.lx[i*p:][:i+1], total[i*(p+1):])
		s.lx[i*p+i] += ridge * trace / float64(p)
		if f.prior != nil {
			s.lx[i*p+i] += f.prior[i]
		}
	}
	for i, v := range s.cells {
		s.lx[(f.flat+i)*(p+1)] += v
		logs -= math.Log(v)
	}
	if n <= float64(f.flat) || !factorise(s.lx, p) {
		return s, false
	}
	copy(s.beta, total[p*(p+1):])
	forward(s.lx, s.beta)
	rest := max(total[p*(p+1)+p]-dot(s.beta, s.beta), 1e-12*f.xx[p*(p+1)+p])
	backward(s.lx, s.beta)
	s.sigma2 = rest / (n - float64(f.flat))
	s.deviance = logs + logDet(s.lx, p) + (n-float64(f.flat))*math.Log(s.sigma2)
	if f.known > 0 {
		s.sigma2, s.deviance = f.known, logs+logDet(s.lx, p)+rest/f.known
	}
	return s, s.sigma2 > 0 && !math.IsNaN(s.deviance)
}

// model returns the model with noise σ. The covariance of b is σ²ΛΛᵀ, with the factor σΛ. That of
// the error of β is σ²(LLᵀ)⁻¹ = σ²L⁻ᵀL⁻¹, with the factor of its Cholesky decomposition.
func (s solution) model(form degrees, sigma float64) linear {
	p, q := form.count()
	d := p + q
	m := linear{Form: form, Beta: s.beta, Factor: make([]float64, d*d), Noise: sigma}
	for _, v := range s.outer {
		m.Outer = append(m.Outer, sigma*v)
	}
	for i := range q {
		for j := range i + 1 {
			m.Factor[i*d+j] = sigma * s.lambda[i*q+j]
		}
	}
	inverse, e := make([]float64, p*p), make([]float64, p)
	for j := range p {
		clear(e)
		e[j] = 1
		forward(s.lx, e)
		backward(s.lx, e)
		for i, v := range e {
			inverse[i*p+j] = v
		}
	}
	if !factorise(inverse, p) { // rounding: take β as known
		clear(inverse)
	}
	for i := range p {
		for j := range i + 1 {
			m.Factor[(q+i)*d+q+j] = sigma * inverse[i*p+j]
		}
	}
	return m
}
