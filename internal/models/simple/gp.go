package simple

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/acqnp/acqnp/internal/likelihood"
)

// A GP is a Gaussian process with a mean that all groups share:
//
//	y = f(x) + g(x) + ε
//
// f is the same for all groups and g is drawn anew for each. g has the kernel
//
//	k(x, x′) = level² + Σ_c slope_c²·(x_c − centre_c)(x′_c − centre_c) + curve²·exp(−½ Σ_c ((x_c − x′_c)/length_c)²)
//
// in standardised x and y. f is a sum of one smooth function for each column of x, each a Gaussian
// process in the basis of [Riutort-Mayol et al.]: f(x) = w·φ(x) with w ~ N(0, Λ). The columns with two
// values share slope and length. ε has the distribution of [noise].
//
// The hyperparameters maximise the marginal likelihood. With normal noise of a known scale,
// predictions given these are exact, and the uncertainty of f is a part of them.
//
// [Riutort-Mayol et al.]: https://arxiv.org/abs/2004.11408
type GP struct {
	Units units     `json:"units"`
	Basis basis     `json:"basis"`
	Hyper hyper     `json:"hyper"`
	Noise noise     `json:"noise"`
	W     []float64 `json:"w"`   // [M]: the mean of w given all groups
	Cov   []float64 `json:"cov"` // [M, M]: its covariance
}

// hyper are the hyperparameters of a GP in standardised units, all but the centres above 0. P is the
// number of columns of x with more than two values, and one more if there are others.
type hyper struct {
	Noise   float64   `json:"noise"` // of a point of relative scale 1
	Level   float64   `json:"level"`
	Curve   float64   `json:"curve"`
	Spread  float64   `json:"spread"` // of f: deviation and length of each column's function
	Wave    float64   `json:"wave"`
	Ridge   float64   `json:"ridge"`   // of f: deviation of the coefficients of columns with two values
	Slopes  []float64 `json:"slopes"`  // [P]
	Lengths []float64 `json:"lengths"` // [P]
	Centres []float64 `json:"centres"` // [P]
	Of      []int     `json:"of"`      // [DX]: which of the P is that of a column
}

// plainHypers is the number of hyperparameters besides slopes, lengths and centres, which follow them
// in vectors.
const plainHypers = 6

// columnsOf returns which of the P is that of each column, and P.
func columnsOf(b basis) (of []int, p int) {
	of = make([]int, len(b.Sines))
	for c, n := range b.Sines {
		if n > 0 {
			of[c] = p
			p++
		}
	}
	two := false
	for c, n := range b.Sines {
		if n == 0 {
			of[c], two = p, true
		}
	}
	if two {
		p++
	}
	return of, p
}

// hyperOf returns the hyperparameters of a vector: the logarithms of noise, level, curve, spread, wave,
// ridge, slopes and lengths, and the centres.
func hyperOf(theta []float64, of []int) hyper {
	e := make([]float64, len(theta))
	for i, v := range theta {
		e[i] = math.Exp(v)
	}
	p := (len(theta) - plainHypers) / 3
	return hyper{Noise: e[0], Level: e[1], Curve: e[2], Spread: e[3], Wave: e[4], Ridge: e[5],
		Slopes: e[plainHypers:][:p], Lengths: e[plainHypers+p:][:p], Centres: theta[plainHypers+2*p:], Of: of}
}

// kernel returns k(a, b) of standardised points a and b [DX].
func (h *hyper) kernel(a, b []float64) float64 {
	lines, distance := 0.0, 0.0
	for c, v := range a {
		p := h.Of[c]
		s, m := h.Slopes[p], h.Centres[p]
		lines += s * s * (v - m) * (b[c] - m)
		e := (v - b[c]) / h.Lengths[p]
		distance += e * e
	}
	return h.Level*h.Level + lines + h.Curve*h.Curve*math.Exp(-distance/2)
}

// Columns implements [Model].
func (m *GP) Columns() int { return len(m.Units.X) }

// Check implements [Model].
func (m *GP) Check() error {
	dx, size := len(m.Units.X), len(m.W)
	h := m.Hyper
	if errors.Join(m.Units.check(), m.Basis.check(dx), m.Noise.check(dx)) != nil || m.Basis.size() != size || len(h.Of) != dx {
		return errDamaged
	}
	of, p := columnsOf(m.Basis)
	for c, v := range h.Of {
		if of[c] != v {
			return errDamaged
		}
	}
	for _, v := range h.Lengths {
		if !(v > 0) {
			return errDamaged
		}
	}
	return sound(lengthOf{m.W, size}, lengthOf{m.Cov, size * size}, lengthOf{h.Lengths, p}, lengthOf{h.Slopes, p}, lengthOf{h.Centres, p},
		lengthOf{[]float64{h.Noise, h.Level, h.Curve, h.Spread, h.Wave, h.Ridge}, plainHypers})
}

// Bounds of a context: the points that predictions read, and those that the group's scale is learnt
// from.
const (
	mostContext = 1000
	mostOfScale = 64
)

// Given implements [Model]. It takes the 1,000 points of a larger context that are evenly spread over
// it. The scale of the group's noise is learnt from 64.
func (m *GP) Given(context Group, x []float64) []likelihood.GaussianMixture {
	c := thin(m.Units.group(context), mostContext)
	targets := m.Units.points(x)
	states := m.condition(c)
	at, dx := m.Basis.at(targets), len(m.Units.X)
	scales := m.Noise.scales(targets)
	var spread mat.Dense
	spread.Mul(at, mat.NewSymDense(len(m.W), m.Cov))
	out := make([]likelihood.GaussianMixture, len(scales))
	cross := make([]float64, c.Points())
	for t := range out {
		own, f := targets[t*dx:][:dx], at.RawRowView(t)
		for i := range cross {
			cross[i] = dot(spread.RawRowView(t), states[0].phi.RawRowView(i)) + m.Hyper.kernel(own, c.row(i))
		}
		prior := dot(spread.RawRowView(t), f) + m.Hyper.kernel(own, own)
		var parts []likelihood.Gaussian
		var logs []float64
		for _, s := range states {
			mean, variance := s.at(cross, dot(m.W, f), prior)
			parts, logs = m.Noise.parts(parts, logs, mean, variance, scales[t]*s.factor, s.log)
		}
		out[t] = m.Units.mixture(parts, logs)
	}
	return out
}

