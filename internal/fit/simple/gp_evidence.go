package simple

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/acqnp/acqnp/internal/points"
)

// An evidence computes the marginal likelihood of standardised groups. With Φ the basis at all
// points and B the block diagonal covariance of g + ε, the covariance of y is B + ΦΛΦᵀ. So only
// matrices of the size of a group and of the basis are factorised. Errors of what uses a factor are left: they
// are mat.Condition, which warns that a result has few exact digits.
type evidence struct {
	groups []points.Group
	basis  basis
	of     []int        // which slope and length each column has
	p      int          // how many there are
	phi    []*mat.Dense // of each group, [n, M]
	noise  [][]float64  // the variance of each point's noise, in units of the hyperparameter's variance
	shift  [][]float64  // its mean
}

// newEvidence returns an evidence for groups whose points have noise of the same scale. It presses y,
// which limits the leverage of outliers until their noise is known.
func newEvidence(groups []points.Group, b basis) *evidence {
	e := &evidence{groups: groups, basis: b}
	e.of, e.p = columnsOf(b)
	for _, g := range groups {
		e.phi = append(e.phi, b.evaluate(g.Points))
		e.noise = append(e.noise, slices.Repeat([]float64{1}, g.Len()))
		shift := make([]float64, g.Len())
		for i, v := range g.Y {
			shift[i] = v - pressed(v)
		}
		e.shift = append(e.shift, shift)
	}
	return e
}

// likelihoodAt is the marginal likelihood at some hyperparameters.
type likelihoodAt struct {
	log      float64       // of the likelihood times the prior of the hyperparameters
	gradient []float64     // by the logarithms of the hyperparameters
	active   []int         // the functions of the basis that are not left out
	w        *mat.VecDense // the mean of their coefficients
	cov      *mat.SymDense // and their covariance
	root     mat.Cholesky  // of the inverse of cov
	variance []float64     // of all functions, a priori
	solved   []*solvedGroup
}

// leastVariance is the prior variance below which a function of the basis is left out. The data have a variance of 1, so
// that no number of points would find it.
const leastVariance = 1e-10

// activeOf returns which coefficients have a variance that matters.
func activeOf(variance []float64) (active []int) {
	for i, v := range variance {
		if v > leastVariance {
			active = append(active, i)
		}
	}
	return active
}

// columns returns columns of a matrix.
func columns(a *mat.Dense, which []int) *mat.Dense {
	n, size := a.Dims()
	if len(which) == size {
		return mat.DenseCopyOf(a)
	}
	out := mat.NewDense(n, len(which), nil)
	for i := range n {
		from, to := a.RawRowView(i), out.RawRowView(i)
		for j, c := range which {
			to[j] = from[c]
		}
	}
	return out
}

// coefficients returns the mean of the coefficients of all functions and their covariance [M, M].
func (r *likelihoodAt) coefficients() (w, cov []float64) {
	size := len(r.variance)
	w, cov = make([]float64, size), make([]float64, size*size)
	for i, v := range r.variance {
		cov[i*size+i] = v
	}
	for i, a := range r.active {
		w[a] = r.w.AtVec(i)
		for j, b := range r.active {
			cov[a*size+b] = r.cov.At(i, j)
		}
	}
	return w, cov
}

// solvedGroup is a group with what its factorised block gives.
type solvedGroup struct {
	chol          mat.Cholesky
	phi           *mat.Dense // B⁻¹Φ [n, M], which inverse overwrites
	y             *mat.VecDense
	smooth        []float64 // the smooth part of the kernel, [n, n], upper triangle
	lines, places []float64 // [n, DX]: slope·(x − centre), x/length
}

// evaluate returns the marginal likelihood for the logarithms theta of the hyperparameters, with its
// gradient if asked. It reports false if a matrix cannot be factorised.
func (e *evidence) evaluate(theta []float64, withGradient bool) (likelihoodAt, bool) {
	h := hyperOf(theta, e.of)
	for _, v := range theta {
		if math.Abs(v) > 12 {
			return likelihoodAt{}, false
		}
	}
	prior := e.basis.prior(h.Spread, h.Wave, h.Ridge, h.Blend, h.Cells)
	active := activeOf(prior.variance)
	size := len(active)
	precision := mat.NewSymDense(size, nil) // A = Λ⁻¹ + Σ ΦᵀB⁻¹Φ
	b := mat.NewVecDense(size, nil)         // Σ ΦᵀB⁻¹y
	log := 0.0
	for i, a := range active {
		precision.SetSym(i, i, 1/prior.variance[a])
		log -= math.Log(prior.variance[a]) / 2
	}
	solved := make([]*solvedGroup, len(e.groups))
	var part mat.VecDense
	for k, g := range e.groups {
		y := mat.NewVecDense(g.Len(), nil)
		for i, v := range g.Y {
			y.SetVec(i, v-e.shift[k][i])
		}
		s, ok := h.solve(g.Points, columns(e.phi[k], active), e.noiseOf(k), y)
		if !ok {
			return likelihoodAt{}, false
		}
		solved[k] = s
		if !withGradient {
			s.smooth, s.lines, s.places = nil, nil, nil
		}
		blas64.Trsm(blas.Left, blas.Trans, 1, s.chol.RawU().(*mat.TriDense).RawTriangular(), s.phi.RawMatrix())
		precision.SymRankK(precision, 1, s.phi.T())
		blas64.Trsm(blas.Left, blas.NoTrans, 1, s.chol.RawU().(*mat.TriDense).RawTriangular(), s.phi.RawMatrix())
		part.Reset()
		part.MulVec(s.phi.T(), y)
		b.AddVec(b, &part)
		log -= s.chol.LogDet()/2 + mat.Dot(s.y, y)/2 + float64(g.Len())/2*math.Log(2*math.Pi)
	}
	var chol mat.Cholesky
	if !chol.Factorize(precision) {
		return likelihoodAt{}, false
	}
	w := mat.NewVecDense(size, nil)
	_ = chol.SolveVecTo(w, b)
	log += mat.Dot(b, w)/2 - chol.LogDet()/2
	cov := mat.NewSymDense(size, nil)
	_ = chol.InverseTo(cov)
	out := likelihoodAt{log: log, active: active, w: w, cov: cov, root: chol, variance: prior.variance, solved: solved}
	if withGradient {
		out.gradient = make([]float64, len(theta))
		for k := range e.groups {
			e.addGradient(out.gradient, h, k, &out)
		}
		for i, a := range active { // ½ (w² − λ + cov)/λ² · dλ
			v := prior.variance[a]
			d := (w.AtVec(i)*w.AtVec(i) - v + cov.At(i, i)) / (2 * v * v)
			out.gradient[3] += d * prior.bySpread[a]
			out.gradient[4] += d * prior.byWave[a]
			out.gradient[5] += d * prior.byRidge[a]
			out.gradient[6] += d * prior.byBlend[a]
			if k := a - len(prior.variance) + len(prior.crossing); k >= 0 {
				out.gradient[plainHypers+3*e.p+prior.crossing[k]] += d * 2 * v
			}
		}
	}
	for i, v := range theta {
		p := priorOf(i, e.p)
		z := (v - p.Centre) / p.Width
		out.log -= z * z / 2
		if withGradient {
			out.gradient[i] -= z / p.Width
		}
	}
	return out, !math.IsNaN(out.log)
}

// priorOf returns the normal prior of hyperparameter i, of which P are slopes. The priors are weak: they
// only bound what few data do not determine. Lengths grow with √P, as distances do.
func priorOf(i, p int) scaling {
	switch {
	case i >= plainHypers+3*p:
		return scaling{math.Log(0.1), 1}
	case i >= plainHypers+2*p:
		return scaling{0, 1}
	case i >= plainHypers+p:
		return scaling{math.Log(0.8 * math.Sqrt(float64(p))), 1}
	case i == 4:
		return scaling{0, 0.7}
	case i == 6:
		return scaling{math.Log(0.1), 1}
	}
	return scaling{math.Log(0.4), 1.5}
}