// A state is a context with the noise that its points seem to have, if the group's scale is factor.
type state struct {
	factor, log float64 // and the log of its probability
	phi         *mat.Dense
	chol        mat.Cholesky
	alpha       *mat.VecDense // the inverse of the covariance times what is left of y
}

// at returns mean and variance of f + g, given their covariances with the context, and what they are
// without it.
func (s *state) at(cross []float64, mean, variance float64) (float64, float64) {
	if s.alpha == nil {
		return mean, variance
	}
	v := mat.NewVecDense(len(cross), cross)
	var solved mat.VecDense
	if err := s.chol.SolveVecTo(&solved, v); err != nil && !isCondition(err) {
		return mean, variance
	}
	return mean + mat.Dot(v, s.alpha), variance - mat.Dot(v, &solved)
}

// condition returns the states of a standardised context.
func (m *GP) condition(c Group) []*state {
	factors, logs := m.Noise.nodes()
	if few := thin(c, mostOfScale); few.Points() < c.Points() && len(factors) > 1 {
		factor, most := 1.0, math.Inf(-1)
		for _, s := range m.condition(few) {
			if s.log > most {
				factor, most = s.factor, s.log
			}
		}
		factors, logs = []float64{factor}, []float64{0}
	}
	phi := m.Basis.at(c.X)
	n := c.Points()
	states := make([]*state, len(factors))
	for j := range states {
		states[j] = &state{factor: factors[j], log: logs[j], phi: phi}
	}
	if n == 0 {
		return states
	}
	var spread mat.Dense
	spread.Mul(phi, mat.NewSymDense(len(m.W), m.Cov))
	prior, left := mat.NewSymDense(n, nil), mat.NewVecDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			prior.SetSym(i, j, dot(spread.RawRowView(i), phi.RawRowView(j))+m.Hyper.kernel(c.row(i), c.row(j)))
		}
		left.SetVec(i, c.Y[i]-dot(phi.RawRowView(i), m.W))
	}
	scales := m.Noise.scales(c.X)
	var kept []*state
	for _, s := range states {
		if m.solve(s, prior, left, scales) {
			kept = append(kept, s)
		}
	}
	if len(kept) == 0 { // too close to singular for float64: predict without a context
		return states
	}
	return kept
}

// solve finds the noise of the points of a state: in turn what each point misses by, given the others,
// and which Gaussian stands for its noise then.
func (m *GP) solve(s *state, prior *mat.SymDense, left *mat.VecDense, scales []float64) bool {
	n := left.Len()
	shift, variance := make([]float64, n), make([]float64, n)
	each := make([]float64, len(m.Noise.Parts))
	for i, v := range scales {
		shift[i], variance[i] = m.Noise.normal(miss{0, 1e4 * v * v * s.factor * s.factor}, v*s.factor, each)
	}
	rounds := 4
	if n > 2*mostOfScale {
		rounds = 2
	}
	cov, y := mat.NewSymDense(n, nil), mat.NewVecDense(n, nil)
	for round := range rounds + 1 {
		cov.CopySym(prior)
		for i, v := range variance {
			cov.SetSym(i, i, cov.At(i, i)+v)
			y.SetVec(i, left.AtVec(i)-shift[i])
		}
		if !s.chol.Factorize(cov) || s.chol.Cond() > 1e14 {
			return false
		}
		s.alpha = mat.NewVecDense(n, nil)
		if err := s.chol.SolveVecTo(s.alpha, y); err != nil && !isCondition(err) {
			return false
		}
		if round == rounds || len(each) == 1 && round == 1 {
			break
		}
		var inverse mat.SymDense
		if err := s.chol.InverseTo(&inverse); err != nil && !isCondition(err) {
			return false
		}
		// The evidence of the points, as expectation propagation approximates it.
		log := -s.chol.LogDet()/2 - mat.Dot(s.alpha, y)/2 - float64(n)/2*math.Log(2*math.Pi)
		for i := range n {
			// Without the point, it is predicted with this error, of this variance.
			by := s.alpha.AtVec(i)/inverse.At(i, i) + shift[i]
			e := miss{by, max(1/inverse.At(i, i)-variance[i], 0)}
			z, v := e.by-shift[i], e.variance+variance[i]
			log += m.Noise.logDensity(e, scales[i]*s.factor, each) + z*z/(2*v) + math.Log(2*math.Pi*v)/2
			shift[i], variance[i] = m.Noise.normal(e, scales[i]*s.factor, each)
		}
		if round == rounds-1 || len(each) == 1 {
			s.log += log
		}
	}
	return true
}

// thin returns a group of at most n points, evenly spread over the order of all.
func thin(g Group, n int) Group {
	if g.Points() <= n {
		return g
	}
	t := Group{DX: g.DX}
	for k := range n {
		i := k * g.Points() / n
		t.X, t.Y = append(t.X, g.row(i)...), append(t.Y, g.Y[i])
	}
	return t
}

// errNoFit is the error of a model that the data do not determine.
var errNoFit = errors.New("the points do not determine the model")