// solve factorises the block of a group, whose functions phi it keeps.
func (h *hyper) solve(g points.Points, phi *mat.Dense, noise []float64, y *mat.VecDense) (*solvedGroup, bool) {
	n, dx := g.Len(), g.DX
	block, smooth := mat.NewSymDense(n, nil), make([]float64, n*n)
	lines, places := make([]float64, n*dx), make([]float64, n*dx)
	for i, v := range g.X {
		p := h.Of[i%dx]
		lines[i], places[i] = h.Slopes[p]*(v-h.Centres[p]), v/h.Lengths[p]
	}
	for i := range n {
		row := block.RawSymmetric().Data[i*n:][:n]
		for j := i; j < n; j++ {
			line, distance := h.Level*h.Level, 0.0
			for c := range dx {
				line += lines[i*dx+c] * lines[j*dx+c]
				z := places[i*dx+c] - places[j*dx+c]
				distance += z * z
			}
			smooth[i*n+j] = h.Curve * h.Curve * math.Exp(-distance/2)
			row[j] = line + smooth[i*n+j]
		}
		row[i] += h.Noise * h.Noise * noise[i]
	}
	s := &solvedGroup{smooth: smooth, lines: lines, places: places, phi: phi, y: mat.NewVecDense(n, nil)}
	if !s.chol.Factorize(block) {
		return nil, false
	}
	_ = s.chol.SolveVecTo(s.y, y)
	return s, true
}

// inverse returns a group's part of K⁻¹: α = K⁻¹y at its points, and its block of K⁻¹.
func (s *solvedGroup) inverse(r *likelihoodAt) (alpha *mat.VecDense, block *mat.SymDense) {
	alpha = new(mat.VecDense)
	alpha.MulVec(s.phi, r.w)
	alpha.SubVec(s.y, alpha)
	block = new(mat.SymDense)
	_ = s.chol.InverseTo(block)
	blas64.Trsm(blas.Right, blas.NoTrans, 1, r.root.RawU().(*mat.TriDense).RawTriangular(), s.phi.RawMatrix())
	block.SymRankK(block, -1, s.phi)
	return alpha, block
}

// noiseOf returns the variance of the noise of each point of a group, less where it counts more than once.
func (e *evidence) noiseOf(k int) []float64 {
	times := e.groups[k].Weights
	if times == nil {
		return e.noise[k]
	}
	all := slices.Clone(e.noise[k])
	for i := range all {
		all[i] /= times[i]
	}
	return all
}

// misses returns the leave-one-out error of each point, which is left out as often as it counts.
func (e *evidence) misses(theta []float64, r likelihoodAt) [][]miss {
	all := make([][]miss, len(e.groups))
	noise := math.Exp(2 * theta[0])
	for k, s := range r.solved {
		alpha, block := s.inverse(&r)
		for i, v := range e.noiseOf(k) {
			c := block.At(i, i)
			all[k] = append(all[k], miss{alpha.AtVec(i)/c + e.shift[k][i], max(1/c-noise*v, 0), e.groups[k].Weight(i) - 1, 0})
		}
	}
	return all
}

// addGradient adds a group's part of the gradient by noise, level, curve, slopes, lengths and centres:
// ½ Σ_ij (αᵢαⱼ − Cᵢⱼ) ∂Bᵢⱼ, where α = K⁻¹y and C is the group's block of K⁻¹.
func (e *evidence) addGradient(gradient []float64, h hyper, k int, r *likelihoodAt) {
	s := r.solved[k]
	alpha, block := s.inverse(r)
	n, dx := len(e.noise[k]), len(e.of)
	slopes, lengths, centres := gradient[plainHypers:][:e.p], gradient[plainHypers+e.p:][:e.p], gradient[plainHypers+2*e.p:]
	left := alpha.RawVector().Data
	for i := range n {
		inverse, smoothOf := block.RawSymmetric().Data[i*n:][:n], s.smooth[i*n:][:n]
		for j := i; j < n; j++ {
			d := left[i]*left[j] - inverse[j]
			if i == j {
				d /= 2
				gradient[0] += d * 2 * h.Noise * h.Noise * e.noise[k][i]
			}
			smooth := d * smoothOf[j]
			gradient[1] += d * 2 * h.Level * h.Level
			gradient[2] += 2 * smooth
			for c := range dx {
				p := e.of[c]
				z := s.places[i*dx+c] - s.places[j*dx+c]
				lengths[p] += smooth * z * z
				u, v := s.lines[i*dx+c], s.lines[j*dx+c]
				slopes[p] += d * 2 * u * v
				centres[p] -= d * h.Slopes[p] * (u + v)
			}
		}
	}
}
